package io.millrace.lab.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Reads from `/proc` what a process and its descendants use. Figures never fall: threads and children that have
/// ended keep the last that were read, and where the kernel's sum, which knows also those that came and went
/// between two readings, is higher, it counts. Its steps are 10 ms; those of threads that run are finer. Any
/// thread may read.
public final class ProcessMeter {
    private final long pid;
    /// By process. Guarded by this.
    private final Map<Long, ProcessFigures> known = new HashMap<>();
    /// What children used that had ended before the first reading.
    private final long endedBeforeNanos;
    /// Guarded by this.
    private long endedSinceNanos;
    /// Guarded by this.
    private long cpuNanos;

    private ProcessMeter(long pid) {
        this.pid = pid;
        this.endedBeforeNanos = cpuNanosOfEnded(processes());
    }

    /// A meter for a process. Its first figures are those since the process began.
    public static ProcessMeter of(long pid) {
        var meter = new ProcessMeter(pid);
        meter.read();
        return meter;
    }

    /// Takes a millisecond or so. Where there is no `/proc`, all figures are 0.
    public synchronized Usage read() {
        var alive = processes();
        for (var process : alive) {
            known.computeIfAbsent(process.pid(), any -> new ProcessFigures()).read(process);
        }
        long atNanos = System.nanoTime();
        endedSinceNanos = Math.max(endedSinceNanos, cpuNanosOfEnded(alive) - endedBeforeNanos);
        cpuNanos = Math.max(cpuNanos, sumOfCpu(alive));
        return new Usage(
                atNanos,
                cpuNanos,
                known.values().stream()
                        .mapToLong(ProcessFigures::contextSwitches)
                        .sum(),
                alive.stream().mapToLong(Proc::residentBytes).sum());
    }

    private List<Proc> processes() {
        return ProcessHandle.of(pid).stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .map(Proc::of)
                .toList();
    }

    private static long cpuNanosOfEnded(List<Proc> parents) {
        return parents.stream().mapToLong(Proc::cpuNanosOfEndedChildren).sum();
    }

    /// Children that have ended are known from their last reading, or from the parent that waited for them, or
    /// both.
    private long sumOfCpu(List<Proc> alive) {
        Set<Long> pids = new HashSet<>();
        alive.forEach(process -> pids.add(process.pid()));
        long ofAlive = 0;
        long ofEnded = 0;
        for (var process : known.entrySet()) {
            long nanos = process.getValue().cpuNanos();
            if (pids.contains(process.getKey())) {
                ofAlive += nanos;
            } else {
                ofEnded += nanos;
            }
        }
        return ofAlive + Math.max(ofEnded, endedSinceNanos);
    }
}
