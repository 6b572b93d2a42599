package io.millrace.lab.load;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// A load's time: the system's, or a simulation's.
interface LoadClock {
    LoadClock SYSTEM = new LoadClock() {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long cpuNanos() {
            return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : 0;
        }

        @Override
        public boolean passesWhileSpinning() {
            return true;
        }
    };

    /// As `System.nanoTime()`: only differences mean something.
    long nanos();

    /// CPU time of the calling thread.
    long cpuNanos();

    /// Whether time goes on while a loop does nothing but turn.
    boolean passesWhileSpinning();
}
