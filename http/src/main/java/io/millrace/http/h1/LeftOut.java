package io.millrace.http.h1;

import io.millrace.http.Headers;
import java.util.List;
import java.util.Locale;

/// Names of fields that are not passed on, in small letters; one with a `*` at its end stands for all that begin
/// so. There are backends that take `_` for `-`, and so does this.
public final class LeftOut {
    private LeftOut() {}

    /// Whether a name is one of them.
    public static boolean isOneOf(List<String> names, String name) {
        return !names.isEmpty() && isOneOf(names, Syntax.latin1(name), 0, name.length());
    }

    static boolean isOneOf(List<String> names, byte[] bytes, int from, int length) {
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

    /// What is passed on of the fields behind a body: nothing that is not passed on in front of it.
    ///
    /// @param head of the same message, whose `Connection` names more that are left out
    /// @param names of others
    public static Headers trailers(Headers trailers, Headers head, List<String> names) {
        if (trailers.size() == 0) return trailers;
        var named = HopByHop.named(head);
        var kept = Headers.builder();
        HopByHop.endToEnd(trailers).forEach((name, value) -> {
            boolean isNamed = named.contains(name.toLowerCase(Locale.ROOT));
            if (!isNamed && !isOneOf(names, name)) kept.add(name, value);
        });
        return kept.build();
    }
}
