package io.millrace.proxy.announce;

import io.millrace.bytes.Input;
import io.millrace.net.ProtocolError;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Optional;

/// Reads a header of the PROXY protocol, of whichever version it is. It keeps nothing: what has not come to its
/// end is left unread, and looked at again from its beginning. What can no longer become a header is refused with
/// the first byte that says so. Immutable.
///
/// Everything that is read depends on the bytes alone, and not on the pieces they come in.
public final class HeaderReader {
    private final int mostBytes;

    /// A reader with a bound.
    ///
    /// @param mostBytes of a header of version 2; one of version 1 has [LineHeader#MOST_BYTES] at most
    public HeaderReader(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /// Consumes a header and nothing behind it.
    ///
    /// @return empty while more has to come; nothing was consumed then
    /// @throws ProtocolError for what is no header, or too long
    public Optional<Announcement> read(Input in) throws ProtocolError {
        if (in.isEmpty()) return Optional.empty();
        return switch (in.peekByte(0)) {
            case 'P' -> LineHeader.read(in);
            case '\r' -> BinaryHeader.read(in, mostBytes);
            default -> throw new ProtocolError("no header: it begins with 0x%02x".formatted(in.peekByte(0) & 0xff));
        };
    }

    /// Compares as much of a beginning as is there.
    ///
    /// @return false while a part of the beginning is still to come
    static boolean beginsWith(Input in, byte[] beginning) throws ProtocolError {
        int length = (int) Math.min(in.remaining(), beginning.length);
        var begun = new byte[length];
        in.peek(0, begun, 0, length);
        int differs = Arrays.mismatch(begun, 0, length, beginning, 0, length);
        if (differs >= 0) throw new ProtocolError("no header: its byte " + differs + " is another one");
        return length == beginning.length;
    }

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
}
