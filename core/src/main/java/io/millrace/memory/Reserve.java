package io.millrace.memory;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The part of a pool that other threads take slabs from during a loan, and through which slabs that end on another
/// loop are returned. Any thread; the lock is held for a few instructions and never by user code, and the loop
/// itself only tries it.
///
/// ```
///   a slab of the reserve: reserve ── take ──► borrower ── output, sent by the loop ──► homeward ──► reserve
///   a slab of the loop:    pool ── receive ──► input, read by a borrower ──► returned ── collect ──► pool
/// ```
/// Each slab belongs where it was carved: if all of them stayed with the loop, which gives back what borrowers
/// wrote, the reserve would have to carve for ever.
public final class Reserve extends SlabSource {
    private final SlabPool pool;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock.
    private final FreeBlocks small = new FreeBlocks();

    /// Guarded by the lock.
    private final FreeBlocks large = new FreeBlocks();

    /// The loop's slabs; guarded by the lock.
    private final FreeList returned = new FreeList();

    /// Whether there are any; written under the lock.
    private volatile boolean hasReturned;

    /// Bytes taken here less bytes given here, so negative when slabs of the loop are returned; written under the
    /// lock.
    private volatile long bytesOut;

    Reserve(SlabPool pool) {
        this.pool = pool;
    }

    @Override
    Slab take(boolean isLarge, Slab.Owner owner) {
        var slab = provided(isLarge, owner);
        if (slab == null) slab = free(!isLarge, owner);
        if (slab == null) throw pool.overflow();
        return slab;
    }

    @Override
    @Nullable
    Slab takeSmall(Slab.Owner owner) {
        return provided(false, owner);
    }

    private @Nullable Slab provided(boolean isLarge, Slab.Owner owner) {
        var slab = free(isLarge, owner);
        while (slab == null && carve(isLarge)) slab = free(isLarge, owner);
        return slab;
    }

    private @Nullable Slab free(boolean isLarge, Slab.Owner owner) {
        lock.lock();
        try {
            var free = freeList(isLarge);
            return free.isEmpty() ? null : out(free.pop(), owner);
        } finally {
            lock.unlock();
        }
    }

    /// Allocating may make the calling thread sleep, which a virtual thread must not do with the lock.
    private boolean carve(boolean isLarge) {
        var block = pool.newBlock(isLarge, true, pool.limitBytes());
        if (block == null) return false;
        lock.lock();
        try {
            freeList(isLarge).carve(block);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private Slab out(Slab slab, Slab.Owner owner) {
        slab.pass(Slab.Owner.POOL, owner);
        add(slab.capacity);
        return slab;
    }

    @Override
    public boolean isTight() {
        return pool.isTight();
    }

    @Override
    public void give(Slab slab, Slab.Owner from) {
        var block = slab.block;
        if (block == null) return;
        if (!pool.isFrom(block)) {
            block.pool.reserve().give(slab, from);
            return;
        }
        lock.lock();
        try {
            slab.pass(from, Slab.Owner.POOL);
            add(-slab.capacity);
            if (!pool.isPooled()) pool.forget(1, slab.capacity);
            else if (block.isOfReserve)
                freeList(slab.capacity == SlabPool.LARGE).push(slab);
            else putAside(slab);
        } finally {
            lock.unlock();
        }
    }

    private void putAside(Slab slab) {
        returned.push(slab);
        hasReturned = true;
    }

    /// The loop's slabs that were given here, linked; null when there are none or another thread has the lock.
    @Nullable
    Slab drain() {
        if (!hasReturned || !lock.tryLock()) return null;
        try {
            hasReturned = false;
            return returned.takeAll();
        } finally {
            lock.unlock();
        }
    }

    /// Takes slabs of this reserve that came back to the loop, unless another thread has the lock.
    void takeBack(FreeList homeward) {
        if (!lock.tryLock()) return;
        try {
            while (!homeward.isEmpty()) {
                var slab = homeward.pop();
                freeList(slab.capacity == SlabPool.LARGE).push(slab);
            }
        } finally {
            lock.unlock();
        }
    }

    /// See [SlabPool#trim].
    void trim() {
        if (!lock.tryLock()) return;
        try {
            pool.forget(small.dropIdle(), SlabPool.SMALL);
            pool.forget(large.dropIdle(), SlabPool.LARGE);
        } finally {
            lock.unlock();
        }
    }

    /// See [SlabPool#release].
    void release() {
        lock.lock();
        try {
            pool.forget(small.dropAllIdle(), SlabPool.SMALL);
            pool.forget(large.dropAllIdle(), SlabPool.LARGE);
        } finally {
            lock.unlock();
        }
    }

    /// See [SlabPool#trimUnused].
    boolean trimUnused() {
        if (!lock.tryLock()) return true;
        try {
            boolean wasUsed = small.hasBeenUsed() || large.hasBeenUsed();
            pool.forget(small.dropUnused(), SlabPool.SMALL);
            pool.forget(large.dropUnused(), SlabPool.LARGE);
            return wasUsed;
        } finally {
            lock.unlock();
        }
    }

    long bytesOut() {
        return bytesOut;
    }

    /// How many slabs are here.
    long count() {
        lock.lock();
        try {
            return (long) small.count() + large.count() + returned.count();
        } finally {
            lock.unlock();
        }
    }

    private FreeBlocks freeList(boolean isLarge) {
        return isLarge ? large : small;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock; volatile for its readers
    private void add(int bytes) {
        bytesOut += bytes;
    }
}
