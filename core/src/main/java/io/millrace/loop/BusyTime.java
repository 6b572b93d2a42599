package io.millrace.loop;

import io.millrace.os.ThreadClock;
import org.jspecify.annotations.Nullable;

/// How long a loop has worked, in nanoseconds.
///
/// The time between two waits leaves out the kernel's work inside a wait, which with io_uring is most of the work;
/// the thread's processor time leaves out the time that a handler blocks. So each reading adds the larger growth of
/// the two since the last reading. This costs a turn nothing.
final class BusyTime {
    /// Nanoseconds between waits; written by the loop.
    final Counter betweenWaits = new Counter();

    // Guarded by this.
    private @Nullable ThreadClock clock;
    private long processorNanos;
    private long betweenNanos;
    private long busyNanos;

    /// From now on the calling thread runs the loop.
    synchronized void begin() {
        clock = new ThreadClock();
        processorNanos = clock.nanos();
    }

    /// Any thread.
    synchronized long nanos() {
        long between = betweenWaits.get();
        long processor = clock == null ? processorNanos : Math.max(processorNanos, clock.nanos());
        busyNanos += Math.max(between - betweenNanos, processor - processorNanos);
        betweenNanos = between;
        processorNanos = processor;
        return busyNanos;
    }

    /// The thread ends, and another one may get its id.
    synchronized void end() {
        var _ = nanos();
        clock = null;
    }
}
