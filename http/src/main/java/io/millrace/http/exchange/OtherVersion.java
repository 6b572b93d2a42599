package io.millrace.http.exchange;

import io.millrace.loop.TcpConnection;

/// An HTTP version that takes over a connection whose first bytes are not HTTP/1's.
public interface OtherVersion {
    /// The bytes that announce HTTP/2 (RFC 9113 section 3.4), as far as HTTP/1 can read them.
    String PREFACE_LINE = "PRI * HTTP/2.0\r\n";

    /// Its name in ALPN (RFC 9113 section 3.2).
    String PROTOCOL = "h2";

    /// The connection is paused, and nothing of it was read. Any thread that has it.
    ///
    /// @param closed to be called when the connection has closed
    void take(TcpConnection connection, Runnable closed);
}
