package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the README and the documents show is what the examples compile, and mostly run: each Java block stands in a
/// source file of this module, or of the programs side by side. What cannot run, because it names fixed ports and
/// hosts, is in [GuideFragments].
class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

    /// Blocks that nothing compiles, and why.
    private static final Map<String, String> NOT_COMPILED = Map.of(
            "AmazonCorrettoCryptoProvider.install();", "is of a library that no module of the project depends on");

    static List<Path> pages() throws IOException {
        try (var docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                            docs.filter(file -> file.toString().endsWith(".md")).sorted())
                    .filter(page -> !blocks(page).isEmpty())
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void every_java_block_stands_in_an_example(Path page) throws IOException {
        var sources = sources();
        var missing = new ArrayList<String>();
        for (var block : blocks(page)) {
            if (!NOT_COMPILED.containsKey(block.strip()) && !sources.contains(folded(block))) missing.add(block);
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void what_is_not_compiled_is_still_shown() throws IOException {
        var shown = pages().stream()
                .flatMap(page -> blocks(page).stream().map(String::strip))
                .toList();
        for (var block : NOT_COMPILED.keySet()) assertTrue(shown.contains(block), block);
    }

    private static List<String> blocks(Path page) {
        return BLOCK.matcher(read(page)).results().map(block -> block.group(1)).toList();
    }

    private static String sources() throws IOException {
        try (var files = Files.walk(Path.of("src"));
                var sideBySide = Files.walk(ROOT.resolve("side-by-side").resolve("src"))) {
            return Stream.concat(files, sideBySide)
                    .filter(file -> file.toString().endsWith(".java"))
                    .map(file -> folded(read(file)))
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String folded(String text) {
        return text.replaceAll("\\s+", "");
    }
}
