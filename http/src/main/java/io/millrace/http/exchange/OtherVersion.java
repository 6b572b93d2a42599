package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.loop.TcpConnection;

/// An HTTP version that takes over a connection whose first bytes are not HTTP/1's.
public interface OtherVersion {
    /// The bytes that announce HTTP/2 (RFC 9113 section 3.4), as far as HTTP/1 can read them.
    String PREFACE_LINE = "PRI * HTTP/2.0\r\n";

    /// Its name in ALPN (RFC 9113 section 3.2).
    String PROTOCOL = "h2";

    int FRAME_HEADER_BYTES = 9;
    byte SETTINGS = 4;
    byte GOAWAY = 7;

    /// Whether these bytes begin as those of a server of HTTP/2 do (RFC 9113 section 3.4): with a SETTINGS frame, or
    /// with a GOAWAY if it has read a request of HTTP/1. Both belong to no stream.
    static boolean isFromServer(Input in) {
        if (in.remaining() < FRAME_HEADER_BYTES || in.peekByte(0) != 0) return false;
        boolean isOfConnection = in.peekByte(3) == SETTINGS || in.peekByte(3) == GOAWAY;
        for (int i = FRAME_HEADER_BYTES - 4; i < FRAME_HEADER_BYTES; i++) isOfConnection &= in.peekByte(i) == 0;
        return isOfConnection;
    }

    /// The connection is paused, and nothing of it was read. Any thread that has it.
    ///
    /// @param closed to be called when the connection has closed
    void take(TcpConnection connection, Runnable closed);
}
