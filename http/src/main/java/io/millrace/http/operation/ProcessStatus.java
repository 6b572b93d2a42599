package io.millrace.http.operation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// The system's figures about this process; on Linux, and empty elsewhere.
public final class ProcessStatus {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern VIRTUAL = Pattern.compile("VmSize:\\s+(\\d+) kB");

    /// The soft limit.
    private static final Pattern MOST_DESCRIPTORS = Pattern.compile("Max open files\\s+(\\d+)\\s.*");

    private ProcessStatus() {}

    /// Resident memory.
    public static OptionalLong residentBytes() {
        return kibibytes(RESIDENT);
    }

    public static OptionalLong virtualBytes() {
        return kibibytes(VIRTUAL);
    }

    private static OptionalLong kibibytes(Pattern line) {
        var count = number(STATUS, line);
        return count.isEmpty() ? count : OptionalLong.of(count.getAsLong() << 10);
    }

    /// Since Linux 6.2 the size of the directory is their number; before, they must be counted.
    public static OptionalLong descriptors() {
        try {
            long told = Files.size(DESCRIPTORS);
            if (told > 0) return OptionalLong.of(told);
            try (var all = Files.list(DESCRIPTORS)) {
                return OptionalLong.of(all.count());
            }
        } catch (IOException | RuntimeException _) {
            return OptionalLong.empty();
        }
    }

    public static OptionalLong mostDescriptors() {
        return number(LIMITS, MOST_DESCRIPTORS);
    }

    private static OptionalLong number(Path file, Pattern line) {
        try (var lines = Files.lines(file)) {
            return lines.map(line::matcher)
                    .filter(found -> found.matches())
                    .mapToLong(found -> Long.parseLong(found.group(1)))
                    .findFirst();
        } catch (IOException | RuntimeException _) {
            return OptionalLong.empty();
        }
    }
}
