package io.millrace.http.message;

import java.net.SocketAddress;

/// Whom the connections of a pool lead to. What is equal shares them. Any thread.
public interface Destination {
    /// Where it is; a name is left to be looked up.
    SocketAddress address();

    /// What connections to it take, on whatever loop they are, from before they are made until they have closed,
    /// or have become tunnels.
    default Permits connections() {
        return Permits.ENDLESS;
    }

    /// Whether nobody asks it any more, so that connections to it are not kept.
    default boolean isGone() {
        return false;
    }

    /// What requests take that wait for a connection.
    default Permits pending() {
        return Permits.ENDLESS;
    }
}
