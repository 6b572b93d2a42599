package io.millrace.http.h2;

/// The numbers of HTTP/2 on the wire (RFC 9113 sections 4.1, 6, and 7; RFC 8441, RFC 9218).
public final class Http2Codes {
    public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    public static final int HEADER_BYTES = 9;

    /// The longest frame that each side takes unless it says otherwise, and the longest that we take.
    public static final int MOST_BYTES = 16 << 10;

    public static final int MOST_WINDOW = Integer.MAX_VALUE;
    public static final int USUAL_WINDOW = 65_535;
    public static final int MOST_ID = Integer.MAX_VALUE;

    // Types.

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int PRIORITY_UPDATE = 16;

    // Flags.

    public static final int ACK = 0x1;
    public static final int END_STREAM = 0x1;
    public static final int END_HEADERS = 0x4;
    public static final int PADDED = 0x8;
    public static final int WITH_PRIORITY = 0x20;

    // Settings.

    public static final int TABLE_SIZE = 1;
    public static final int ENABLE_PUSH = 2;
    public static final int MOST_STREAMS = 3;
    public static final int WINDOW = 4;
    public static final int FRAME_SIZE = 5;
    public static final int HEADER_LIST_SIZE = 6;
    public static final int ENABLE_CONNECT = 8;
    public static final int NO_OLD_PRIORITIES = 9;

    // Errors.

    public static final int NO_ERROR = 0;
    public static final int PROTOCOL_ERROR = 1;
    public static final int INTERNAL_ERROR = 2;
    public static final int FLOW_CONTROL_ERROR = 3;
    public static final int STREAM_CLOSED = 5;
    public static final int FRAME_SIZE_ERROR = 6;
    public static final int REFUSED_STREAM = 7;
    public static final int CANCEL = 8;
    public static final int COMPRESSION_ERROR = 9;
    public static final int CONNECT_ERROR = 10;
    public static final int ENHANCE_YOUR_CALM = 11;
    public static final int HTTP_1_1_REQUIRED = 13;

    private Http2Codes() {}
}
