package io.millrace.proxy.announce;

import java.net.SocketAddress;
import java.util.Optional;

/// What a header says.
///
/// @param source      whose connection it is; empty for the sender's own, or if it does not say
/// @param destination whom the source has connected to; empty as above
public record Announcement(Optional<SocketAddress> source, Optional<SocketAddress> destination) {
    /// The connection is what it looks like.
    static final Announcement NOTHING = new Announcement(Optional.empty(), Optional.empty());

    static Announcement of(SocketAddress source, SocketAddress destination) {
        return new Announcement(Optional.of(source), Optional.of(destination));
    }
}
