package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Published attacks on HTTP/2, and the tests for each: `src/test/resources/http2/attacks.txt`.
class AttackListTest {
    private static final Path LIST = Path.of("src/test/resources/http2/attacks.txt");
    private static final List<Path> TESTS = List.of(Path.of("src/test/java"), Path.of("../proxy/src/test/java"));

    @Test
    void each_attack_has_a_test() throws IOException {
        var missing = new TreeSet<String>();
        for (var line : Files.readAllLines(LIST)) {
            var parts = line.split(" \\| ", -1);
            assertEquals(2, parts.length, line);
            for (var test : parts[1].split(", ", -1)) if (!isTest(test)) missing.add(test);
        }
        assertEquals(Set.of(), missing);
    }

    private static boolean isTest(String test) throws IOException {
        var names = test.split("#", -1);
        var sources = new ArrayList<Path>();
        for (var folder : TESTS) {
            try (var files = Files.walk(folder)) {
                files.filter(file -> file.endsWith(names[0] + ".java")).forEach(sources::add);
            }
        }
        assertTrue(sources.size() <= 1, () -> "several: " + sources);
        return sources.size() == 1 && Files.readString(sources.getFirst()).contains("void " + names[1] + "(");
    }

    @Test
    void each_attack_that_is_run_is_in_the_list() throws IOException {
        var listed = Files.readAllLines(LIST).stream()
                .flatMap(line -> Stream.of(line.split(" \\| ", -1)[0].split(" ", -1)))
                .collect(Collectors.toSet());
        for (var attack : Attack.values())
            assertTrue(attack.published.isEmpty() || listed.contains(attack.published), attack::toString);
    }
}
