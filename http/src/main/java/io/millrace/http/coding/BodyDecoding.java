package io.millrace.http.coding;

import io.millrace.http.Headers;
import java.util.Set;

/// How the body of one message is unpacked.
public record BodyDecoding(Coding coding, DecodedLimit limit) {
    /// Those that speak of the packed body, in small letters: whoever gets it unpacked must not see them.
    public static final Set<String> FIELDS = Set.of("content-encoding", "content-length");

    public static Headers withoutFields(Headers headers) {
        var left = headers;
        for (var name : FIELDS) left = left.without(name);
        return left;
    }
}
