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

    /// The server refuses in HTTP/2 what it takes in HTTP/1.1 (RFC 9113 section 7).
    ///
    /// @param isChange whether it has refused a change of protocol: then this is about such requests only
    /// @return whether requests are sent there in HTTP/1.1 from now on, those given back by [#again] included
    boolean fallsBack(boolean isChange);

    /// The connection has closed; called once, last.
    ///
    /// @param unread the caller whose request the server has not read, so that it may be sent again elsewhere
    void closed(PooledConnection connection, @Nullable Caller unread);
}
