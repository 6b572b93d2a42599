package io.millrace.http.message;

import java.net.SocketAddress;

/// Limits how many tunnels there are at a time, in all and of a client. Any thread.
public interface TunnelLimit {
    /// Whether there is room for one more; for a refusal before anybody is asked.
    boolean hasRoom(SocketAddress client);

    /// Takes a place, which must be given back once ([#give]).
    ///
    /// @return false if there is none
    boolean take(SocketAddress client);

    void give(SocketAddress client);
}
