package io.millrace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/// What Linux tells of processes, proc(5).
final class Proc {
    private static final Path ROOT = Path.of("/proc");

    private Proc() {}

    /// Skips the test where there is no such file system.
    static void assumeIsThere() {
        Assumptions.assumeTrue(Files.isDirectory(ROOT.resolve("self/fd")), "there is no /proc here");
    }

    /// Skips the test where a process may not have so many descriptors. A JVM takes as many as it may.
    static void assumeDescriptors(int count) throws IOException {
        assumeIsThere();
        var limit = line(ROOT.resolve("self/limits"), "Max open files");
        var words = limit.strip().split(" +", -1);
        boolean isEnough = words[1].equals("unlimited") || Long.parseLong(words[1]) >= count;
        Assumptions.assumeTrue(isEnough, count + " descriptors are needed, and there are " + limit);
    }

    /// How many descriptors this process has.
    static long descriptors() {
        try (Stream<Path> open = Files.list(ROOT.resolve("self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Processor time of a thread of this process, found by its name.
    static long processorNanos(String thread) throws IOException {
        try (Stream<Path> all = Files.list(ROOT.resolve("self/task"))) {
            for (var task : all.toList()) {
                if (!nameOf(task).equals(thread)) continue;
                var schedule = Files.readString(task.resolve("schedstat"));
                return Long.parseLong(schedule.substring(0, schedule.indexOf(' ')));
            }
            throw new IOException("there is no thread " + thread);
        }
    }

    /// Empty where the thread has ended since it was listed, which others of the JVM do at any time.
    private static String nameOf(Path task) {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (IOException ended) {
            return "";
        }
    }

    /// Memory of a process that is its own, without files and shared memory.
    static long residentBytes(ProcessHandle process) throws IOException {
        var kibibytes =
                line(ROOT.resolve(process.pid() + "/status"), "RssAnon:").strip();
        return Long.parseLong(kibibytes.substring(0, kibibytes.indexOf(' '))) << 10;
    }

    /// What follows in the line that begins so.
    private static String line(Path file, String beginning) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(beginning))
                    .findFirst()
                    .orElseThrow(() -> new IOException(file + " has no line '" + beginning + "'"))
                    .substring(beginning.length());
        }
    }
}
