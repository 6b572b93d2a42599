package io.millrace.proxy.configuration.file;

import io.millrace.http.PathForm;
import io.millrace.proxy.configuration.ListenerSettings.PathSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;

/// The forms of paths that a listener takes.
final class PathKeys {
    private static final Key<List<String>> HOSTS = Key.optional(
            "hosts",
            Listing.of(Words.HOST),
            "For these, without a port: `example.org`, or `*.example.org` for all names below it. By default for all that"
                    + " no other item names.");
    private static final Key<Boolean> ESCAPED_SLASHES = Key.standard(
            "escaped-slashes",
            kept("refuse"),
            false,
            "`%2F` in a path: `keep` takes it for a character, which separates nothing; `refuse` answers with 400.");
    private static final Key<Boolean> SLASHES = Key.standard(
            "slashes",
            kept("merge"),
            false,
            "Several slashes in a row: `merge` makes one of them, `keep` passes them on.");
    private static final Key<Boolean> UNESCAPED = Key.standard(
            "unescaped",
            kept("refuse"),
            false,
            "`[`, `]`, `|` and `^` in a path, and a `%` in a query that begins no escape: `keep` passes them on, `refuse`"
                    + " answers with 400.");

    private static final Section<PathSettings> SECTION = Section.of(
                    "paths",
                    "Forms of paths that are no canonical ones, and that some applications need (GitLab, npm, RabbitMQ,"
                            + " object stores). Where one is kept, paths are passed on byte for byte, and `..` is refused."
                            + " The gates of a route hold for whatever a backend may read into a path; see"
                            + " [proxy-tables.md](proxy-tables.md).",
                    values -> new PathSettings(
                            values.optional(HOSTS).orElse(List.of()),
                            new PathForm(values.of(ESCAPED_SLASHES), values.of(SLASHES), values.of(UNESCAPED))),
                    HOSTS,
                    ESCAPED_SLASHES,
                    SLASHES,
                    UNESCAPED)
            .with(Rule.atLeastOneOf(ESCAPED_SLASHES, SLASHES, UNESCAPED));

    static final Key<List<PathSettings>> PATHS = Key.standard(
            "paths",
            new Listing<>(SECTION, 0),
            List.of(),
            "Forms of paths that hosts of it take beyond the canonical one, each host in one item. Layer 7.");

    private PathKeys() {}

    private static Choice<Boolean> kept(String otherwise) {
        var words = new LinkedHashMap<String, Boolean>();
        words.put(otherwise, false);
        words.put("keep", true);
        return new Choice<>(words);
    }

    /// Of the key above, which is one of the section.
    static List<PathSettings> paths(Values values) {
        var paths = values.of(PATHS);
        var known = new HashSet<String>();
        for (var item : paths) {
            for (var host : item.hosts().isEmpty() ? List.of("all hosts") : item.hosts()) {
                if (known.add(host)) continue;
                throw values.refused(PATHS, "two items are for " + host + ": make one of them");
            }
        }
        return paths;
    }
}
