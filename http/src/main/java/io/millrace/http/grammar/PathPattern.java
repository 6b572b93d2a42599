package io.millrace.http.grammar;

import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The pattern of a route's paths. Immutable.
///
/// @param text as it was written
/// @param segments between the slashes, [#PARAMETER] for a parameter
/// @param names of the parameters, in their order
public record PathPattern(String text, List<String> segments, List<String> names, End end) {
    /// Not a segment that can be written.
    public static final String PARAMETER = "{}";

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");
    private static final String REST = "...";

    /// How the pattern ends.
    public enum End {
        /// The path ends after the last segment.
        HERE,
        /// A slash and more follow; the rest, which may be empty, is the last parameter.
        REST,
        /// The path ends, or a slash and more follow.
        BELOW
    }

    /// Parses a pattern as in [io.millrace.http.Routes].
    ///
    /// @throws IllegalArgumentException for a pattern that no path can match
    public static PathPattern of(String text) {
        var parts = parts(text);
        var segments = new ArrayList<String>();
        var names = new ArrayList<String>();
        var end = End.HERE;
        for (int i = 0; i < parts.length; i++) {
            boolean isLast = i == parts.length - 1;
            var part = parts[i];
            if (!isParameter(part)) {
                checkLiteral(text, part, isLast);
                segments.add(part);
                continue;
            }
            boolean isRest = part.endsWith(REST + "}");
            if (isRest && !isLast) throw refused(text, part + " is the rest of a path: let it be the last segment");
            if (isRest) end = End.REST;
            else segments.add(PARAMETER);
            addName(text, part.substring(1, part.length() - (isRest ? REST.length() + 1 : 1)), names);
        }
        return new PathPattern(text, List.copyOf(segments), List.copyOf(names), end);
    }

    /// A path and everything below it.
    ///
    /// @throws IllegalArgumentException for a path that nothing can be below
    public static PathPattern below(String path) {
        var pattern = mount(path);
        if (pattern.names.isEmpty()) return pattern;
        throw refused(path, "a prefix has no parameters: use a pattern that ends with {rest...}");
    }

    /// A path, with or without parameters, and everything below it.
    ///
    /// @throws IllegalArgumentException for a path that nothing can be below
    public static PathPattern mount(String path) {
        if (path.equals("/")) return new PathPattern(path, List.of(), List.of(), End.BELOW);
        if (path.endsWith("/")) throw refused(path, "a prefix is whole segments: leave the last slash out");
        var pattern = of(path);
        if (pattern.end == End.REST) throw refused(path, "nothing is left below {name...}: leave it out");
        return new PathPattern(path, pattern.segments, pattern.names, End.BELOW);
    }

    private static String[] parts(String text) {
        if (!text.startsWith("/")) throw refused(text, "let it begin with a slash");
        return text.substring(1).split("/", -1);
    }

    private static boolean isParameter(String part) {
        return part.startsWith("{") && part.endsWith("}");
    }

    private static void addName(String text, String name, List<String> names) {
        if (!NAME.matcher(name).matches()) {
            throw refused(text, "{" + name + "} needs a name of letters, digits and underscores");
        }
        if (names.contains(name)) throw refused(text, "it has {" + name + "} twice: give them two names");
        names.add(name);
    }

    private static void checkLiteral(String text, String part, boolean isLast) {
        if (part.isEmpty() && !isLast) throw refused(text, "paths arrive without empty segments: leave one slash out");
        if (part.indexOf('{') >= 0 || part.indexOf('}') >= 0) {
            throw refused(text, "a parameter is a whole segment between slashes, and " + part + " is not");
        }
        if (part.startsWith(":")) throw refused(text, part + " would stand for itself alone: a segment is {name}");
        if (part.indexOf('*') >= 0) {
            throw refused(
                    text,
                    part + " would stand for itself alone: a segment is {name}, the rest of a path"
                            + " {name...} at the end, and a path with everything below it a prefix");
        }
        var path = "/" + part;
        var arriving = Target.parse(path).path();
        if (!arriving.equals(path)) throw refused(text, path + " arrives as " + arriving + ": write it so");
    }

    private static IllegalArgumentException refused(String text, String why) {
        return new IllegalArgumentException("'" + text + "' is not a path pattern: " + why);
    }

    /// Whether it matches only one path.
    public boolean isLiteral() {
        return names.isEmpty() && end == End.HERE;
    }

    /// The decoded parameters in a matching path, in the order of their names; nothing if one of them is not
    /// UTF-8.
    public Optional<List<String>> values(String path) {
        var values = new ArrayList<String>(names.size());
        int at = 1;
        try {
            for (var segment : segments) {
                int next = endOfSegment(path, at);
                if (segment.equals(PARAMETER)) values.add(Escapes.decoded(path.substring(at, next)));
                at = next + 1;
            }
            if (end == End.REST) values.add(Escapes.decoded(path.substring(at)));
            return Optional.of(values);
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /// A parameter in a matching path, as it arrived: escapes stay.
    public String raw(String path, String name) {
        int at = 1;
        int next = 0;
        for (var segment : segments) {
            int end = endOfSegment(path, at);
            if (segment.equals(PARAMETER) && names.get(next++).equals(name)) return path.substring(at, end);
            at = end + 1;
        }
        return path.substring(at);
    }

    /// The end of the segments in a matching path.
    public int endOfSegments(String path) {
        int end = 0;
        for (int i = 0; i < segments.size(); i++) end = endOfSegment(path, end + 1);
        return end;
    }

    /// The end of the segment that begins at a position.
    public static int endOfSegment(String path, int at) {
        int slash = path.indexOf('/', at);
        return slash < 0 ? path.length() : slash;
    }
}
