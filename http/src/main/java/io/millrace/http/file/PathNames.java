package io.millrace.http.file;

import io.millrace.http.grammar.Escapes;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The names of directories and of a file in the path of a request, decoded once; none of them leads anywhere but
/// down.
///
/// @param isDirectory whether a slash stood behind the last
public record PathNames(List<String> names, boolean isDirectory) {
    /// Hidden files are not for others, but for what RFC 8615 puts there for everybody.
    private static final String NOT_HIDDEN = ".well-known";

    /// The names in a path.
    ///
    /// @param path that of a request, or nothing for the root without its slash
    /// @return nothing when there is a name in it that may not be asked for
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

    /// Not hidden, not empty, no dots that lead elsewhere, nothing that separates names anywhere, nothing
    /// invisible.
    static boolean mayBeAskedFor(String name) {
        if (name.isEmpty() || (name.startsWith(".") && !name.equals(NOT_HIDDEN))) return false;
        return name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
    }

    /// What has an escape that is none, or is not UTF-8, is no name.
    private static Optional<String> decoded(String escaped) {
        if (!escaped.chars().allMatch(c -> c <= 0x7f)) return Optional.empty();
        try {
            return Optional.of(Escapes.decoded(escaped));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
