package io.millrace.proxy.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// Where a redirect leads: a text with names in braces, to be replaced. Immutable.
///
/// @param texts between the names, one more than those
/// @param names in their order
public record LocationTemplate(List<String> texts, List<String> names) {
    /// What a template knows beside the parameters of a path.
    public static final Set<String> KNOWN = Set.of("host", "path", "query");

    private static final Pattern NAME = Pattern.compile("\\{([^{}]*)\\}");
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");
    /// The host is that of the client, or none that a client can change.
    private static final Pattern BEGIN = Pattern.compile(
            "(?i)/(?![/\\\\]).*|\\{path\\}.*|https?://([^/?{}]+|\\{host\\})((/|\\?|\\{path\\}|\\{query\\}).*)?");

    /// A text with names in braces.
    ///
    /// @throws IllegalArgumentException with what is wrong and the remedy
    public static LocationTemplate of(String text) {
        if (!VISIBLE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "a location has visible ASCII characters only: escape the others with %");
        }
        if (!BEGIN.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "let it begin with one slash, {path}, or a scheme and a host that is {host} or has no names in braces");
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
            throw new IllegalArgumentException(
                    "it has a brace without its other one: close it, or escape it as %7B or %7D");
        }
        return new LocationTemplate(List.copyOf(texts), List.copyOf(names));
    }

    /// With the values of its names.
    public String with(UnaryOperator<String> values) {
        var location = new StringBuilder(texts.getFirst());
        for (int i = 0; i < names.size(); i++) {
            location.append(values.apply(names.get(i))).append(texts.get(i + 1));
        }
        return location.toString();
    }

    /// As it was written.
    @Override
    public String toString() {
        return with(name -> "{" + name + "}");
    }
}
