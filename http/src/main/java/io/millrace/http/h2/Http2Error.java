package io.millrace.http.h2;

/// An error of the peer that ends the connection (RFC 9113 section 5.4.1).
final class Http2Error extends Exception {
    private static final long serialVersionUID = 1;

    /// For GOAWAY, of [Http2Codes].
    final int code;

    Http2Error(int code, String why) {
        super(why, null, false, false);
        this.code = code;
    }

    static Http2Error protocol(String why) {
        return new Http2Error(Http2Codes.PROTOCOL_ERROR, why);
    }
}
