package io.millrace.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// `docs/migrating.md`: a section for each set-up.
final class MigratingDocument {
    private static final Path FILE = Path.of(System.getProperty("basedir", "."), "../docs/migrating.md");
    private static final Pattern SECTION = Pattern.compile("^## (.*?)\n(.*?)(?=^## |\\z)", flags());
    private static final Pattern ORIGINAL = Pattern.compile("^```(nginx|haproxy)\n(.*?)^```", flags());
    private static final Pattern OURS = Pattern.compile("^```yaml\n(.*?)^```", flags());
    private static final Pattern TABLE =
            Pattern.compile("^\\| (?:nginx|HAProxy) \\| here \\|\n\\|[-|]+\n((?:\\|[^\n]*\n)+)", flags());
    private static final Pattern WORDS = Pattern.compile("`([^`]+)`");

    private MigratingDocument() {}

    private static int flags() {
        return Pattern.DOTALL | Pattern.MULTILINE;
    }

    /// Of the document.
    ///
    /// @param program whose configuration the original is: `nginx` or `haproxy`
    /// @param ours each file of ours
    /// @param answered beginnings of lines, which the first column of the table names
    record SetUp(String title, String program, String original, List<String> ours, List<String> answered) {
        /// Without comments, and without those that only close a block.
        List<String> lines() {
            return original.lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty() && !line.equals("}"))
                    .toList();
        }

        @Override
        public String toString() {
            return title;
        }
    }

    static List<SetUp> setUps() {
        return SECTION.matcher(text()).results().map(MigratingDocument::setUp).toList();
    }

    static SetUp setUp(String title) {
        return setUps().stream()
                .filter(it -> it.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no section '" + title + "'"));
    }

    private static SetUp setUp(MatchResult section) {
        var text = section.group(2);
        var original = only(ORIGINAL, text);
        var answered = only(TABLE, text)
                .group(1)
                .lines()
                .map(row -> row.substring(2, row.indexOf(" | ")))
                .flatMap(cell -> WORDS.matcher(cell).results().map(words -> words.group(1)))
                .toList();
        var ours = OURS.matcher(text).results().map(block -> block.group(1)).toList();
        return new SetUp(section.group(1), original.group(1), original.group(2), ours, answered);
    }

    private static MatchResult only(Pattern pattern, String section) {
        var found = pattern.matcher(section).results().toList();
        if (found.size() != 1) throw new AssertionError(found.size() + " times " + pattern + " in " + section);
        return found.getFirst();
    }

    private static String text() {
        try {
            return Files.readString(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
