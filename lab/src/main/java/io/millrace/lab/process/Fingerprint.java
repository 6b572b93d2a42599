package io.millrace.lab.process;

import io.millrace.lab.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

/// The description of the machine in a result.
public final class Fingerprint {
    private static final String UNKNOWN = "unknown";

    private Fingerprint() {}

    /// Takes it now; what the system does not report is "unknown".
    public static Machine take(List<String> warnings) {
        return take(Path.of("/"), warnings);
    }

    /// @param root of a system: where its `proc` and `sys` are
    static Machine take(Path root, List<String> warnings) {
        return new Machine(
                cpu(Proc.read(root.resolve("proc/cpuinfo"))),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                orUnknown(Proc.read(root.resolve("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))),
                mitigations(root.resolve("sys/devices/system/cpu/vulnerabilities")),
                load(Proc.read(root.resolve("proc/loadavg"))),
                OffsetDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .toString(),
                warnings);
    }

    private static String cpu(String cpuinfo) {
        return cpuinfo.lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(UNKNOWN);
    }

    /// Those that change something, one after the other: `spectre_v2: Mitigation: …; …`.
    private static String mitigations(Path folder) {
        try (var files = Files.list(folder)) {
            var those = files.sorted()
                    .map(file -> file.getFileName() + ": " + Proc.read(file).strip())
                    .filter(line -> !line.endsWith(": Not affected") && !line.endsWith(": "))
                    .collect(Collectors.joining("; "));
            return those.isEmpty() ? "none" : those;
        } catch (IOException silent) {
            return UNKNOWN;
        }
    }

    private static double load(String loadavg) {
        var first = loadavg.split(" ", 2)[0];
        return first.isEmpty() ? -1 : Double.parseDouble(first);
    }

    private static String orUnknown(String text) {
        return text.isBlank() ? UNKNOWN : text.strip();
    }
}
