package io.millrace.http.grammar;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A field's value with parameters (RFC 9110 section 5.6.6): a media type, or a disposition.
///
/// @param value in small letters
/// @param parameters by name in small letters
public record FieldValue(String value, Map<String, String> parameters) {
    /// The default weight, in thousandths.
    public static final int MOST_WEIGHT = 1000;

    private static final int MALFORMED = -1;
    private static final Pattern WEIGHT = Pattern.compile("q=(0(\\.[0-9]{0,3})?|1(\\.0{0,3})?)");

    /// Nothing for a malformed value, or one with a parameter twice.
    public static Optional<FieldValue> parse(String text) {
        int at = endOfToken(text, 0);
        if (at > 0 && at < text.length() && text.charAt(at) == '/') at = endOfToken(text, at + 1);
        var value = text.substring(0, at).toLowerCase(Locale.ROOT);
        if (value.isEmpty() || value.endsWith("/")) return Optional.empty();
        var parameters = new HashMap<String, String>();
        at = skipBlanks(text, at);
        while (at < text.length()) {
            if (text.charAt(at) != ';') return Optional.empty();
            at = skipBlanks(text, at + 1);
            boolean isNone = at == text.length() || text.charAt(at) == ';';
            if (isNone) continue;
            at = skipBlanks(text, parameter(text, at, parameters));
            if (at == MALFORMED) return Optional.empty();
        }
        return Optional.of(new FieldValue(value, Map.copyOf(parameters)));
    }

    /// @return the end of the parameter, or [#MALFORMED]
    private static int parameter(String text, int from, Map<String, String> parameters) {
        int equals = endOfToken(text, from);
        if (equals == from || equals == text.length() || text.charAt(equals) != '=') return MALFORMED;
        int begin = equals + 1;
        boolean isQuoted = begin < text.length() && text.charAt(begin) == '"';
        int end = isQuoted ? endOfQuoted(text, begin + 1) : endOfToken(text, begin);
        if (end == MALFORMED || end == begin) return MALFORMED;
        var name = text.substring(from, equals).toLowerCase(Locale.ROOT);
        var value = isQuoted ? unquoted(text.substring(begin + 1, end - 1)) : text.substring(begin, end);
        return parameters.putIfAbsent(name, value) == null ? end : MALFORMED;
    }

    private static int endOfQuoted(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            if (text.charAt(at) == '"') return at + 1;
            if (isEscape(text, at)) at++;
        }
        return MALFORMED;
    }

    private static String unquoted(String quoted) {
        if (quoted.indexOf('\\') < 0) return quoted;
        var text = new StringBuilder(quoted.length());
        for (int at = 0; at < quoted.length(); at++) {
            if (isEscape(quoted, at)) at++;
            text.append(quoted.charAt(at));
        }
        return text.toString();
    }

    /// Browsers do not escape backslashes in file names, so a backslash before any other character stands for
    /// itself.
    private static boolean isEscape(String text, int at) {
        if (text.charAt(at) != '\\' || at + 1 == text.length()) return false;
        char next = text.charAt(at + 1);
        return next == '"' || next == '\\';
    }

    /// Whether a text is a token (RFC 9110 section 5.6.2).
    public static boolean isToken(String text) {
        return !text.isEmpty() && endOfToken(text, 0) == text.length();
    }

    /// The end of the token that begins there; `from` if there is none.
    public static int endOfToken(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) < 0x80 && Syntax.isToken((byte) text.charAt(at))) at++;
        return at;
    }

    /// The next character that is neither blank nor tab.
    public static int skipBlanks(String text, int from) {
        int at = from;
        while (at >= 0 && at < text.length() && isBlank(text.charAt(at))) at++;
        return at;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /// Without surrounding blanks and tabs; other white space is text.
    public static String trimmed(String text) {
        int from = skipBlanks(text, 0);
        int to = text.length();
        while (to > from && isBlank(text.charAt(to - 1))) to--;
        return text.substring(from, to);
    }

    /// A weight (RFC 9110 section 12.4.2), `q=` and up to three decimals.
    ///
    /// @return thousandths; -1 if malformed
    public static int weight(String parameter) {
        var text = parameter.strip().toLowerCase(Locale.ROOT);
        if (!WEIGHT.matcher(text).matches()) return MALFORMED;
        return (int) Math.round(Double.parseDouble(text.substring(2)) * MOST_WEIGHT);
    }

    /// The value of a parameter.
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }
}
