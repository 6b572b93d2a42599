package io.millrace.http.h2;

/// The values of a SETTINGS frame (RFC 9113 section 6.5): the last one of each counts, so that a frame is one change,
/// however much it repeats.
final class PeerSettings {
    static final int UNSET = -1;

    private static final int MOST_FRAME = (1 << 24) - 1;

    int tableBytes = UNSET;

    /// The smallest of them, which the peer is told, too (RFC 7541 section 4.2).
    int leastTableBytes = Integer.MAX_VALUE;

    int push = UNSET;

    /// 1 if it takes extended CONNECT (RFC 8441 section 3).
    int connect = UNSET;

    /// As an unsigned number, capped.
    int streams = UNSET;

    int windowBytes = UNSET;
    int frameBytes = UNSET;

    /// Settings that are not known are ignored, and so is the longest head: it is advice (section 10.5.1).
    void put(int setting, int value) throws Http2Error {
        switch (setting) {
            case Http2Codes.TABLE_SIZE -> {
                tableBytes = capped(value);
                leastTableBytes = Math.min(leastTableBytes, tableBytes);
            }
            case Http2Codes.ENABLE_PUSH -> {
                if (value != 0 && value != 1) throw Http2Error.protocol("ENABLE_PUSH other than 0 and 1");
                push = value;
            }
            case Http2Codes.MOST_STREAMS -> streams = capped(value);
            case Http2Codes.WINDOW -> {
                if (value < 0)
                    throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
                windowBytes = value;
            }
            case Http2Codes.FRAME_SIZE -> {
                if (value < Http2Codes.MOST_BYTES || value > MOST_FRAME)
                    throw Http2Error.protocol("a frame size other than 2^14 to 2^24-1");
                frameBytes = value;
            }
            case Http2Codes.ENABLE_CONNECT -> {
                if (value != 0 && value != 1) throw Http2Error.protocol("ENABLE_CONNECT_PROTOCOL other than 0 and 1");
                connect = value;
            }
            case Http2Codes.NO_OLD_PRIORITIES -> {
                if (value != 0 && value != 1) throw Http2Error.protocol("NO_RFC7540_PRIORITIES other than 0 and 1");
            }
            default -> {}
        }
    }

    private static int capped(int unsigned) {
        return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
    }
}
