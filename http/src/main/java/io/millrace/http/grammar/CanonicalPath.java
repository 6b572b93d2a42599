package io.millrace.http.grammar;

import java.util.ArrayList;
import java.util.Locale;

/// A path in its one canonical form; see [Target].
final class CanonicalPath {
    private CanonicalPath() {}

    /// @param form bits of the forms accepted besides it
    static String of(String raw, int form) throws Refusal {
        boolean mayLeadUp = form == Target.STRICT;
        var segments = new ArrayList<String>();
        var parts = decoded(raw, form).substring(1).split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean isLast = i == parts.length - 1;
            switch (parts[i]) {
                case "" -> {
                    if (Target.takes(form, Target.EMPTY_SEGMENTS) && !isLast) segments.add("");
                }
                case "." -> {}
                case ".." -> {
                    if (!mayLeadUp) throw new Refusal(400, "dot segments in a path that is passed on unchanged");
                    if (segments.isEmpty()) throw new Refusal(400, "a path above the root");
                    segments.removeLast();
                }
                default -> {
                    segments.add(parts[i]);
                    if (isLast) return "/" + String.join("/", segments);
                }
            }
        }
        return segments.isEmpty() ? "/" : "/" + String.join("/", segments) + "/";
    }

    private static String decoded(String raw, int form) throws Refusal {
        var bytes = Syntax.latin1(raw);
        var text = new StringBuilder(raw.length());
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] != '%') {
                boolean isToEscape = Target.isOftenUnescaped(bytes[at]);
                text.append(isToEscape ? String.format(Locale.ROOT, "%%%02X", bytes[at]) : (char) bytes[at] + "");
                continue;
            }
            int value = Target.escape(bytes, at, bytes.length);
            boolean isSlash = value == '/' && !Target.takes(form, Target.ESCAPED_SLASHES);
            if (isSlash || value == '\\' || value < 0x20 || value == 0x7f) {
                throw new Refusal(400, "an escaped slash, backslash or control character in a path");
            }
            if (Syntax.isUnreserved(value)) text.append((char) value);
            else text.append(raw.substring(at, at + 3).toUpperCase(Locale.ROOT));
            at += 2;
        }
        return text.toString();
    }
}
