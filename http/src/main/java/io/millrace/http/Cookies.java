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
/// A peer may send anything here, so nothing is refused: a malformed cookie is left out. That is a pair without
/// an equals sign, with a name that is not a token, with a value that has anything but visible ASCII and spaces,
/// or longer than [#MOST_BYTES], and every pair after the first [#MOST]. A semicolon ends a pair even between
/// quotes; quotes around a value are removed. Of several cookies with one name the first counts: user agents send
/// the one with the longest path first.
public final class Cookies {
    /// How many pairs are read.
    public static final int MOST = 100;

    /// Characters of a name and its value together: as much as user agents keep (RFC 6265 section 6.1).
    public static final int MOST_BYTES = 4096;

    private static final Cookies NONE = new Cookies(Map.of());

    private final Map<String, String> values;

    private Cookies(Map<String, String> values) {
        this.values = values;
    }

    /// The cookies of a request.
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

    /// A cookie's value; case matters.
    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /// All values by name, in their order; unmodifiable.
    public Map<String, String> all() {
        return values;
    }

    /// Only the names, because values are secret.
    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
