package io.millrace.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Free slabs of one size, kept in the blocks of memory that they were carved from. The slab used last, which is in
/// the processor's cache, is taken first, from the block that was used up last: so few blocks are in use, and a
/// peak's blocks become idle.
final class FreeBlocks {
    /// Blocks with a free slab.
    private @Nullable Block first;

    private int count;

    /// The fewest free slabs since the last [#dropUnused].
    private int least;

    /// Memory that slabs are carved from.
    static final class Block {
        final SlabPool pool;

        /// Whether its slabs belong to the pool's [Reserve] and not to the loop.
        final boolean isOfReserve;

        private final MemorySegment memory;
        private final int slabs;
        private int free;
        private @Nullable Slab top;
        private @Nullable Block next;

        Block(SlabPool pool, boolean isOfReserve, MemorySegment memory, int slabs) {
            this.pool = pool;
            this.isOfReserve = isOfReserve;
            this.memory = memory;
            this.slabs = slabs;
        }

        private boolean isIdle() {
            return free == slabs;
        }
    }

    boolean isEmpty() {
        return first == null;
    }

    int count() {
        return count;
    }

    /// Adds the slabs of a new block.
    void carve(Block block) {
        long bytes = block.memory.byteSize() / block.slabs;
        for (int i = 0; i < block.slabs; i++) push(new Slab(block.memory.asSlice(i * bytes, bytes), block));
    }

    void push(Slab slab) {
        var block = slab.block;
        if (block == null || slab.owner() != Slab.Owner.POOL || slab.next != null) {
            throw new IllegalStateException("a slab in use by " + slab.owner() + " was given back");
        }
        if (block.top == null) {
            block.next = first;
            first = block;
        }
        slab.start = 0;
        slab.end = 0;
        slab.next = block.top;
        block.top = slab;
        block.free++;
        count++;
    }

    /// The slab to take; there must be one.
    Slab pop() {
        var block = first;
        var slab = block == null ? null : block.top;
        if (block == null || slab == null) throw new IllegalStateException("no slab is free");
        block.top = slab.next;
        slab.next = null;
        block.free--;
        if (--count < least) least = count;
        if (block.top == null) {
            first = block.next;
            block.next = null;
        }
        return slab;
    }

    /// Drops all idle blocks except one.
    ///
    /// @return how many slabs they had
    int dropIdle() {
        return dropIdle(count, true);
    }

    /// Drops all idle blocks.
    int dropAllIdle() {
        return dropIdle(count, false);
    }

    /// Drops all idle blocks except one of which no slab was needed since the last call.
    ///
    /// @return how many slabs they had
    int dropUnused() {
        int dropped = dropIdle(least, true);
        least = count;
        return dropped;
    }

    /// Whether more slabs are free than the fewest since the last [#dropUnused].
    boolean hasBeenUsed() {
        return least < count;
    }

    private int dropIdle(int most, boolean sparesOne) {
        int dropped = 0;
        boolean hasIdle = !sparesOne;
        Block before = null;
        for (var block = first; block != null; ) {
            var next = block.next;
            if (block.isIdle() && hasIdle && dropped + block.slabs <= most) {
                if (before == null) first = next;
                else before.next = next;
                block.next = null;
                block.top = null;
                BlockMemory.dropped(block.memory);
                dropped += block.slabs;
            } else {
                hasIdle |= block.isIdle();
                before = block;
            }
            block = next;
        }
        count -= dropped;
        least = Math.min(least, count);
        return dropped;
    }
}
