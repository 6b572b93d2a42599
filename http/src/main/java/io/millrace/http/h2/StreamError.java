package io.millrace.http.h2;

/// An error of the peer that ends one stream (RFC 9113 section 5.4.2).
final class StreamError extends Exception {
    private static final long serialVersionUID = 1;

    /// For RST_STREAM, of [Http2Codes].
    final int code;

    StreamError(int code, String why) {
        super(why, null, false, false);
        this.code = code;
    }

    static StreamError malformed(String why) {
        return new StreamError(Http2Codes.PROTOCOL_ERROR, why);
    }
}
