package io.millrace.loop;

import io.millrace.os.ThreadClock;
import org.jspecify.annotations.Nullable;

/// How long a loop has worked.
///
/// The time between two waits leaves out what the kernel does for it inside of a wait, which through io_uring is most
/// of the work; the processor time of its thread leaves out what a handler blocks. So each look takes the larger of
/// what the two have grown by since the look before. A turn pays nothing for it.
final class BusyTime {
    /// Between the waits; by the loop.
    final Counter betweenWaits = new Counter();

    // Guarded by this.
    private @Nullable ThreadClock clock;
    private long processorNanos;
    private long betweenNanos;
    private long busyNanos;

    /// The calling thread turns the loop from now on.
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

    /// The thread ends, and another one may get its number.
    synchronized void end() {
        var _ = nanos();
        clock = null;
    }
}
