package io.millrace.http.coding;

import java.util.Locale;
import java.util.Optional;

/// The content codings that there are here. Both are the same compressed data (RFC 1951) in different wrappers.
public enum Coding {
    /// RFC 1952, with a checksum of the CRC-32 kind.
    GZIP("gzip"),
    /// RFC 1950, which everybody calls zlib, with one of the Adler-32 kind.
    DEFLATE("deflate");

    /// All of them, as a peer may be told.
    public static final String ALL = "gzip, deflate";

    private final String token;

    Coding(String token) {
        this.token = token;
    }

    /// Its name in fields.
    public String token() {
        return token;
    }

    /// By a name in whatever case (RFC 9110 section 8.4.1); `x-gzip` is gzip.
    public static Optional<Coding> of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> Optional.of(GZIP);
            case "deflate" -> Optional.of(DEFLATE);
            default -> Optional.empty();
        };
    }
}
