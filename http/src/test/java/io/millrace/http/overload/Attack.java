package io.millrace.http.overload;

import java.nio.charset.StandardCharsets;

/// What a peer does that means no good.
@SuppressWarnings("ImmutableEnumChecker") // nobody changes the arrays
enum Attack {
    /// Connects, and says nothing.
    SILENCE("", "", 1000),
    /// A head that goes on by a byte each second.
    SLOW_HEAD("GET / HTTP/1.1\r\nHost: a\r\nX-Field: ", "x", 1000),
    /// A body that goes on by a byte each second.
    SLOW_BODY("POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", "x", 1000),
    /// The same, for a handler that reads the body as it arrives.
    SLOW_STREAM("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", "x", 1000),
    /// Asks for a gigabyte, and does not read it; asks for more, which also tells when the connection is gone.
    SLOW_READ("GET /large?n=1073741824 HTTP/1.1\r\nHost: a\r\n\r\n", "GET", 1000),
    /// The same with responses that are short, and many.
    SLOW_READ_PIPELINED(
            "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100),
            "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100),
            0),
    FIELDS("GET / HTTP/1.1\r\nHost: a\r\n", "A: b\r\n".repeat(1000), 0),
    LONG_FIELDS("GET / HTTP/1.1\r\nHost: a\r\n", "A: " + "b".repeat(8000) + "\r\n", 0),
    EXTENSIONS("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5", ";a=b".repeat(2000), 0),
    TRAILERS("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n".repeat(1000), 0),
    TINY_CHUNKS("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n".repeat(1000), 0),
    REQUEST_LINE("GET /", "x".repeat(1 << 20), 0),
    /// Half of a ClientHello, and then nothing.
    HALF_A_HELLO(TlsHello.text().substring(0, TlsHello.text().length() / 2), "", 1000),
    /// A ClientHello, to which nothing follows: a handshake for nothing.
    HELLO(TlsHello.text(), "", 1000),
    /// Nine bytes that announce one of 16 MiB.
    HUGE_HELLO("\u0016\u0003\u0001\0\u0004\u0001\u00ff\u00ff\u00ff", "\0", 0),
    /// One of 16 KiB, in records of a byte each.
    TINY_RECORDS("\u0016\u0003\u0001\0\u0004\u0001\0?\u00ff", "\u0016\u0003\u0001\0\u0001\0".repeat(1000), 0);

    /// What it begins with.
    final byte[] opening;

    /// What it says then, over and over.
    final byte[] more;

    /// Between two bytes of that; 0 for as fast as it is taken.
    final int periodMillis;

    Attack(String opening, String more, int periodMillis) {
        this.opening = opening.getBytes(StandardCharsets.ISO_8859_1);
        this.more = more.getBytes(StandardCharsets.ISO_8859_1);
        this.periodMillis = periodMillis;
    }

    boolean reads() {
        return this != SLOW_READ && this != SLOW_READ_PIPELINED;
    }
}
