package io.millrace.http.h2;

/// A block of fields that cannot be decoded. Both ends' tables differ from here on, so that the connection ends
/// with COMPRESSION_ERROR (RFC 9113 section 4.3).
public final class HpackError extends Exception {
    private static final long serialVersionUID = 1;

    HpackError(String message) {
        super(message, null, false, false);
    }
}
