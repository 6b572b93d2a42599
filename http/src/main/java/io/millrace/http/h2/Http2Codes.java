package io.millrace.http.h2;

/// The numbers of HTTP/2 on the wire (RFC 9113 sections 4.1, 6, and 7; RFC 8441, RFC 9218).
final class Http2Codes {
    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    static final int HEADER_BYTES = 9;

    /// The longest frame that each side takes unless it says otherwise, and the longest that we take.
    static final int MOST_BYTES = 16 << 10;

    static final int MOST_WINDOW = Integer.MAX_VALUE;
    static final int USUAL_WINDOW = 65_535;
    static final int MOST_ID = Integer.MAX_VALUE;

    // Types.

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int PRIORITY_UPDATE = 16;

    // Flags.

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int WITH_PRIORITY = 0x20;

    // Settings.

    static final int TABLE_SIZE = 1;
    static final int ENABLE_PUSH = 2;
    static final int MOST_STREAMS = 3;
    static final int WINDOW = 4;
    static final int FRAME_SIZE = 5;
    static final int HEADER_LIST_SIZE = 6;
    static final int ENABLE_CONNECT = 8;
    static final int NO_OLD_PRIORITIES = 9;

    // Errors.

    static final int NO_ERROR = 0;
    static final int PROTOCOL_ERROR = 1;
    static final int INTERNAL_ERROR = 2;
    static final int FLOW_CONTROL_ERROR = 3;
    static final int STREAM_CLOSED = 5;
    static final int FRAME_SIZE_ERROR = 6;
    static final int REFUSED_STREAM = 7;
    static final int CANCEL = 8;
    static final int COMPRESSION_ERROR = 9;
    static final int CONNECT_ERROR = 10;
    static final int ENHANCE_YOUR_CALM = 11;

    private Http2Codes() {}
}
