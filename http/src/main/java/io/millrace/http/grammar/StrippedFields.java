package io.millrace.http.grammar;

import java.util.List;

/// Names of fields that are not passed on, in small letters; a `*` at the end of a name stands for all names
/// with this prefix. Some backends take `_` for `-`, and so does this class.
public final class StrippedFields {
    private StrippedFields() {}

    /// Whether a name is one of them.
    public static boolean isOneOf(List<String> names, String name) {
        return !names.isEmpty() && isOneOf(names, Syntax.latin1(name), 0, name.length());
    }

    public static boolean isOneOf(List<String> names, byte[] bytes, int from, int length) {
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            int compared = name.length();
            boolean isPrefix = name.charAt(compared - 1) == '*';
            if (isPrefix) compared--;
            if (isPrefix ? length < compared : length != compared) continue;
            int at = 0;
            while (at < compared && isSame(bytes[from + at], name.charAt(at))) at++;
            if (at == compared) return true;
        }
        return false;
    }

    private static boolean isSame(byte found, char wanted) {
        return (found == '_' ? '-' : Syntax.lower(found)) == wanted;
    }
}
