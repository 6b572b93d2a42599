package io.millrace.lab.process;

import java.util.HashMap;
import java.util.Map;

/// What one process has used, as far as it was seen.
final class ProcessFigures {
    private record Figures(long cpuNanos, long contextSwitches) {}

    private final Map<Long, Figures> threads = new HashMap<>();
    private long ofReusedCpuNanos;
    private long ofReusedContextSwitches;
    private long leastCpuNanos;

    void read(Proc process) {
        for (long thread : process.threads()) {
            var figures = new Figures(process.cpuNanosOf(thread), process.contextSwitchesOf(thread));
            var before = threads.get(thread);
            if (before == null || figures.cpuNanos() >= before.cpuNanos()) {
                threads.put(thread, figures);
            } else if (figures.cpuNanos() > 0) {
                ofReusedCpuNanos += before.cpuNanos();
                ofReusedContextSwitches += before.contextSwitches();
                threads.put(thread, figures);
            }
        }
        leastCpuNanos = Math.max(leastCpuNanos, process.cpuNanos());
    }

    long cpuNanos() {
        long ofThreads = threads.values().stream().mapToLong(Figures::cpuNanos).sum();
        return Math.max(leastCpuNanos, ofReusedCpuNanos + ofThreads);
    }

    long contextSwitches() {
        return ofReusedContextSwitches
                + threads.values().stream().mapToLong(Figures::contextSwitches).sum();
    }
}
