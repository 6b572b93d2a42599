package io.millrace.http.coding;

import java.util.Locale;
import java.util.Optional;

/// The supported content codings. Both are the same compressed data (RFC 1951) in different wrappers.
public enum Coding {
    /// RFC 1952, with a CRC-32 checksum.
    GZIP("gzip"),
    /// RFC 1950, usually called zlib, with an Adler-32 checksum.
    DEFLATE("deflate");

    /// All of them, as a field value.
    public static final String ALL = "gzip, deflate";

    private final String token;

    Coding(String token) {
        this.token = token;
    }

    /// Its name in fields.
    public String token() {
        return token;
    }

    /// By name, in any case (RFC 9110 section 8.4.1); `x-gzip` is gzip.
    public static Optional<Coding> of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> Optional.of(GZIP);
            case "deflate" -> Optional.of(DEFLATE);
            default -> Optional.empty();
        };
    }
}
