package io.millrace.http.exchange;

import org.jspecify.annotations.Nullable;

/// Makes a client's connections, and is told what becomes of them. On the connection's loop.
public interface ConnectionOwner {
    /// An exchange is over, and the connection can carry the next one.
    void idle(PooledConnection connection);

    /// A connection that could carry exchanges cannot do so any more.
    void withdraw(PooledConnection connection);

    /// The server has not processed this request, which another stream may carry. The connection may go on.
    void again(Caller unread);

    /// This request asks for a change of protocol that its server does not offer in HTTP/2 (RFC 8441): it needs a
    /// connection of HTTP/1.1.
    void needsHttp1(Caller change);

    /// The connection has closed; called once, last.
    ///
    /// @param unread the caller whose request the server has not read, so that it may be sent again elsewhere
    void closed(PooledConnection connection, @Nullable Caller unread);
}
