package io.millrace.lab;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.lab.process.CpuOfOthers;
import io.millrace.lab.process.ProcessMeter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/// Watches what other processes of the machine do while a server has its turn.
final class Neighbours {
    /// Of a core; less than that is the kernel's own business.
    private static final double TOLERATED_CORES = 0.1;

    private final List<ProcessMeter> helpers;
    private final OperatingSystemMXBean lab = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private CpuOfOthers others = CpuOfOthers.start();
    private long oursBeforeNanos;
    private int turns;
    private int disturbed;
    private double mostCores;

    /// @param helpers the lab's own processes, which work in every turn
    Neighbours(List<ProcessMeter> helpers) {
        this.helpers = List.copyOf(helpers);
    }

    /// Before a turn.
    void look(ProcessMeter server) throws IOException {
        oursBeforeNanos = ours(server);
        others = CpuOfOthers.start();
    }

    /// After it.
    void lookAgain(ProcessMeter server) throws IOException {
        double cores = others.coresUsedSince(ours(server) - oursBeforeNanos);
        turns++;
        if (cores > TOLERATED_CORES) disturbed++;
        mostCores = Math.max(mostCores, cores);
    }

    private long ours(ProcessMeter server) throws IOException {
        long nanos = server.read().cpuNanos() + lab.getProcessCpuTime();
        for (var helper : helpers) nanos += helper.read().cpuNanos();
        return nanos;
    }

    /// A warning as a sentence, if there is one.
    List<String> warnings() {
        if (disturbed == 0) return List.of();
        return List.of(String.format(
                Locale.ROOT,
                "in %d of %d rounds other processes used more than %.0f %% of a core, at most %.0f %%",
                disturbed,
                turns,
                100 * TOLERATED_CORES,
                100 * mostCores));
    }
}
