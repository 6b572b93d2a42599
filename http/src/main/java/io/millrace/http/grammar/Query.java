package io.millrace.http.grammar;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Names and values in a query, as forms send them.
public final class Query {
    private Query() {}

    /// The decoded value of the first parameter of a name; one without `=` is empty. A value whose escapes are
    /// none stays as it is.
    public static Optional<String> first(String query, String name) {
        var found = new ArrayList<String>(1);
        find(query, name, 1, found);
        return found.stream().findFirst();
    }

    /// Those of all of them.
    public static List<String> all(String query, String name) {
        var found = new ArrayList<String>();
        find(query, name, Integer.MAX_VALUE, found);
        return List.copyOf(found);
    }

    private static void find(String query, String name, int most, List<String> found) {
        int at = 0;
        while (at < query.length()) {
            int end = query.indexOf('&', at);
            if (end < 0) end = query.length();
            int equals = query.indexOf('=', at);
            int nameEnd = equals < 0 || equals > end ? end : equals;
            if (decoded(query.substring(at, nameEnd)).equals(name)) {
                found.add(decoded(query.substring(Math.min(nameEnd + 1, end), end)));
                if (found.size() == most) return;
            }
            at = end + 1;
        }
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
