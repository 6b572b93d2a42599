package io.millrace.os;

/// How much processor time a thread has used, clock_gettime(2): asked by any thread of the process, one at a time, and
/// of no cost to the thread itself. Only while that runs; then the system may know another one by its number.
public final class ThreadClock {
    // The kernel's MAKE_THREAD_CPUCLOCK, which pthread_getcpuclockid(3) hands out.
    private static final int CPUCLOCK_SCHED = 2;
    private static final int CPUCLOCK_PERTHREAD = 4;

    private final Linux linux = new Linux();
    private final int clock;

    /// The clock of the calling thread.
    public ThreadClock() {
        clock = (~linux.gettid() << 3) | CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED;
    }

    /// Nanoseconds; 0 when the kernel does not say.
    public long nanos() {
        return Math.max(0, linux.clockGettime(clock));
    }
}
