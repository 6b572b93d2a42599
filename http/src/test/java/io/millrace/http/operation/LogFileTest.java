package io.millrace.http.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Lines from many threads on their way to a file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogFileTest {
    @TempDir
    Path folder;

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void lines_of_many_threads_are_whole_and_in_the_order_of_each() throws Exception {
        var path = folder.resolve("log");
        try (var file = new LogFile(Optional.of(path), 64 << 20)) {
            var threads = new ArrayList<Thread>();
            for (int t = 0; t < 4; t++) {
                int thread = t;
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 20_000; i++) file.write(line(thread + " " + i));
                }));
            }
            for (var thread : threads) thread.join();
            assertEquals(0, file.dropped());
        }
        var next = new HashMap<String, Integer>();
        for (var line : Files.readAllLines(path)) {
            var parts = line.split(" ", -1);
            assertEquals(next.getOrDefault(parts[0], 0), Integer.parseInt(parts[1]), line);
            next.merge(parts[0], 1, Integer::sum);
        }
        assertEquals(80_000, next.values().stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void what_waits_is_bounded_and_the_rest_is_counted() throws Exception {
        var path = folder.resolve("log");
        long dropped;
        try (var file = new LogFile(Optional.of(path), 1000)) {
            // A line that is longer than all that may wait never fits.
            file.write(line("x".repeat(1000)));
            for (int i = 0; i < 50; i++) file.write(line("y".repeat(99)));
            file.flush();
            dropped = file.dropped();
        }
        assertTrue(dropped >= 1, "dropped " + dropped);
        var lines = Files.readAllLines(path);
        assertEquals(51, lines.size() + dropped);
        for (var line : lines) assertEquals("y".repeat(99), line);
    }

    @Test
    void a_line_that_comes_while_the_file_closes_is_written_or_counted() throws Exception {
        for (int round = 0; round < 300; round++) {
            var path = folder.resolve("log" + round);
            var file = new LogFile(Optional.of(path), 1 << 20);
            var isOver = new AtomicBoolean();
            var given = new LongAdder();
            var threads = new ArrayList<Thread>();
            for (int t = 0; t < 4; t++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    do {
                        file.write(line("x"));
                        given.increment();
                    } while (!isOver.get());
                }));
            }
            file.close();
            isOver.set(true);
            for (var thread : threads) thread.join();
            assertEquals(given.sum(), Files.size(path) / 2 + file.dropped(), "round " + round);
            Files.delete(path);
        }
    }

    @Test
    void a_lone_line_is_written_without_anything_else_happening() throws Exception {
        var path = folder.resolve("log");
        try (var file = new LogFile(Optional.of(path), 1000)) {
            file.write(line("alone"));
            // It takes some 50 ms; the test's limit of time is what fails when it never comes.
            while (Files.size(path) == 0) Waiting.briefly();
            assertEquals("alone\n", Files.readString(path));
        }
    }

    @Test
    void lines_that_the_disk_does_not_take_are_counted() {
        var full = Path.of("/dev/full");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(full), "/dev/full is there");
        try (var file = new LogFile(Optional.of(full), 1 << 20)) {
            file.write(line("one"));
            file.write(line("two"));
            file.flush();
            file.flush();
            while (file.dropped() < 2) Waiting.briefly();
            assertEquals(2, file.dropped());
        }
    }

    @Test
    void long_texts_are_cut() {
        var line = new LogLine().escaped("a".repeat(10_000), " ").end();
        assertEquals(LogLine.MOST_CHARACTERS + 1, line.length);
        assertEquals(
                LogLine.MOST_CHARACTERS + 3,
                new LogLine().json("a".repeat(10_000)).end().length);
    }

    @Test
    void durations_have_three_digits_behind_the_point() {
        assertEquals(
                "0.000 1.001 12.346\n",
                new String(
                        new LogLine()
                                .seconds(1)
                                .text(" ")
                                .seconds(1_000_999_999)
                                .text(" ")
                                .seconds(12_345_678_901L)
                                .end(),
                        StandardCharsets.US_ASCII));
    }
}
