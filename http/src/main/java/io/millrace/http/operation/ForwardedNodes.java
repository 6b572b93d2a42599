package io.millrace.http.operation;

import java.util.ArrayList;
import java.util.List;

/// The clients in a line of `Forwarded` (RFC 7239 section 4): the value of `for=` in each of its elements.
///
/// It is parsed from the right, so that a client's text on the left, an unclosed quote for instance, cannot
/// swallow what a proxy has appended.
public final class ForwardedNodes {
    private static final String NAME = "for=";

    private ForwardedNodes() {}

    /// The nodes, from left to right; an empty one for an element without a node, or a malformed one.
    public static List<String> of(String line) {
        return split(line, ',').stream().map(ForwardedNodes::node).toList();
    }

    private static String node(String element) {
        var named = split(element, ';').stream()
                .map(String::strip)
                .filter(pair -> pair.regionMatches(true, 0, NAME, 0, NAME.length()))
                .toList();
        return named.size() == 1 ? unquoted(named.getFirst().substring(NAME.length())) : "";
    }

    /// Splits at a character outside of quotes, counted from the end.
    private static List<String> split(String text, char separator) {
        var parts = new ArrayList<String>();
        int end = text.length();
        boolean isQuoted = false;
        for (int i = text.length() - 1; i >= 0; i--) {
            char c = text.charAt(i);
            if (c == '"') isQuoted = !isQuoted;
            if (c != separator || isQuoted) continue;
            parts.add(text.substring(i + 1, end));
            end = i;
        }
        parts.add(text.substring(0, end));
        return parts.reversed();
    }

    /// An address needs no escapes; a value with escapes is not an address.
    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }
}
