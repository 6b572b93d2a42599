package io.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The system limits that a server meets first, from Linux's `/proc`; empty elsewhere.
final class LimitOptions {
    private static final Path PROCESS = Path.of("/proc/self/limits");
    private static final Path SOMAXCONN = Path.of("/proc/sys/net/core/somaxconn");
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files\\s+(\\S+)\\s+(\\S+)\\s.*");

    /// The backlog that listeners ask for.
    private static final int BACKLOG = 4096;

    private static final int FEW_FILES = 10_000;

    private LimitOptions() {}

    /// The values of `ulimit -Sn` and `ulimit -Hn`: a number, or `unlimited`. The JVM raises its own soft limit
    /// to the hard one.
    record OpenFiles(String soft, String hard) {
        static Optional<OpenFiles> in(List<String> lines) {
            return lines.stream()
                    .map(OPEN_FILES::matcher)
                    .filter(line -> line.matches())
                    .findFirst()
                    .map(line -> new OpenFiles(line.group(1), line.group(2)));
        }

        Optional<String> remedy() {
            if (soft.equals("unlimited") || Integer.parseInt(soft) >= FEW_FILES) return Optional.empty();
            return Optional.of("'ulimit -n' is " + soft + ", and each connection needs an open file, a proxied one two:"
                    + " raise it to " + FEW_FILES + " or more");
        }

        @Override
        public String toString() {
            return "soft " + soft + ", hard " + hard + " (ulimit -n)";
        }
    }

    static Optional<OpenFiles> openFiles() {
        return OpenFiles.in(lines(PROCESS));
    }

    /// The longest queue of connections not yet accepted.
    static Optional<Integer> somaxconn() {
        return lines(SOMAXCONN).stream().findFirst().map(Integer::valueOf);
    }

    static Optional<String> backlogRemedy(int somaxconn) {
        if (somaxconn >= BACKLOG) return Optional.empty();
        return Optional.of("the kernel queues " + somaxconn + " connections where listeners ask for " + BACKLOG
                + ": sysctl -w net.core.somaxconn=" + BACKLOG);
    }

    /// Whether all processors have AES instructions.
    static Optional<Boolean> hasAesInstructions() {
        var flags = lines(PROCESSORS).stream()
                .filter(line -> line.startsWith("flags") || line.startsWith("Features"))
                .toList();
        if (flags.isEmpty()) return Optional.empty();
        return Optional.of(flags.stream().allMatch(line -> (line + " ").contains(" aes ")));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException _) {
            return List.of();
        }
    }
}
