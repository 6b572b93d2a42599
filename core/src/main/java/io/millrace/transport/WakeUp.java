package io.millrace.transport;

import io.millrace.os.Linux;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/// An eventfd(2) through which other threads end a loop's wait. It is watched for edges and never read: each
/// write is an edge of its own.
///
/// A thread that adds a task wakes the loop afterwards, and by then the loop may have run it and ended. So the
/// last user of the eventfd closes it, and no thread writes to a descriptor that has been reused.
final class WakeUp {
    private static final int NOBODY_WAKES = Integer.MIN_VALUE;
    private static final int CLOSED = Integer.MIN_VALUE / 2;

    final int fd;

    private final Linux linux;

    /// How many threads are about to write to the eventfd; below zero when it is closed. Any thread.
    private final AtomicInteger wakers = new AtomicInteger();

    WakeUp(Linux linux) throws IOException {
        this.linux = linux;
        fd = LinuxSockets.checked(linux.eventfd(), "cannot create an eventfd");
    }

    /// Any thread.
    void wake() {
        if (wakers.incrementAndGet() > 0) Linux.eventfdWrite(fd);
        wakers.decrementAndGet();
        closeWhenUnused();
    }

    void close() {
        wakers.addAndGet(NOBODY_WAKES);
        closeWhenUnused();
    }

    private void closeWhenUnused() {
        if (wakers.compareAndSet(NOBODY_WAKES, CLOSED)) linux.close(fd);
    }
}
