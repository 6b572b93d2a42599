package io.millrace.http.grammar;

import java.util.Locale;
import java.util.Optional;

/// The ways in which servers read a path. If two servers read a path differently, a request can get around a
/// rule of the first one, so path rules must check both readings.
///
/// ```
///   /pub;v=1/a%253bx//b      as it arrives, canonical
///   /pub/a%253bx//b          strict: parameters are no part of a name (RFC 3986 section 3.3)
///   /pub/a/b                 loose: decoded until nothing is left to decode, as some servers do
/// ```
public final class PathReading {
    private static final int ESCAPE = 3;

    private PathReading() {}

    /// Whether all servers read a path alike: it has no escape, no parameter and no empty segment.
    public static boolean isPlain(String path) {
        return path.indexOf('%') < 0 && path.indexOf(';') < 0 && !path.contains("//");
    }

    /// Removes the parameters of its segments.
    ///
    /// @param path canonical
    public static String strict(String path) {
        int semicolon = path.indexOf(';');
        if (semicolon < 0) return path;
        var names = new StringBuilder(path.length());
        int from = 0;
        for (; semicolon >= 0; semicolon = path.indexOf(';', from)) {
            names.append(path, from, semicolon);
            from = PathPattern.endOfSegment(path, semicolon);
        }
        return names.append(path, from, path.length()).toString();
    }

    /// As the most lenient server reads it: escapes decoded repeatedly, backslashes taken for slashes,
    /// without parameters, empty segments and single dots. The result is canonical again, so that it can be
    /// matched with patterns. Empty for a path that must not be passed on: with `..` or a control character
    /// in this reading.
    ///
    /// @param path canonical
    public static Optional<String> loose(String path) {
        if (!path.startsWith("/")) return Optional.of(path);
        var decoded = decoded(path);
        if (decoded.chars().anyMatch(Character::isISOControl)) return Optional.empty();
        var names = strict(withoutEnd(decoded.replace('\\', '/')));
        var read = new StringBuilder(names.length());
        boolean isFolder = false;
        for (var segment : names.substring(1).split("/", -1)) {
            if (segment.equals("..")) return Optional.empty();
            isFolder = segment.isEmpty() || segment.equals(".");
            if (!isFolder) escape(segment, read.append('/'));
        }
        if (isFolder) read.append('/');
        return Optional.of(read.toString());
    }

    /// A decoded character may complete another escape.
    private static String decoded(String path) {
        var decoded = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            decoded.append(path.charAt(i));
            while (endsWithEscape(decoded)) {
                int at = decoded.length() - ESCAPE;
                char value = (char) Integer.parseInt(decoded, at + 1, decoded.length(), 16);
                decoded.setLength(at);
                decoded.append(value);
            }
        }
        return decoded.toString();
    }

    private static boolean endsWithEscape(CharSequence text) {
        int at = text.length() - ESCAPE;
        return at >= 0 && text.charAt(at) == '%' && isHex(text.charAt(at + 1)) && isHex(text.charAt(at + 2));
    }

    private static boolean isHex(char c) {
        return c <= 0x7f && Syntax.isHex((byte) c);
    }

    /// The beginning of a query or a fragment ends the path.
    private static String withoutEnd(String path) {
        int end = 0;
        while (end < path.length() && path.charAt(end) != '?' && path.charAt(end) != '#') end++;
        return path.substring(0, end);
    }

    private static void escape(String segment, StringBuilder to) {
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            boolean isPlain = c <= 0x7f && c != '%' && Syntax.isPath((byte) c);
            if (isPlain) to.append(c);
            else to.append(String.format(Locale.ROOT, "%%%02X", (int) c));
        }
    }
}
