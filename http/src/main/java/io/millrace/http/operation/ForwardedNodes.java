package io.millrace.http.operation;

import java.util.ArrayList;
import java.util.List;

/// Who was served, as a line of `Forwarded` tells (RFC 7239 section 4): what stands behind `for=` in each of its
/// elements.
///
/// It is taken apart from the right, so that what a client wrote on the left, a quote without its other one for
/// instance, cannot swallow what a proxy has put behind it.
public final class ForwardedNodes {
    private static final String NAME = "for=";

    private ForwardedNodes() {}

    /// The nodes, from left to right; an empty one for an element that names none, or cannot be read.
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

    /// At a character that stands in no quotes, counted from the end.
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

    /// An address has nothing to escape; what has is none.
    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }
}
