package io.millrace.http.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Distinguishes versions of a file (RFC 9110 section 8.8.3).
///
/// @param isWeak whether two versions with this tag may differ in their bytes
/// @param opaque the text between the quotes
public record EntityTag(boolean isWeak, String opaque) {
    private static final Pattern FORM = Pattern.compile("(W/)?\"([\\x21\\x23-\\x7e\\x80-\\xff]*+)\"");

    /// As it is sent.
    public String text() {
        return (isWeak ? "W/\"" : "\"") + opaque + '"';
    }

    /// The strong comparison of RFC 9110 section 8.8.3.2: the same bytes, which a weak tag never promises.
    public boolean matchesStrongly(EntityTag other) {
        return !isWeak && !other.isWeak && opaque.equals(other.opaque);
    }

    /// The weak comparison: equivalent content.
    public boolean matchesWeakly(EntityTag other) {
        return opaque.equals(other.opaque);
    }

    /// Parses a field with one tag.
    public static Optional<EntityTag> parse(String field) {
        var matcher = FORM.matcher(field);
        return matcher.matches() ? Optional.of(found(matcher, field)) : Optional.empty();
    }

    /// Parses a field with a list of tags; a malformed list has none. Empty elements are ignored (RFC 9110
    /// section 5.6.1.2), and a comma between quotes is part of a tag.
    public static List<EntityTag> list(String field) {
        var tags = new ArrayList<EntityTag>();
        var matcher = FORM.matcher(field);
        boolean wantsComma = false;
        for (int at = 0; at < field.length(); ) {
            char c = field.charAt(at);
            if (c == ',' || c == ' ' || c == '\t') {
                wantsComma &= c != ',';
                at++;
                continue;
            }
            matcher.region(at, field.length());
            if (wantsComma || !matcher.lookingAt()) return List.of();
            tags.add(found(matcher, field));
            wantsComma = true;
            at = matcher.end();
        }
        return tags;
    }

    private static EntityTag found(Matcher matcher, String field) {
        return new EntityTag(matcher.start(1) >= 0, field.substring(matcher.start(2), matcher.end(2)));
    }
}
