package io.millrace.lab.report;

import java.util.List;

/// How it was measured.
///
/// @param workload as the command calls it
/// @param command the command line that repeats it
/// @param jvmFlags given to every server that is a JVM
/// @param baseline the peer that ratios refer to; several, separated by commas, if each is the baseline of the
///     shapes it takes part in
/// @param serverCores as `taskset` takes them; empty when nothing was pinned
/// @param loadCores likewise, of the load generator
/// @param backend the server behind proxies, and its cores; empty without proxies
/// @param network `loopback` or `1gbit`
public record Method(
        String workload,
        String command,
        String jvmFlags,
        String baseline,
        int rounds,
        double secondsPerRound,
        String serverCores,
        String loadCores,
        String backend,
        String network) {
    List<String> baselines() {
        return List.of(baseline.split(", ", -1));
    }
}
