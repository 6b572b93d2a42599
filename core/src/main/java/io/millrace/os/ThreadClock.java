package io.millrace.os;

/// How much processor time a thread has used, clock_gettime(2). Any thread of the process may ask, one at a
/// time, at no cost to the thread itself. Only while that thread lives; after its end the system may reuse its
/// id.
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

    /// Nanoseconds; 0 when the kernel does not tell.
    public long nanos() {
        return Math.max(0, linux.clockGettime(clock));
    }
}
