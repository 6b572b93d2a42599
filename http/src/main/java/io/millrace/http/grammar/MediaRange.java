package io.millrace.http.grammar;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// A media type without parameters, or all of a kind: `text/html`, `image/*`, `*/*` (RFC 9110 section 12.5.1).
///
/// @param text in small letters
public record MediaRange(String text) {
    /// What [#of] accepts.
    public static final String FORM = "\\*/\\*|[!#$&^_.+A-Za-z0-9-]{1,127}/(\\*|[!#$&^_.+A-Za-z0-9-]{1,127})";

    private static final Pattern PATTERN = Pattern.compile(FORM);

    /// Reads one.
    ///
    /// @throws IllegalArgumentException for anything else, parameters included
    public static MediaRange of(String text) {
        if (PATTERN.matcher(text).matches()) return new MediaRange(text.toLowerCase(Locale.ROOT));
        throw new IllegalArgumentException(
                "'" + text + "' is not a media type: use one like application/vnd.mine or image/*");
    }

    /// Whether a media type is in it.
    ///
    /// @param type in small letters, without parameters
    public boolean has(String type) {
        if (text.equals("*/*")) return true;
        return text.endsWith("/*") ? type.startsWith(text.substring(0, text.length() - 1)) : type.equals(text);
    }

    /// Whether a media type is in one of them.
    ///
    /// @param type in small letters, without parameters
    public static boolean has(List<MediaRange> ranges, String type) {
        for (var range : ranges) if (range.has(type)) return true;
        return false;
    }
}
