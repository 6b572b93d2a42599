package io.millrace.memory;

import io.millrace.bytes.Overflow;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The slabs of one event loop. Used by the loop's thread only; borrowers on other threads use its [Reserve].
///
/// Slabs come in two sizes: a *large* one receives from the network and takes bulk, a *small* one holds the few
/// bytes of an incomplete frame or a short response, so that a peer which sends one byte and waits pins 2 KiB and
/// not 64. They are carved from blocks; each block has an automatic arena of its own that is never closed, so a
/// reference kept after shutdown cannot crash the JVM and a peak shrinks again ([#trim]).
///
/// ```
///   carved = free here + free in the reserve + out;   out is 0 when the loop has closed all its connections
///   bytes out: <= 1/2 cap: everything · <= 3/4: little for each · <= 7/8: no accepting
///              <= cap: no receiving   · above: Overflow for the writer
/// ```
public final class SlabPool extends SlabSource {
    /// Bytes in a large slab: what one system call receives at most, as much as a socket buffer usually has.
    public static final int LARGE = 64 << 10;

    /// Bytes in a small slab.
    public static final int SMALL = 2 << 10;

    /// The message when the JVM has no memory.
    public static final String SHORTAGE = "the JVM has no memory left outside its heap (memory.direct): raise "
            + "-XX:MaxDirectMemorySize above the sum of all loops' EventLoops.Setup.memory and other uses";

    private static final int LARGE_BLOCK = 1 << 20;

    /// A block stays while one of its slabs is in use, and small ones may be for long: with an idle peer's
    /// incomplete frame.
    private static final int SMALL_BLOCK = 128 << 10;

    /// The least memory a pool can be given, in bytes.
    static final long LEAST_CAP = 4 << 20;

    /// The reserve's slabs that come back through the loop are passed on in batches, to take its lock less often.
    private static final int HOMEWARD = 16;

    private final long capBytes;

    private final boolean pooled;
    private final Reserve reserve = new Reserve(this);

    /// Memory of all blocks; the reserve adds to it from other threads.
    private final AtomicLong blockBytes = new AtomicLong();

    private final AtomicLong carved = new AtomicLong();

    /// How often the JVM had no memory; the reserve adds to it from other threads.
    private final AtomicLong shortages = new AtomicLong();

    private final FreeBlocks small = new FreeBlocks();
    private final FreeBlocks large = new FreeBlocks();
    private final FreeList homeward = new FreeList();
    private long bytesOut;
    private long givenSinceTrim;

    /// @param capBytes the most memory the pool may have
    /// @param pooled   false allocates each slab anew and leaves it to the garbage collector, for comparison
    public SlabPool(long capBytes, boolean pooled) {
        if (capBytes < LEAST_CAP) {
            throw new IllegalArgumentException(
                    "a cap of " + capBytes + " bytes is too small: give a loop at least 4 MiB");
        }
        this.capBytes = capBytes;
        this.pooled = pooled;
    }

    /// A large, empty slab to receive into, or null when receiving has to wait for memory.
    public @Nullable Slab takeForReceive() {
        // The last eighth is for writers, on other threads too.
        return mayReceive() && provide(true, limitBytes() / 8 * 7) ? out(large.pop(), Slab.Owner.KERNEL) : null;
    }

    /// A slab like those of [#takeForReceive] that waits inside the kernel for something to arrive. Until
    /// [#arrived] it does not count as in use.
    public @Nullable Slab lend() {
        var slab = takeForReceive();
        if (slab != null) bytesOut -= slab.capacity;
        return slab;
    }

    /// A lent slab is in use from now on, or is returned.
    public void arrived(Slab slab) {
        bytesOut += slab.capacity;
    }

    /// What arrived, moved to a small slab when it is little and has to wait; the large one is then returned.
    public Slab shrunk(Slab slab) {
        int length = slab.readable();
        var little = length <= SMALL ? takeSmall(Slab.Owner.KERNEL) : null;
        if (little == null) return slab;
        MemorySegment.copy(slab.memory, slab.start, little.memory, little.end, length);
        little.end += length;
        give(slab, Slab.Owner.KERNEL);
        return little;
    }

    /// The most it may have now: the cap, or what it has when the JVM has no more.
    long limitBytes() {
        return BlockMemory.isShort() ? Math.clamp(blockBytes.get(), LEAST_CAP, capBytes) : capBytes;
    }

    @Override
    public boolean isTight() {
        return bytesOut() > limitBytes() / 2;
    }

    public boolean mayAccept() {
        return bytesOut() <= limitBytes() / 4 * 3;
    }

    /// Whether [#takeForReceive] would return a slab now.
    public boolean canReceive() {
        return mayReceive() && provide(true, limitBytes() / 8 * 7);
    }

    boolean mayReceive() {
        return bytesOut() <= limitBytes() / 8 * 7;
    }

    @Override
    Slab take(boolean isLarge, Slab.Owner owner) {
        var free = freeList(isLarge);
        if (!provide(isLarge, limitBytes())) free = freeList(!isLarge);
        if (free.isEmpty()) throw overflow();
        return out(free.pop(), owner);
    }

    @Override
    @Nullable
    Slab takeSmall(Slab.Owner owner) {
        return provide(false, limitBytes()) ? out(small.pop(), owner) : null;
    }

    private Slab out(Slab slab, Slab.Owner owner) {
        bytesOut += slab.capacity;
        slab.pass(Slab.Owner.POOL, owner);
        return slab;
    }

    @Override
    public void give(Slab slab, Slab.Owner from) {
        var block = slab.block;
        if (block == null) return;
        if (!isFrom(block)) {
            block.pool.reserve.give(slab, from);
            return;
        }
        slab.pass(from, Slab.Owner.POOL);
        bytesOut -= slab.capacity;
        givenSinceTrim++;
        if (!pooled) forget(1, slab.capacity);
        else if (block.isOfReserve) sendHome(slab);
        else freeList(slab.capacity == LARGE).push(slab);
    }

    private void sendHome(Slab slab) {
        homeward.push(slab);
        if (homeward.count() >= HOMEWARD) reserve.takeBack(homeward);
    }

    /// Where borrowers on other threads get slabs and give them back.
    public Reserve reserve() {
        return reserve;
    }

    /// Takes back the loop's slabs that other threads returned; the loop does so itself when it needs some.
    public void collect() {
        for (var slab = reserve.drain(); slab != null; ) {
            var next = slab.next;
            slab.next = null;
            freeList(slab.capacity == LARGE).push(slab);
            slab = next;
        }
    }

    /// Forgets blocks without a slab in use, except one of each size, so that a peak's memory goes back to the
    /// system at the next collection.
    public void trim() {
        comeHome();
        forget(small.dropIdle(), SMALL);
        forget(large.dropIdle(), LARGE);
        reserve.trim();
    }

    /// As [#trim], but only for blocks that were not needed since the last call. For a slow timer: it visits each
    /// block once.
    ///
    /// @return whether there may be more to forget next time, also when nothing happens until then
    public boolean trimUnused() {
        comeHome();
        boolean wasUsed = small.hasBeenUsed() || large.hasBeenUsed();
        forget(small.dropUnused(), SMALL);
        forget(large.dropUnused(), LARGE);
        return reserve.trimUnused() || wasUsed;
    }

    /// The loop has ended: returns its memory, except blocks with slabs in use.
    public void release() {
        comeHome();
        forget(small.dropAllIdle(), SMALL);
        forget(large.dropAllIdle(), LARGE);
        reserve.release();
    }

    private void comeHome() {
        givenSinceTrim = 0;
        collect();
        reserve.takeBack(homeward);
    }

    /// Whether blocks may have become idle since the last trim.
    public boolean mayBeTrimmed() {
        return givenSinceTrim > 0 && bytesHeld() - bytesOut() > LARGE_BLOCK + SMALL_BLOCK;
    }

    /// How often there was no memory although the cap allowed it, because the JVM had none outside its heap.
    public long shortages() {
        return shortages.get();
    }

    /// Bytes of slabs in use; approximate while other threads borrow.
    public long bytesOut() {
        // In this order: what other threads take and the loop gives back in between must not count twice.
        long borrowed = reserve.bytesOut();
        return bytesOut + borrowed;
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
        return carved.get() - small.count() - large.count() - homeward.count() - reserve.count();
    }

    boolean isPooled() {
        return pooled;
    }

    @SuppressWarnings("ReferenceEquality") // the pool itself
    boolean isFrom(FreeBlocks.Block block) {
        return block.pool == this;
    }

    private FreeBlocks freeList(boolean isLarge) {
        return isLarge ? large : small;
    }

    /// Makes sure that a slab of a size is free, if that is possible within a limit; returns whether one is.
    private boolean provide(boolean isLarge, long limitBytes) {
        var free = freeList(isLarge);
        if (!free.isEmpty()) return true;
        collect();
        if (!free.isEmpty() || carve(isLarge, free, limitBytes)) return true;
        // Idle blocks of the other size may hold the missing memory. Searched only after as many slabs were
        // returned as there are to visit, so that searching in vain costs little for each of them.
        if (BlockMemory.isShort() || givenSinceTrim < small.count() + large.count()) return false;
        trim();
        return carve(isLarge, free, limitBytes);
    }

    private boolean carve(boolean isLarge, FreeBlocks to, long limitBytes) {
        var block = newBlock(isLarge, false, limitBytes);
        if (block != null) to.carve(block);
        return block != null;
    }

    /// Allocates a block, or what a limit leaves of it; also called by the reserve, from other threads.
    ///
    /// @return null when not even one slab fits
    FreeBlocks.@Nullable Block newBlock(boolean isLarge, boolean isOfReserve, long limitBytes) {
        int slabBytes = isLarge ? LARGE : SMALL;
        int most = pooled ? (isLarge ? LARGE_BLOCK : SMALL_BLOCK) / slabBytes : 1;
        int slabs = countIn(most, slabBytes, limitBytes);
        if (slabs == 0) return null;
        var memory = BlockMemory.allocate((long) slabs * slabBytes);
        if (memory != null) return new FreeBlocks.Block(this, isOfReserve, memory, slabs);
        forget(slabs, slabBytes);
        shortages.incrementAndGet();
        return null;
    }

    private int countIn(int most, int slabBytes, long limitBytes) {
        while (true) {
            long held = blockBytes.get();
            int slabs = (int) Math.min(most, (limitBytes - held) / slabBytes);
            if (slabs <= 0) return 0;
            if (!blockBytes.compareAndSet(held, held + (long) slabs * slabBytes)) continue;
            carved.addAndGet(slabs);
            return slabs;
        }
    }

    void forget(int slabs, int slabBytes) {
        carved.addAndGet(-slabs);
        blockBytes.addAndGet(-(long) slabs * slabBytes);
    }

    Overflow overflow() {
        if (BlockMemory.isShort()) return new Overflow(SHORTAGE);
        return new Overflow("the event loop has no memory left under its cap of " + capBytes
                + " bytes (slabs.bytes): raise it with EventLoops.Setup.memory, or let peers read faster");
    }
}
