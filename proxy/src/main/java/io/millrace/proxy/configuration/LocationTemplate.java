package io.millrace.proxy.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// A redirect's location: a text with names in braces, which are replaced. Immutable.
///
/// @param texts between the names, one more than there are names
/// @param names in order
public record LocationTemplate(List<String> texts, List<String> names) {
    /// The names of every template, besides the parameters of a path.
    public static final Set<String> KNOWN = Set.of("host", "path", "query");

    private static final Pattern NAME = Pattern.compile("\\{([^{}]*)\\}");
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");
    /// The host is the client's, or one that no client can change.
    private static final Pattern BEGIN = Pattern.compile(
            "(?i)/(?![/\\\\]).*|\\{path\\}.*|https?://([^/?{}]+|\\{host\\})((/|\\?|\\{path\\}|\\{query\\}).*)?");

    /// Reads a text with names in braces.
    ///
    /// @throws IllegalArgumentException with what is wrong and the remedy
    public static LocationTemplate of(String text) {
        if (!VISIBLE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "a location has visible ASCII characters only: escape the others with %");
        }
        if (!BEGIN.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "begin it with one slash, {path}, or a scheme and a host that is {host} or has no names in"
                            + " braces");
        }
        var texts = new ArrayList<String>();
        var names = new ArrayList<String>();
        var found = NAME.matcher(text);
        int at = 0;
        while (found.find()) {
            texts.add(text.substring(at, found.start()));
            names.add(found.group(1));
            at = found.end();
        }
        texts.add(text.substring(at));
        if (texts.stream().anyMatch(part -> part.contains("{") || part.contains("}"))) {
            throw new IllegalArgumentException("it has an unpaired brace: close it, or escape it as %7B or %7D");
        }
        return new LocationTemplate(List.copyOf(texts), List.copyOf(names));
    }

    /// The location with the values of its names.
    public String with(UnaryOperator<String> values) {
        var location = new StringBuilder(texts.getFirst());
        for (int i = 0; i < names.size(); i++) {
            location.append(values.apply(names.get(i))).append(texts.get(i + 1));
        }
        return location.toString();
    }

    /// The text as it was written.
    @Override
    public String toString() {
        return with(name -> "{" + name + "}");
    }
}
