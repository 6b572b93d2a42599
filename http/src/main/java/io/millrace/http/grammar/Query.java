package io.millrace.http.grammar;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Names and values in a query, as forms send them.
public final class Query {
    private Query() {}

    /// The decoded value of the first parameter of a name; one without `=` is empty. A value whose escapes are
    /// none stays as it is.
    public static Optional<String> first(String query, String name) {
        int at = 0;
        while (at < query.length()) {
            int end = query.indexOf('&', at);
            if (end < 0) end = query.length();
            int equals = query.indexOf('=', at);
            int nameEnd = equals < 0 || equals > end ? end : equals;
            if (decoded(query.substring(at, nameEnd)).equals(name)) {
                return Optional.of(decoded(query.substring(Math.min(nameEnd + 1, end), end)));
            }
            at = end + 1;
        }
        return Optional.empty();
    }

    private static String decoded(String text) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0) return text;
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noEscape) {
            return text;
        }
    }
}
