package io.millrace.http.file;

import java.util.List;
import java.util.regex.Pattern;

/// What is tried for a path that leads to no file.
public sealed interface Fallback {
    /// What [#of] accepts, and some of what it refuses.
    String FORM = "\\{path\\}[A-Za-z0-9._-]{1,100}|/[!->@-~]+|=[45][0-9]{2}";

    /// The path with more behind its last name: `.html` makes `about.html` of `about`.
    record Suffix(String more) implements Fallback {}

    /// A file of the same folder.
    record InFolder(List<String> names) implements Fallback {}

    /// No file: this status, and no further fallback.
    record Status(int status) implements Fallback {}

    /// Reads `{path}.html`, `/index.html` or `=404`.
    ///
    /// @throws IllegalArgumentException for another text, and for a file that is never served
    static Fallback of(String text) {
        if (!Pattern.matches(FORM, text)) {
            throw new IllegalArgumentException(
                    "'" + text + "' leads nowhere: write {path}.html, a file like /index.html, or a status like =404;"
                            + " the path itself is always tried first");
        }
        if (text.startsWith("=")) return new Status(Integer.parseInt(text.substring(1)));
        if (text.startsWith("{path}")) return new Suffix(text.substring("{path}".length()));
        var names = PathNames.of(text).filter(path -> !path.isDirectory());
        if (names.isPresent()) return new InFolder(names.get().names());
        throw new IllegalArgumentException("'" + text
                + "' is never served: name a file in the folder, not hidden, without .. and a slash at its end");
    }
}
