package io.millrace.lab.process;

import java.lang.management.ManagementFactory;

/// Uses a CPU.
final class Burn {
    private Burn() {}

    /// Returns when the calling thread has used so much.
    static void cpu(long nanos) {
        var threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + nanos;
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }
}
