package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the documents say about the code is so.
class DocsTest {
    /// `loop/EventLoop` and the like, as the documents write the files of this module.
    private static final Pattern FILE = Pattern.compile("`((?:[a-z0-9]+/)+[A-Z]\\w*)(?:\\.java)?`");

    private static final Pattern DOCUMENT = Pattern.compile("`(docs/[\\w/.-]+\\.md)`");

    @Test
    void every_step_in_the_life_of_a_byte_names_files_that_exist() throws IOException {
        var steps = rows("ARCHITECTURE.md", "## The life of a byte");
        assertTrue(steps.size() >= 10, steps.toString());
        for (var step : steps) {
            var files = found(FILE, step.get(1));
            assertTrue(!files.isEmpty() || step.get(1).equals("kernel"), step.toString());
        }
    }

    @Test
    void every_file_that_a_document_names_exists() throws IOException {
        var missing = new ArrayList<String>();
        for (var document : documents()) {
            var text = Files.readString(document);
            for (var file : found(FILE, text)) {
                if (!isThere(file)) missing.add(document + ": " + file);
            }
            for (var file : found(DOCUMENT, text)) {
                if (!Files.exists(Sources.ROOT.resolve(file))) missing.add(document + ": " + file);
            }
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void every_event_is_described_with_its_fields_and_no_other_is() throws IOException {
        var source = Files.readString(Sources.MILLRACE.resolve("loop/FlightEvents.java"));
        var described = rows("operations.md", "## Flight recorder events").stream()
                .map(List::getFirst)
                .toList();
        var events = found(Pattern.compile("@Name\\(\"([\\w.]+)\"\\)"), source);
        assertEquals(events.stream().map(name -> "`" + name + "`").toList(), described);
        var text = Files.readString(Sources.ROOT.resolve("docs/operations.md"));
        for (var field : found(Pattern.compile("private final \\w+ (\\w+);"), source)) {
            assertTrue(text.contains("`" + field + "`"), field);
        }
    }

    /// In this module, or in those for HTTP, the proxy and tests.
    private static boolean isThere(String file) {
        var http = Sources.ROOT.resolve("http/src/main/java/io/millrace");
        var proxy = Sources.ROOT.resolve("proxy/src/main/java/io/millrace");
        var simulation = Sources.ROOT.resolve("test-kit/src/sim/java/io/millrace");
        return Stream.of(Sources.MILLRACE, http, http.resolve("http"), proxy, proxy.resolve("proxy"), simulation)
                .anyMatch(folder -> Files.exists(folder.resolve(file + ".java")));
    }

    private static List<java.nio.file.Path> documents() throws IOException {
        try (var files = Files.walk(Sources.ROOT.resolve("docs"))) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /// The cells of the first table below a heading, without its header.
    private static List<List<String>> rows(String document, String heading) throws IOException {
        var lines = Files.readAllLines(Sources.ROOT.resolve("docs").resolve(document));
        int begin = lines.indexOf(heading);
        assertTrue(begin >= 0, document + " has no heading " + heading);
        return lines.subList(begin, lines.size()).stream()
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .map(DocsTest::cells)
                .toList();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1).split("\\|", -1))
                .map(String::strip)
                .toList();
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
