package io.millrace.http.message;

import java.net.SocketAddress;

/// Where the connections of a pool lead. Equal destinations share connections. Any thread.
public interface Destination {
    /// Its address; a name is not resolved.
    SocketAddress address();

    /// The permits for connections to it, on any loop, from before they are made until they have closed, or
    /// have become tunnels.
    default Permits connections() {
        return Permits.ENDLESS;
    }

    /// Whether it gets no more requests, so that connections to it are not kept.
    default boolean isGone() {
        return false;
    }

    /// The permits for requests that wait for a connection.
    default Permits pending() {
        return Permits.ENDLESS;
    }
}
