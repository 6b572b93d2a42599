package io.millrace.http.coding;

import io.millrace.http.Headers;
import java.util.Set;

/// How a message's body is decompressed.
public record BodyDecoding(Coding coding, DecodedLimit limit) {
    /// Fields about the compressed body, in small letters: they must be removed with the coding.
    public static final Set<String> FIELDS = Set.of("content-encoding", "content-length");

    public static Headers withoutFields(Headers headers) {
        var left = headers;
        for (var name : FIELDS) left = left.without(name);
        return left;
    }
}
