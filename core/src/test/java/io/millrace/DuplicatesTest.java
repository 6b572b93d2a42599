package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What the main code of all modules says, it says once: no [#MOST] + 1 lines follow each other in two places. Programs
/// that show something count too, and so does whatever else is no test and no benchmark.
class DuplicatesTest {
    /// So many equal lines may be chance: overrides of one interface, an array's end.
    private static final int MOST = 5;

    private static final List<String> NO_MAIN_CODE = List.of("test", "jmh");

    /// Lines in which nothing is said that could be said elsewhere.
    private static final Pattern SAYS_NOTHING = Pattern.compile("|//.*|/\\*.*|import .*|package .*|[{}()\\[\\];,]+");

    /// Read once.
    private static final List<List<Line>> FILES = files();

    /// A line that says something.
    ///
    /// @param number counted from 1
    private record Line(Path file, int number, String text) {
        @Override
        public String toString() {
            return file + ":" + number;
        }
    }

    @Test
    void no_six_lines_stand_in_two_places() {
        assertEquals(List.of(), duplicates(FILES), "give what both say a name of its own");
    }

    @Test
    void the_code_of_all_modules_is_read() {
        var names =
                FILES.stream().map(lines -> lines.getFirst().file().toString()).toList();
        for (var name : List.of(
                "core/src/main/java/io/millrace/Tcp.java",
                "http/src/shared/java/io/millrace/http/memory/MemoryStream.java",
                "test-kit/src/sim/java/io/millrace/sim/Simulation.java",
                "examples/src/main/java/io/millrace/examples/Echo.java")) {
            assertTrue(names.contains(name), name);
        }
    }

    @Test
    void both_places_are_named_and_how_long_the_run_is() {
        var one =
                lines("One.java", "int a;", "b();", "c();", "// why", "d();", "", "e();", "}", "f();", "g();", "h();");
        var other = lines("Other.java", "x();", "b();", "c();", "d();", "e();", "f();", "/// of g", "  g();", "y();");
        assertEquals(List.of("6 lines: One.java:2 and Other.java:2"), duplicates(List.of(one, other)));
    }

    @Test
    void a_file_may_not_repeat_itself_either() {
        var twice = lines("A.java", "a", "b", "c", "d", "e", "f", "between", "a", "b", "c", "d", "e", "f");
        assertEquals(List.of("6 lines: A.java:1 and A.java:8"), duplicates(List.of(twice)));
    }

    @Test
    void five_lines_and_lines_that_say_nothing_are_no_duplicate() {
        var one = lines("One.java", "import a;", "import b;", "a", "}", "}", "b", "c", "d", "e", "// f", "one");
        var other = lines("Other.java", "import a;", "import b;", "a", "}", "}", "b", "c", "d", "e", "// f", "other");
        assertEquals(List.of(), duplicates(List.of(one, other)));
    }

    /// Of each file, the lines that say something; none that says nothing at all.
    private static List<List<Line>> files() {
        var all = new ArrayList<List<Line>>();
        try {
            for (var module : Sources.modules()) addFiles(module, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static void addFiles(Path module, List<List<Line>> all) throws IOException {
        try (var files = Files.walk(module.resolve("src"))) {
            for (var file : files.filter(DuplicatesTest::isMainCode).sorted().toList()) {
                var text = Files.readString(file).split("\n", -1);
                var lines = lines(Sources.ROOT.relativize(file).toString(), text);
                if (!lines.isEmpty()) all.add(lines);
            }
        }
    }

    private static boolean isMainCode(Path file) {
        var path = Sources.ROOT.relativize(file);
        return path.toString().endsWith(".java")
                && !NO_MAIN_CODE.contains(path.getName(2).toString());
    }

    private static List<Line> lines(String file, String... text) {
        var lines = new ArrayList<Line>();
        for (int i = 0; i < text.length; i++) {
            var line = text[i].strip();
            if (!SAYS_NOTHING.matcher(line).matches()) lines.add(new Line(Path.of(file), i + 1, line));
        }
        return lines;
    }

    /// The pairs of places, each once, with the length of what they share.
    private static List<String> duplicates(List<List<Line>> files) {
        var places = new HashMap<List<String>, List<Place>>();
        var found = new ArrayList<String>();
        for (var lines : files) {
            for (int from = 0; from + MOST < lines.size(); from++) {
                var here = new Place(lines, from);
                var same = places.computeIfAbsent(here.run(), _ -> new ArrayList<>());
                for (var there : same) if (there.beginsWith(here)) found.add(there.and(here));
                same.add(here);
            }
        }
        return found;
    }

    private record Place(List<Line> lines, int from) {
        List<String> run() {
            return lines.subList(from, from + MOST + 1).stream().map(Line::text).toList();
        }

        /// Whether what it shares with a later place begins with the two, and is not one place that overlaps itself.
        boolean beginsWith(Place later) {
            var file = lines.getFirst().file();
            boolean isOne = file.equals(later.lines.getFirst().file()) && later.from - from <= MOST;
            return !isOne && !isSame(later, -1);
        }

        private boolean isSame(Place later, int offset) {
            int here = from + offset;
            int there = later.from + offset;
            if (here < 0 || there < 0 || here >= lines.size() || there >= later.lines.size()) return false;
            return lines.get(here).text().equals(later.lines.get(there).text());
        }

        String and(Place later) {
            int count = MOST + 1;
            while (isSame(later, count)) count++;
            return count + " lines: " + lines.get(from) + " and " + later.lines.get(later.from);
        }
    }
}
