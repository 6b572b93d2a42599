package io.millrace.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Slabs that nobody uses. Last in, first out: the slab used last is the one in the processor's cache.
final class FreeList {
    private @Nullable Slab top;
    private int count;

    /// Memory that slabs are carved from.
    static final class Block {
        final SlabPool pool;

        /// Whether its slabs live in the pool's [Reserve] and not with the loop.
        final boolean isOfReserve;

        final int slabs;
        private int free;

        Block(SlabPool pool, boolean isOfReserve, int slabs) {
            this.pool = pool;
            this.isOfReserve = isOfReserve;
            this.slabs = slabs;
        }
    }

    boolean isEmpty() {
        return top == null;
    }

    int count() {
        return count;
    }

    void push(Slab slab) {
        if (slab.owner() != Slab.Owner.POOL || slab.next != null) throw new IllegalStateException(inUse(slab));
        slab.start = 0;
        slab.end = 0;
        slab.next = top;
        top = slab;
        count++;
    }

    private static String inUse(Slab slab) {
        return "a slab of " + slab.owner() + (slab.next == null ? "" : " in a chain")
                + " is not free: it was used by two";
    }

    /// The slab pushed last; the list must not be empty.
    Slab pop() {
        var slab = top;
        assert slab != null;
        top = slab.next;
        slab.next = null;
        count--;
        return slab;
    }

    /// All slabs, linked.
    @Nullable
    Slab takeAll() {
        var all = top;
        top = null;
        count = 0;
        return all;
    }

    /// Cuts a block's memory into slabs.
    void carve(MemorySegment memory, int slabBytes, Block block) {
        for (int i = 0; i < block.slabs; i++) {
            push(new Slab(memory.asSlice((long) i * slabBytes, slabBytes), block));
        }
    }

    /// Forgets the slabs of blocks none of which is in use, but for one such block.
    ///
    /// @return how many slabs were forgotten
    int dropIdleBlocks() {
        for (var slab = top; slab != null; slab = slab.next) block(slab).free = 0;
        for (var slab = top; slab != null; slab = slab.next) block(slab).free++;
        int before = count;
        Block spared = null;
        for (var slab = takeAll(); slab != null; ) {
            var next = slab.next;
            var block = block(slab);
            slab.next = null;
            boolean isIdle = block.free == block.slabs;
            if (isIdle && spared == null) spared = block;
            if (!isIdle || block.equals(spared)) push(slab);
            slab = next;
        }
        return before - count;
    }

    private static Block block(Slab slab) {
        var block = slab.block;
        assert block != null;
        return block;
    }
}
