package io.millrace.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Lines as they arrive, with the time at which they did: those of the log are written by a clock that jumps.
final class DayLog {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

    record Line(long nanos, String text) {}

    /// Guarded by this.
    private final List<Line> lines = new ArrayList<>();

    /// Until the reader ends.
    void readAll(BufferedReader from) {
        try (from) {
            for (var text = from.readLine(); text != null; text = from.readLine()) add(text);
        } catch (IOException _) {
            // Its writer has ended.
        }
    }

    synchronized void add(String text) {
        lines.add(new Line(System.nanoTime(), text));
        notifyAll();
    }

    synchronized List<Line> all() {
        return List.copyOf(lines);
    }

    /// Writes them to a file, each with its second since then.
    void save(Path file, long sinceNanos) throws IOException {
        Files.write(
                file,
                all().stream()
                        .map(line -> "%.3f %s".formatted((line.nanos - sinceNanos) / 1e9, line.text))
                        .toList());
    }

    synchronized int count() {
        return lines.size();
    }

    /// Waits for a line.
    ///
    /// @param from the number of the first that counts
    synchronized String await(int from, Predicate<String> wanted, String what) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (int next = from; ; next++) {
            for (long left = end - System.nanoTime(); next >= lines.size(); left = end - System.nanoTime()) {
                if (left <= 0) throw new AssertionError(what + " does not come: " + lines.subList(from, lines.size()));
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            if (wanted.test(lines.get(next).text)) return lines.get(next).text;
        }
    }
}
