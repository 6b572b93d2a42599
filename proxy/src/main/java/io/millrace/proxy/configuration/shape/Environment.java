package io.millrace.proxy.configuration.shape;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Variables that texts of a file may name: `${NAME}`. Two dollar signs in front of a brace are one that is meant
/// as such.
record Environment(Map<String, String> variables) {
    /// What stands between the braces is looked at later, for a message.
    private static final Pattern VARIABLE = Pattern.compile("\\$?\\$\\{([^}]*)\\}");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /// A text with the values of its variables.
    ///
    /// @return null when one is missing, and that was said
    @Nullable
    String putInto(String text, Place place) {
        if (!text.contains("${")) return text;
        var result = new StringBuilder();
        boolean isComplete = true;
        var found = VARIABLE.matcher(text);
        while (found.find()) {
            if (text.startsWith("$$", found.start())) {
                found.appendReplacement(
                        result, Matcher.quoteReplacement(found.group().substring(1)));
                continue;
            }
            var value = valueOf(found.group(1), place);
            isComplete &= value != null;
            found.appendReplacement(result, value == null ? "" : Matcher.quoteReplacement(value));
        }
        found.appendTail(result);
        return isComplete ? result.toString() : null;
    }

    private @Nullable String valueOf(String name, Place place) {
        if (!NAME.matcher(name).matches()) {
            place.refuse("${" + name + "} names no variable: take letters, digits and underscores,"
                    + " or write $${ for the characters themselves");
            return null;
        }
        var value = variables.get(name);
        if (value == null)
            place.refuse("the environment has no variable " + name + ": set it, or write the value here");
        return value;
    }
}
