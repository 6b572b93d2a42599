package io.millrace.net;

import java.net.SocketAddress;

/// A limit with a name. When it acts it counts, writes at most one log line a second, and emits a flight recorder
/// event. It belongs to the process: two servers with the same limit count together. `Guards` declares and lists
/// them.
///
/// ```java
/// private static final Guard ROOMS = Guards.declare("chat.rooms", "rooms that are open at a time");
///
/// if (rooms.size() >= MOST) {
///     ROOMS.acted(connection.remote(), "more than " + MOST + " rooms");
///     …
/// ```
/// Any thread; counting never waits.
public interface Guard {
    /// Its name in the log, the metrics and the flight recorder, such as `http.head`.
    String name();

    /// What it limits, as text.
    String limits();

    /// How often it has acted since the process started.
    long count();

    /// For whom it acted last, and why, as logged, so up to a second old. Empty before that.
    String lastly();

    /// Says that it has acted on a peer.
    ///
    /// @param detail why, with the number that exceeded the limit
    void acted(SocketAddress peer, String detail);

    /// Says that it has acted, but on no particular peer.
    ///
    /// @param whom what the limit belongs to, such as an upstream
    void acted(String whom, String detail);
}
