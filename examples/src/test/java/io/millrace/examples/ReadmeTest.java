package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What the README and the guide show is what the examples run.
class ReadmeTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void every_java_block_of_the_readme_stands_in_an_example() throws IOException {
        assertQuotes(Path.of("..", "README.md"));
    }

    @Test
    void every_java_block_of_the_guide_stands_in_an_example() throws IOException {
        assertQuotes(Path.of("..", "docs", "guide-protocol.md"));
    }

    @Test
    void every_java_block_of_the_guide_to_http_stands_in_an_example() throws IOException {
        assertQuotes(Path.of("..", "docs", "guide-http.md"));
    }

    @Test
    void every_java_block_of_the_guide_to_testing_stands_in_an_example() throws IOException {
        assertQuotes(Path.of("..", "docs", "guide-testing.md"));
    }

    private static void assertQuotes(Path document) throws IOException {
        var text = Files.readString(document);
        var blocks = BLOCK.matcher(text)
                .results()
                .map(block -> folded(block.group(1)))
                .toList();
        assertFalse(blocks.isEmpty());
        var sources = sources();
        for (var block : blocks) assertTrue(sources.contains(block), block);
    }

    private static String sources() throws IOException {
        try (var files = Files.walk(Path.of("src"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(ReadmeTest::read)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return folded(Files.readString(file));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String folded(String text) {
        return text.replaceAll("\\s+", "");
    }
}
