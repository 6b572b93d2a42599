package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How long the programs are, each formatted as its ecosystem does: Java by the build (`spotless:check`), Go by
/// `gofmt`.
class LinesTest {
    private static final Path PAGE = Path.of("..", "docs", "side-by-side.md");

    @ParameterizedTest
    @EnumSource
    void ours_is_at_most_a_fifth_longer_than_the_shortest(Row row) throws IOException {
        int shortest = Integer.MAX_VALUE;
        for (var side : row.sides()) shortest = Math.min(shortest, SourceLines.of(row, side));
        int ours = SourceLines.of(row, Side.MILLRACE);
        assertTrue(ours * 10 <= shortest * 12, ours + " lines, and the shortest has " + shortest);
    }

    @Test
    void ours_with_routes_json_and_tests_is_shorter_than_that_of_javalin() throws IOException {
        int ours = SourceLines.of(Row.ROOMS, Side.MILLRACE);
        int javalin = SourceLines.of(Row.ROOMS, Side.JAVALIN);
        assertTrue(ours < javalin, ours + " lines, and Javalin's has " + javalin);
    }

    @ParameterizedTest
    @EnumSource
    void the_page_tells_them(Row row) throws IOException {
        var told = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("|") && line.contains("(" + "#" + row.folder() + ")"))
                .toList();
        assertEquals(1, told.size(), "rows for " + row.folder());
        assertTrue(told.getFirst().endsWith(cells(row)), told.getFirst() + " ends otherwise than" + cells(row));
    }

    private static String cells(Row row) {
        return Stream.of(Side.values()).map(side -> cell(row, side)).collect(Collectors.joining());
    }

    private static String cell(Row row, Side side) {
        try {
            return row.sides().contains(side) ? " " + SourceLines.of(row, side) + " |" : " – |";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_page_shows_ours(Row row) throws IOException {
        var page = folded(Files.readString(PAGE));
        for (var file : row.sources(Side.MILLRACE)) {
            var program = Files.readAllLines(file).stream()
                    .filter(line -> !line.startsWith("package ") && !line.startsWith("import "))
                    .collect(Collectors.joining("\n"));
            assertTrue(page.contains(folded(program)), () -> file + " is not on the page as it is");
        }
    }

    private static String folded(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void every_program_is_linked_from_the_page() throws IOException {
        var page = Files.readString(PAGE);
        for (var row : Row.values()) {
            for (var side : row.sides()) {
                if (side == Side.MILLRACE) continue;
                for (var file : row.sources(side)) {
                    var link = "(../side-by-side/" + file.toString().replace('\\', '/') + ")";
                    assertTrue(page.contains(link), link);
                }
            }
        }
    }

    @Test
    void blank_lines_comments_packages_and_imports_do_not_count() {
        var java = List.of("package a;", "", "import b.C;", "/// Says.", "class D {", "    // why", "    int e;", "}");
        assertEquals(3, SourceLines.of(java));
        var go = List.of("package a", "import (", "\t\"b\"", ")", "// c", "func d() {", "\te(", "\t)", "}");
        assertEquals(4, SourceLines.of(go));
    }
}
