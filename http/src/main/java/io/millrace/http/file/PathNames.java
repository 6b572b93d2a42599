package io.millrace.http.file;

import io.millrace.http.grammar.Escapes;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The names of directories and of a file in a request's path, decoded once; none of them leads upwards.
///
/// @param isDirectory whether the path ends with a slash
public record PathNames(List<String> names, boolean isDirectory) {
    /// Hidden files are private, except those that RFC 8615 publishes.
    private static final String NOT_HIDDEN = ".well-known";

    /// The names in a path.
    ///
    /// @param path a request's path, or nothing for the root without its slash
    /// @return nothing if it contains a name that may not be requested
    public static Optional<PathNames> of(String path) {
        if (path.isEmpty() || path.equals("/")) return Optional.of(new PathNames(List.of(), !path.isEmpty()));
        if (path.charAt(0) != '/') return Optional.empty();
        boolean isDirectory = path.endsWith("/");
        var names = new ArrayList<String>();
        for (var escaped :
                path.substring(1, path.length() - (isDirectory ? 1 : 0)).split("/", -1)) {
            var name = decoded(escaped);
            if (name.isEmpty() || !mayBeAskedFor(name.get())) return Optional.empty();
            names.add(name.get());
        }
        return Optional.of(new PathNames(List.copyOf(names), isDirectory));
    }

    /// The last name, or nothing for the root.
    public String last() {
        return names.isEmpty() ? "" : names.getLast();
    }

    /// Not hidden, not empty, no dots that lead elsewhere, no separator of any system, nothing invisible.
    public static boolean mayBeAskedFor(String name) {
        if (name.isEmpty() || (name.startsWith(".") && !name.equals(NOT_HIDDEN))) return false;
        return name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
    }

    /// A text with a malformed escape, or not in UTF-8, is not a name.
    private static Optional<String> decoded(String escaped) {
        if (!escaped.chars().allMatch(c -> c <= 0x7f)) return Optional.empty();
        try {
            return Optional.of(Escapes.decoded(escaped));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
