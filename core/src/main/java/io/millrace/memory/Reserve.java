package io.millrace.memory;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The part of a pool that other threads draw from while they hold a loan, and through which slabs that end on
/// another loop come home. Any thread; the lock is held for a few instructions and never by user code, and the
/// loop itself only tries it.
public final class Reserve extends SlabSource {
    private final SlabPool pool;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock.
    private final SlabPool.FreeList small = new SlabPool.FreeList();

    /// Guarded by the lock.
    private final SlabPool.FreeList large = new SlabPool.FreeList();

    /// Bytes taken here less bytes given here, so negative when slabs of the loop come home; written under the
    /// lock.
    private volatile long bytesOut;

    Reserve(SlabPool pool) {
        this.pool = pool;
    }

    @Override
    Slab take(boolean isLarge, Slab.Owner owner) {
        lock.lock();
        try {
            var free = isLarge ? large : small;
            if (free.isEmpty()) pool.carve(isLarge, free);
            var slab = free.pop();
            slab.start = 0;
            slab.end = 0;
            slab.pass(Slab.Owner.POOL, owner);
            add(slab.capacity);
            return slab;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void give(Slab slab, Slab.Owner from) {
        var block = slab.block;
        if (block == null) return;
        if (block.pool != pool) {
            block.pool.reserve().give(slab, from);
            return;
        }
        lock.lock();
        try {
            slab.pass(from, Slab.Owner.POOL);
            add(-slab.capacity);
            (slab.capacity == SlabPool.LARGE ? large : small).push(slab);
        } finally {
            lock.unlock();
        }
    }

    /// What was given, linked; null when nothing was or another thread is busy here.
    @Nullable
    Slab drain() {
        if (small.count + large.count == 0 || !lock.tryLock()) return null;
        try {
            var all = large.takeAll();
            if (all == null) return small.takeAll();
            var last = all;
            while (last.next != null) last = last.next;
            last.next = small.takeAll();
            return all;
        } finally {
            lock.unlock();
        }
    }

    long bytesOut() {
        return bytesOut;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock; volatile for its readers
    private void add(int bytes) {
        bytesOut += bytes;
    }
}
