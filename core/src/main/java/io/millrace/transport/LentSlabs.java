package io.millrace.transport;

import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.BufferRing;
import io.millrace.os.IoUring;
import io.millrace.os.Linux;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The slabs that wait inside the kernel for something to arrive: the pool's, until a completion names them.
///
/// There are few as long as that suffices, so that a slab is reused while it is in the cache, and a peer that
/// sends much cannot fill many before the loop sees it. Their number doubles whenever the kernel has run out,
/// up to one for each receive and an eighth of the pool's memory.
final class LentSlabs implements AutoCloseable {
    private static final int FIRST = 8;
    private static final int MOST = 64;
    private static final int GROUP = 0;

    private final SlabPool pool;
    private final BufferRing ring;

    /// Indexed by the ids that the kernel uses.
    private final @Nullable Slab[] slabs;

    private final int[] freeIds;
    private int count;
    private int wanted;

    LentSlabs(Linux linux, IoUring uring, SlabPool pool) throws IOException {
        this.pool = pool;
        int most = (int) Math.min(MOST, Long.highestOneBit(pool.capBytes() / 8 / SlabPool.LARGE));
        ring = new BufferRing(linux, uring, most, GROUP);
        slabs = new Slab[most];
        freeIds = new int[most];
        for (int id = 0; id < most; id++) freeIds[id] = id;
        wanted = first();
    }

    int group() {
        return ring.group();
    }

    int count() {
        return count;
    }

    /// Lends as many as are wanted, or as are available.
    void fill() {
        if (count >= wanted) return;
        int before = count;
        for (var slab = pool.lend(); slab != null; slab = count < wanted ? pool.lend() : null) {
            int id = freeIds[slabs.length - count - 1];
            slabs[id] = slab;
            ring.add(id, slab.writeAddress(), slab.capacity());
            count++;
        }
        if (count > before) ring.publish();
    }

    /// Lends more from now on: there were too few for so many receives.
    void wantMore(int receives) {
        wanted = Math.clamp(2L * wanted, first(), Math.clamp(receives, first(), slabs.length));
    }

    private int first() {
        return Math.min(FIRST, slabs.length);
    }

    /// The slab that a completion names: the kernel is done with it.
    Slab take(int id) {
        var slab = slabs[id];
        assert slab != null : "no slab has the id " + id;
        slabs[id] = null;
        count--;
        freeIds[slabs.length - count - 1] = id;
        pool.arrived(slab);
        return slab;
    }

    /// Takes all back. Only while no receive is in progress.
    void takeBack() {
        ring.takeBack(count);
        giveAll();
        wanted = first();
    }

    private void giveAll() {
        for (int id = 0; id < slabs.length; id++) {
            if (slabs[id] != null) pool.give(take(id), Slab.Owner.KERNEL);
        }
    }

    /// Called when no receive is in progress.
    @Override
    public void close() {
        ring.close();
        giveAll();
    }
}
