package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The artifacts that users depend on: those of all modules but the ones that say `maven.deploy.skip`.
class ArtifactsTest {
    private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(millrace-.+)</artifactId>");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(millrace-[a-z-]+)` \\|(?: `([a-z.]+)`)? \\|", Pattern.MULTILINE);
    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("^module (\\S+) ", Pattern.MULTILINE);
    private static final Pattern VERSION = Pattern.compile("<version>(.+)</version>");

    /// The poms by artifact.
    private static Map<String, Path> published() throws IOException {
        var poms = new TreeMap<String, Path>();
        for (var module : found(MODULE, Sources.ROOT.resolve("pom.xml"))) {
            var pom = Sources.ROOT.resolve(module).resolve("pom.xml");
            if (Files.readString(pom).contains("<maven.deploy.skip>true<")) continue;
            poms.put(found(ARTIFACT, pom).getFirst(), pom);
        }
        assertTrue(poms.containsKey("millrace-core"), poms.toString());
        return poms;
    }

    private static List<String> found(Pattern pattern, Path file) throws IOException {
        var found = new ArrayList<String>();
        var matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) found.add(matcher.group(1));
        return found;
    }

    @Test
    void the_bom_has_all_of_them_in_the_version_of_the_root() throws IOException {
        var bom = Sources.ROOT.resolve("bom/pom.xml");
        assertEquals(published().keySet(), new TreeSet<>(found(ARTIFACT, bom)));
        var root = found(VERSION, Sources.ROOT.resolve("pom.xml")).getFirst();
        assertEquals(root, found(VERSION, bom).getFirst());
    }

    @Test
    void the_readme_has_all_of_them_with_the_names_of_their_modules() throws IOException {
        var names = new TreeMap<String, String>();
        for (var entry : published().entrySet()) {
            var descriptor = entry.getValue().resolveSibling("src/main/java/module-info.java");
            names.put(
                    entry.getKey(),
                    entry.getKey().equals("millrace-bom")
                            ? ""
                            : found(NAME, descriptor).getFirst());
        }
        var rows = new TreeMap<String, String>();
        var row = ROW.matcher(Files.readString(Sources.ROOT.resolve("README.md")));
        while (row.find()) rows.put(row.group(1), Objects.requireNonNullElse(row.group(2), ""));
        assertEquals(names, rows);
    }

    @Test
    void each_has_a_name_and_a_description_of_its_own() throws IOException {
        for (var pom : published().values()) {
            var text = Files.readString(pom);
            assertTrue(text.contains("<name>Millrace "), pom.toString());
            assertTrue(text.contains("<description>"), pom.toString());
        }
    }

    @Test
    void http_needs_core_alone() throws IOException {
        var pom = Files.readString(Sources.ROOT.resolve("http/pom.xml"));
        var needed = DEPENDENCY
                .matcher(pom)
                .results()
                .map(MatchResult::group)
                .filter(dependency -> !dependency.contains("<scope>test</scope>"))
                .toList();
        assertEquals(1, needed.size(), needed.toString());
        assertTrue(needed.getFirst().contains("<artifactId>millrace-core</artifactId>"), needed.toString());
    }
}
