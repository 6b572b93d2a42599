package io.millrace.loop;

import io.millrace.memory.SlabPool;

/// Slowly gives back a peak's memory: what was not needed for ten seconds. An idle loop is woken for this two or
/// three times, and then no more. Belongs to the loop's thread.
final class MemoryUpkeep extends TimerWheel.WheelTimer {
    private static final long INTERVAL_NANOS = 10_000_000_000L;

    private final EventLoop loop;
    private final SlabPool pool;
    private long shortages;

    MemoryUpkeep(EventLoop loop) {
        this.loop = loop;
        this.pool = loop.pool();
    }

    void endOfTurn() {
        if (!isScheduled() && pool.mayBeTrimmed()) later();
        if (pool.shortages() == shortages) return;
        shortages = pool.shortages();
        CoreGuards.DIRECT_MEMORY.acted(loop.name(), SlabPool.SHORTAGE);
    }

    @Override
    protected void fire() {
        if (pool.trimUnused()) later();
    }

    private void later() {
        loop.timers().schedule(this, loop.nowNanos() + INTERVAL_NANOS);
    }
}
