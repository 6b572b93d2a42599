package io.millrace.http.coding;

import java.util.Arrays;
import java.util.stream.Collectors;

/// Content codings of files that were compressed beforehand: their names in fields, and at the end of the file's name.
public enum FileCoding {
    /// RFC 7932.
    BR("br", ".br"),
    /// RFC 8878.
    ZSTD("zstd", ".zst"),
    /// RFC 1952.
    GZIP("gzip", ".gz");

    private final String token;
    private final String suffix;

    FileCoding(String token, String suffix) {
        this.token = token;
        this.suffix = suffix;
    }

    /// The one with this name.
    ///
    /// @throws IllegalArgumentException for any other name
    public static FileCoding of(String token) {
        return Arrays.stream(values())
                .filter(coding -> coding.token.equals(token))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + token + "' is no coding of files: take one of "
                        + Arrays.stream(values()).map(FileCoding::token).collect(Collectors.joining(", "))));
    }

    /// Its name in fields.
    public String token() {
        return token;
    }

    /// What its file's name has behind the original's, with the dot.
    public String suffix() {
        return suffix;
    }
}
