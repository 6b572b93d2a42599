package io.millrace.memory;

import io.millrace.bytes.Overflow;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The slabs of one event loop. Used by the loop's thread only; borrowers on other threads use its [Reserve].
///
/// Slabs come in two sizes: a *large* one receives from the network and takes bulk, a *small* one holds the few
/// bytes of an unfinished frame or a short answer, so that a peer which sends one byte and waits pins 2 KiB and
/// not 64. They are carved from blocks; each block has an automatic arena of its own that nobody closes, so a
/// reference kept after shutdown cannot crash the JVM and a peak shrinks again ([#trim]).
///
/// ```
///   carved = free here + free in the reserve + out;   out is 0 when the loop has closed all its connections
///   bytes out: <= 3/4 cap: everything · <= 7/8: no accepting · <= cap: no receiving · above: Overflow for the writer
/// ```
public final class SlabPool extends SlabSource {
    /// Bytes in a large slab: what one system call receives at most, as much as a socket buffer usually has.
    public static final int LARGE = 64 << 10;

    /// Bytes in a small slab.
    public static final int SMALL = 2 << 10;

    private static final int BLOCK = 1 << 20;

    private final long capBytes;
    private final boolean pooled;
    private final Reserve reserve = new Reserve(this);

    /// Memory of all blocks; the reserve adds to it from other threads.
    private final AtomicLong blockBytes = new AtomicLong();

    private final AtomicLong carved = new AtomicLong();
    private final FreeList small = new FreeList();
    private final FreeList large = new FreeList();
    private long bytesOut;

    /// @param capBytes the most memory the pool may have
    /// @param pooled   false allocates each slab anew and leaves it to the garbage collector, for comparison
    public SlabPool(long capBytes, boolean pooled) {
        if (capBytes < 4L * BLOCK) {
            throw new IllegalArgumentException(
                    "a cap of " + capBytes + " bytes is too small: give a loop at least 4 MiB");
        }
        this.capBytes = capBytes;
        this.pooled = pooled;
    }

    /// A large, empty slab to receive into, or null when receiving has to wait for memory.
    public @Nullable Slab takeForReceive() {
        if (!mayReceive()) return null;
        if (large.isEmpty()) collect();
        // Blocks of small slabs may have used up the cap, with most of them free.
        if (large.isEmpty() && !hasRoomForBlock()) return null;
        return take(true, Slab.Owner.KERNEL);
    }

    public boolean mayAccept() {
        return bytesOut() <= capBytes / 4 * 3;
    }

    public boolean mayReceive() {
        return bytesOut() <= capBytes / 8 * 7;
    }

    @Override
    Slab take(boolean isLarge, Slab.Owner owner) {
        var free = isLarge ? large : small;
        if (free.isEmpty()) refill(isLarge);
        var slab = free.pop();
        bytesOut += slab.capacity;
        slab.pass(Slab.Owner.POOL, owner);
        return slab;
    }

    @Override
    public void give(Slab slab, Slab.Owner from) {
        var block = slab.block;
        if (block == null) return;
        if (block.pool != this) {
            block.pool.reserve.give(slab, from);
            return;
        }
        slab.pass(from, Slab.Owner.POOL);
        bytesOut -= slab.capacity;
        if (pooled) keep(slab);
        else forget(slab);
    }

    /// Where borrowers on other threads get slabs and give them back.
    public Reserve reserve() {
        return reserve;
    }

    /// Takes back what other threads gave; called by the loop once in a while.
    public void collect() {
        for (var slab = reserve.drain(); slab != null; ) {
            var next = slab.next;
            slab.next = null;
            keep(slab);
            slab = next;
        }
    }

    /// Forgets blocks none of whose slabs is in use, but for one of each size, so that memory of a peak goes back
    /// to the system at the next collection.
    public void trim() {
        small.dropIdleBlocks(this);
        large.dropIdleBlocks(this);
    }

    /// Bytes of slabs in use; approximate while other threads borrow.
    public long bytesOut() {
        return bytesOut + reserve.bytesOut();
    }

    /// Bytes of memory held, in use or free.
    public long bytesHeld() {
        return blockBytes.get();
    }

    public long capBytes() {
        return capBytes;
    }

    /// How many slabs are not in the pool: 0 when every connection is closed and no loan is out.
    public long missing() {
        collect();
        return carved.get() - small.count - large.count;
    }

    private void keep(Slab slab) {
        slab.start = 0;
        slab.end = 0;
        (slab.capacity == LARGE ? large : small).push(slab);
    }

    private void forget(Slab slab) {
        carved.decrementAndGet();
        blockBytes.addAndGet(-slab.capacity);
    }

    private void refill(boolean isLarge) {
        collect();
        var free = isLarge ? large : small;
        if (free.isEmpty()) carve(isLarge, free);
    }

    private boolean hasRoomForBlock() {
        return blockBytes.get() + BLOCK <= capBytes;
    }

    /// Allocates a block and adds its slabs to a list; also called by the reserve, from other threads.
    void carve(boolean isLarge, FreeList to) {
        int slabBytes = isLarge ? LARGE : SMALL;
        int bytes = pooled ? BLOCK : slabBytes;
        if (blockBytes.addAndGet(bytes) > capBytes) {
            blockBytes.addAndGet(-bytes);
            throw new Overflow("the event loop has no memory left under its cap of " + capBytes
                    + " bytes (slabs.bytes): raise it with EventLoops.memory, or let peers read faster");
        }
        var block = new Block(this, Arena.ofAuto().allocate(bytes, 64), bytes / slabBytes);
        for (int i = 0; i < block.slabs; i++) {
            to.push(new Slab(block.memory.asSlice((long) i * slabBytes, slabBytes), block));
        }
        carved.addAndGet(block.slabs);
    }

    /// Memory that slabs are carved from.
    static final class Block {
        final SlabPool pool;
        final MemorySegment memory;
        final int slabs;
        int free;

        Block(SlabPool pool, MemorySegment memory, int slabs) {
            this.pool = pool;
            this.memory = memory;
            this.slabs = slabs;
        }
    }

    /// Last in, first out: the slab used last is the one in the processor's cache.
    static final class FreeList {
        private @Nullable Slab top;
        int count;

        boolean isEmpty() {
            return top == null;
        }

        void push(Slab slab) {
            assert slab.owner() == Slab.Owner.POOL && slab.next == null;
            slab.next = top;
            top = slab;
            count++;
        }

        Slab pop() {
            var slab = top;
            assert slab != null;
            top = slab.next;
            slab.next = null;
            count--;
            return slab;
        }

        @Nullable
        Slab takeAll() {
            var all = top;
            top = null;
            count = 0;
            return all;
        }

        void dropIdleBlocks(SlabPool pool) {
            for (var slab = top; slab != null; slab = slab.next) block(slab).free = 0;
            for (var slab = top; slab != null; slab = slab.next) block(slab).free++;
            Block spared = null;
            for (var slab = takeAll(); slab != null; ) {
                var next = slab.next;
                var block = block(slab);
                slab.next = null;
                if (spared == null && block.free == block.slabs) spared = block;
                if (block.free < block.slabs || block == spared) push(slab);
                else pool.forget(slab);
                slab = next;
            }
        }

        private static Block block(Slab slab) {
            var block = slab.block;
            assert block != null;
            return block;
        }
    }
}
