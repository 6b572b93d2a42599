package io.millrace.http.grammar;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Names and values in a query, as forms send them.
public final class Query {
    private Query() {}

    /// The decoded value of the first parameter with this name; without `=` it is empty. A value with
    /// malformed escapes is returned unchanged.
    public static Optional<String> first(String query, String name) {
        int at = find(query, name, 0);
        return at < 0 ? Optional.empty() : Optional.of(value(query, at));
    }

    /// The values of all parameters with this name.
    public static List<String> all(String query, String name) {
        var found = new ArrayList<String>();
        for (int at = find(query, name, 0); at >= 0; at = find(query, name, end(query, at) + 1))
            found.add(value(query, at));
        return List.copyOf(found);
    }

    /// A query with one more parameter, escaped.
    public static String with(String query, String name, String value) {
        var pair = Escapes.encoded(name) + "=" + Escapes.encoded(value);
        return query.isEmpty() ? pair : query + "&" + pair;
    }

    /// Where the next parameter with this name begins, or -1.
    private static int find(String query, String name, int from) {
        int at = from;
        while (at < query.length()) {
            if (decoded(query.substring(at, nameEnd(query, at))).equals(name)) return at;
            at = end(query, at) + 1;
        }
        return -1;
    }

    private static String value(String query, int at) {
        int end = end(query, at);
        return decoded(query.substring(Math.min(nameEnd(query, at) + 1, end), end));
    }

    private static int nameEnd(String query, int at) {
        int end = end(query, at);
        int equals = query.indexOf('=', at);
        return equals < 0 || equals > end ? end : equals;
    }

    private static int end(String query, int at) {
        int end = query.indexOf('&', at);
        return end < 0 ? query.length() : end;
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
