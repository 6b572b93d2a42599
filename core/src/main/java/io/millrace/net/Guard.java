package io.millrace.net;

import java.net.SocketAddress;

/// A limit with a name. When it acts it counts, writes one log line a second at most, and a flight recorder event.
/// It is of the process: two servers that have the same limit count together. `Guards` declares and lists them.
///
/// ```java
/// private static final Guard ROOMS = Guards.declare("chat.rooms", "rooms that are open at a time");
///
/// if (rooms.size() >= MOST) {
///     ROOMS.acted(connection.remote(), "more than " + MOST + " rooms");
///     …
/// ```
/// Any thread; counting waits for nobody.
public interface Guard {
    /// What the log, the metrics and the flight recorder call it: `http.head`.
    String name();

    /// What it limits, in words.
    String limits();

    /// How often it has acted since the process started.
    long count();

    /// For whom it has acted lately, and why: what the log says, so it may be a second late. Empty before.
    String lastly();

    /// It has acted on a peer.
    ///
    /// @param detail why, with the number that was passed
    void acted(SocketAddress peer, String detail);

    /// For what is done for no peer in particular.
    ///
    /// @param whom what the limit is of, an upstream for instance
    void acted(String whom, String detail);
}
