package io.millrace.lab.process;

import java.nio.file.Path;

/// How many cores other processes of the machine used, which makes figures doubtful. The kernel's interrupt
/// work for the network belongs to no process and is not counted.
public final class CpuOfOthers {
    private static final long TICK_NANOS = 10_000_000;

    private final long startNanos = System.nanoTime();
    private final long busyAtStartNanos = busyNanos(Proc.read(Path.of("/proc/stat")));

    private CpuOfOthers() {}

    public static CpuOfOthers start() {
        return new CpuOfOthers();
    }

    /// On average since the start: 0.5 is half a core. 0 where the system does not tell.
    ///
    /// @param ourCpuNanos what the lab and its children used since the start
    public double coresUsedSince(long ourCpuNanos) {
        long busyNanos = busyNanos(Proc.read(Path.of("/proc/stat"))) - busyAtStartNanos;
        long elapsedNanos = Math.max(1, System.nanoTime() - startNanos);
        return Math.max(0, (double) (busyNanos - ourCpuNanos) / elapsedNanos);
    }

    /// From the line `cpu USER NICE SYSTEM IDLE …`, in ticks.
    static long busyNanos(String stat) {
        if (!stat.startsWith("cpu ")) {
            return 0;
        }
        var fields = stat.lines().findFirst().orElse("").split(" +", -1);
        return (Long.parseLong(fields[1]) + Long.parseLong(fields[2]) + Long.parseLong(fields[3])) * TICK_NANOS;
    }
}
