package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the documents say about the code is so.
class DocsTest {
    /// `loop/EventLoop` and the like, as the documents write the files of this module.
    private static final Pattern FILE = Pattern.compile("`((?:[a-z0-9]+/)+[A-Z]\\w*)(?:\\.java)?`");

    private static final Pattern DOCUMENT = Pattern.compile("`(docs/[\\w/.-]+\\.md)`");

    private static final Pattern BLOCK = Pattern.compile("^ *```.*?^ *```", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    /// `Listen.backlog` and the like; of a type in another one, `EventLoops.Setup.stall`, the outer counts.
    private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w+)\\.(?:[A-Z]\\w+\\.)*([a-z]\\w+)");

    /// `timeouts.connect` and the like.
    private static final Pattern KEY = Pattern.compile(
            "`(?:timeouts|health|balance|retries|request-body|forwarding|runtime|dns|rewrite)\\.([a-z-]+)`");

    private static final List<String> MODULES = List.of(
            "core/src/main",
            "http/src/main",
            "acme/src/main",
            "http-jackson/src/main",
            "proxy/src/main",
            "lab/src/main",
            "cli/src/main",
            "test-kit/src");

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

    @Test
    void every_link_leads_to_a_file_and_a_heading_that_exist() throws IOException {
        var broken = new ArrayList<String>();
        for (var page : pages()) {
            for (var link : found(LINK, withoutBlocks(Files.readString(page)))) {
                if (!link.contains("://") && !leads(page, link)) broken.add(page + ": " + link);
            }
        }
        assertEquals(List.of(), broken);
    }

    @Test
    void every_question_has_an_answer_and_a_link() throws IOException {
        var questions = Files.readAllLines(Sources.ROOT.resolve("docs/questions.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| how do I"))
                .toList();
        assertTrue(questions.size() >= 45, () -> questions.size() + " questions");
        for (var question : questions) {
            var cells = cells(question);
            assertEquals(4, cells.size(), question);
            assertTrue(cells.getFirst().endsWith("?") && !cells.get(1).isEmpty(), question);
            assertTrue(LINK.matcher(cells.get(2)).find(), question);
        }
    }

    private static boolean leads(Path page, String link) throws IOException {
        int hash = link.indexOf('#');
        var file = hash < 0 ? link : link.substring(0, hash);
        var target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target)) return false;
        return hash < 0 || anchors(withoutBlocks(Files.readString(target))).contains(link.substring(hash + 1));
    }

    /// As GitHub makes them of headings: in small letters, without punctuation, `-` for each blank.
    private static List<String> anchors(String text) {
        return found(HEADING, text).stream()
                .map(heading -> heading.strip().toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .toList();
    }

    private static String withoutBlocks(String text) {
        return BLOCK.matcher(text).replaceAll("");
    }

    @Test
    void every_member_that_a_document_names_is_in_the_source_of_its_type() throws IOException {
        var missing = new ArrayList<String>();
        var types = types();
        for (var page : pages()) {
            if (isHistory(page)) continue;
            var matcher = MEMBER.matcher(withoutBlocks(Files.readString(page)));
            while (matcher.find()) {
                var source = types.get(matcher.group(1));
                if (source != null && !source.contains(matcher.group(2))) missing.add(page + ": " + matcher.group());
            }
        }
        assertEquals(List.of(), missing);
    }

    /// What is told there was so at its time.
    private static boolean isHistory(Path page) {
        return page.endsWith("CHANGELOG.md") || page.toString().contains("decisions");
    }

    /// The sources of all types, by their simple names.
    private static Map<String, String> types() throws IOException {
        var sources = new HashMap<String, String>();
        for (var module : MODULES) {
            try (var files = Files.walk(Sources.ROOT.resolve(module))) {
                for (var file :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    var name = String.valueOf(file.getFileName()).replace(".java", "");
                    sources.merge(name, Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    @Test
    void every_key_of_the_proxy_that_a_document_names_is_in_the_reference() throws IOException {
        var reference = Files.readString(Sources.ROOT.resolve("docs/proxy-reference.md"));
        var keys = Set.copyOf(found(Pattern.compile("^\\| `([a-z0-9-]+)` \\|", Pattern.MULTILINE), reference));
        assertTrue(keys.contains("max-ejected"), keys.toString());
        var missing = new ArrayList<String>();
        for (var page : documents()) {
            for (var key : found(KEY, Files.readString(page))) {
                if (!keys.contains(key)) missing.add(page + ": " + key);
            }
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void every_metric_is_described_and_no_other_is() throws IOException {
        var name = Pattern.compile("\\b(millrace_[a-z_]+)");
        var described = Set.copyOf(found(name, Files.readString(Sources.ROOT.resolve("docs/operations.md"))));
        var inSources = new TreeSet<String>();
        for (var source : types().values()) {
            for (var metric : found(name, source)) if (!metric.endsWith("_total")) inSources.add(metric);
        }
        assertEquals(inSources, new TreeSet<>(described));
    }

    /// All that people read: the README, the documents, and the notes beside programs.
    private static List<Path> pages() throws IOException {
        var others =
                Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "lab/peers/README.md");
        return Stream.concat(others.map(Sources.ROOT::resolve), documents().stream())
                .toList();
    }

    /// In this module, or in those for HTTP, the proxy and tests.
    private static boolean isThere(String file) {
        var http = Sources.ROOT.resolve("http/src/main/java/io/millrace");
        var proxy = Sources.ROOT.resolve("proxy/src/main/java/io/millrace");
        var simulation = Sources.ROOT.resolve("test-kit/src/sim/java/io/millrace");
        return Stream.of(Sources.MILLRACE, http, http.resolve("http"), proxy, proxy.resolve("proxy"), simulation)
                .anyMatch(folder -> Files.exists(folder.resolve(file + ".java")));
    }

    private static List<Path> documents() throws IOException {
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
