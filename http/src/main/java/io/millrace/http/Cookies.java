package io.millrace.http;

import io.millrace.http.grammar.FieldValue;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The cookies that a request brings (RFC 6265 sections 4.2 and 5.4). Immutable.
///
/// ```java
/// Cookies.of(request).value("session").flatMap(sessions::find)
/// ```
/// A peer may send anything here, so nothing is refused: what is no cookie is left out. That is a pair without an
/// equals sign, with a name that is no token, with a value that has anything but visible ASCII and spaces, one
/// longer than [#MOST_BYTES], and every pair behind the first [#MOST]. A semicolon ends a pair even between
/// quotes, which are not part of the value. Of several with a name the first one counts: user agents send that of
/// the longest path first.
public final class Cookies {
    /// Pairs that are looked at.
    public static final int MOST = 100;

    /// Characters of a name and its value: what user agents keep of one (RFC 6265 section 6.1).
    public static final int MOST_BYTES = 4096;

    private static final Cookies NONE = new Cookies(Map.of());

    private final Map<String, String> values;

    private Cookies(Map<String, String> values) {
        this.values = values;
    }

    /// Those of a request.
    public static Cookies of(Request request) {
        if (request.header("Cookie").isEmpty()) return NONE;
        var values = new LinkedHashMap<String, String>();
        int looked = 0;
        for (var field : request.headers().all("Cookie")) {
            for (int at = 0; at < field.length() && looked < MOST; looked++) {
                int end = field.indexOf(';', at);
                if (end < 0) end = field.length();
                add(field.substring(at, end), values);
                at = end + 1;
            }
        }
        return values.isEmpty() ? NONE : new Cookies(Collections.unmodifiableMap(values));
    }

    private static void add(String pair, Map<String, String> values) {
        int equals = pair.indexOf('=');
        if (equals < 0) return;
        var name = FieldValue.trimmed(pair.substring(0, equals));
        var value = FieldValue.trimmed(pair.substring(equals + 1));
        if (name.length() + value.length() > MOST_BYTES) return;
        if (FieldValue.isToken(name) && isVisible(value)) values.putIfAbsent(name, unquoted(value));
    }

    private static boolean isVisible(String value) {
        return value.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    /// The value of a cookie; case matters.
    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /// All values by name, in their order; it cannot be changed.
    public Map<String, String> all() {
        return values;
    }

    /// The names, because values are secrets.
    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
