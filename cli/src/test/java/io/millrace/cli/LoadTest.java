package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LoadTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String NOWHERE = "127.0.0.1:1";

    @ParameterizedTest
    @ValueSource(
            strings = {"--transport nio", "--transport epoll", "--depth 5", "--rate 1000", "--verify none --loops 2"})
    void counts_messages_and_writes_the_result(String options, @TempDir Path folder) throws Exception {
        var file = folder.resolve("result.json");
        try (var echo = Program.start("echo", "--listen", "127.0.0.1:0");
                var load = load(echo.listening(), "--messages 500 --warm-up 0 --json " + file + " " + options)) {
            var lines = load.rest();
            assertEquals(code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, "summary .* messages/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, " +500 messages came back in .*"), lines::toString);
            assertEquals("", load.err());
            assertTrue(Files.readString(file).contains("\"messages\" : 500,"));
        }
    }

    @Test
    void stages_follow_each_other_and_are_shown_in_a_table_a_csv_file_and_json(@TempDir Path folder) throws Exception {
        var csv = folder.resolve("seconds.csv");
        var json = folder.resolve("result.json");
        var options = "--warm-up 0 --stages 100:1,200:1 --csv " + csv + " --json " + json;
        try (var echo = Program.start("echo", "--listen", "127.0.0.1:0");
                var load = load(echo.listening(), options)) {
            var lines = load.rest();
            assertEquals(code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, "stage 2 of 2: 200 messages/s for 1 s"), lines::toString);
            assertEquals(1, count(lines, " +1 +100 .* 0"), lines::toString);
            assertEquals(1, count(lines, " +2 +200 .* 0"), lines::toString);
        }
        var seconds = Files.readAllLines(csv);
        int columns = seconds.getFirst().split(",", -1).length;
        for (var line : seconds) assertEquals(columns, line.split(",", -1).length, line);
        assertTrue(seconds.stream().anyMatch(line -> line.startsWith("2,")), seconds::toString);
        assertTrue(Files.readString(json).contains("\"stages\""));
    }

    @Test
    void stages_exclude_a_rate_of_their_own() throws Exception {
        try (var load = load(NOWHERE, "--stages 100:1 --rate 5")) {
            assertEquals(2, load.exitCode());
            assertTrue(load.err().contains("--stages sets the rates"), load::err);
        }
    }

    @Test
    void a_signal_ends_it_with_what_it_measured() throws Exception {
        try (var echo = Program.start("echo", "--listen", "127.0.0.1:0");
                var load = load(echo.listening(), "--seconds 1000 --warm-up 0")) {
            load.line();
            load.terminate();
            var lines = load.rest();
            assertEquals(1, count(lines, "summary .*"), lines::toString);
            assertEquals(code(lines), load.exitCode(), load::err);
        }
    }

    @Test
    void a_server_that_goes_away_ends_it_with_1() throws Exception {
        try (var echo = Program.start("echo", "--listen", "127.0.0.1:0");
                var load = load(echo.listening(), "--seconds 1000 --warm-up 0")) {
            load.line();
            echo.terminate();
            assertEquals(1, count(load.rest(), " +50 errors, the first: .*connection \\d+.*"));
            assertEquals(1, load.exitCode(), load::err);
        }
    }

    @Test
    void a_server_that_is_not_there_ends_it_with_1_and_a_sentence() throws Exception {
        try (var load = load(NOWHERE, "")) {
            assertEquals(1, load.exitCode(), load::err);
            assertEquals(List.of(), load.rest());
            assertEquals(1, load.err().lines().count(), load::err);
            assertTrue(load.err().startsWith("millrace load tcp: connection "), load::err);
            assertTrue(load.err().contains(NOWHERE), load::err);
        }
    }

    /// On a busy machine the load generator may be the bottleneck, which is told and ends it with 1.
    static int code(List<String> lines) {
        return lines.stream().anyMatch(line -> line.startsWith("invalid  ")) ? 1 : 0;
    }

    private static Program load(String server, String options) throws Exception {
        return Program.start(("load tcp --to " + server + " " + options).strip().split(" +", -1));
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
