package io.millrace.loop;

import io.millrace.memory.SlabPool;
import io.millrace.net.LoopCounters;
import java.util.concurrent.atomic.AtomicInteger;

/// What an event loop counts; written by its thread, read by any.
final class LoopTotals {
    final Counter connections = new Counter();

    /// Connections that were given to the loop and that it does not own yet; incremented by any thread.
    final AtomicInteger coming = new AtomicInteger();

    final Counter accepted = new Counter();
    final Counter closed = new Counter();
    final Counter failed = new Counter();
    final Counter turns = new Counter();
    final BusyTime busy = new BusyTime();
    final Counter stalls = new Counter();
    final Counter tasks = new Counter();

    /// How often carried threads resumed or waited, and the calls that they made: while it does not change, one
    /// keeps the loop.
    final Counter steps = new Counter();
    final Counter bytesReceived = new Counter();
    final Counter bytesSent = new Counter();
    final Counter acceptsRefused = new Counter();
    final Counter receivesStarved = new Counter();

    LoopCounters snapshot(String loop, long pendingTasks, long timers, SlabPool pool) {
        return new LoopCounters(
                loop,
                connections.get(),
                accepted.get(),
                closed.get(),
                failed.get(),
                turns.get(),
                busy.nanos(),
                stalls.get(),
                tasks.get(),
                pendingTasks,
                timers,
                bytesReceived.get(),
                bytesSent.get(),
                pool.bytesOut(),
                pool.bytesHeld(),
                acceptsRefused.get(),
                receivesStarved.get());
    }
}
