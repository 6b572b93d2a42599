package io.millrace.memory;

import io.millrace.bytes.Bytes;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A block of native memory that only ever *moves*: it has one [Owner] at a time, and each transfer is checked.
///
/// ```
///            take                     move               send
///   POOL ───────────► INPUT ───────────────► OUTPUT ───────────► KERNEL
///    ▲  └──────────────────────── take ────────▲                   │
///    └──── give: read to the end, connection closed, or sent ◄─────┘
/// ```
///
/// A slab that *refers* to a [Bytes] value lends that value's memory to a gathering write; it has no room of its
/// own and belongs to no pool.
public final class Slab {
    /// Who may touch the memory now.
    public enum Owner {
        POOL,
        INPUT,
        OUTPUT,
        KERNEL
    }

    /// The memory itself; also what keeps it alive.
    public final MemorySegment memory;

    /// Where the kernel finds it. Whoever passes it to a system call holds this slab until the call has returned.
    public final long address;

    /// First unread byte and the end of the written ones: `0 <= start <= end <= capacity`.
    public int start;

    public int end;

    final int capacity;
    final FreeList.@Nullable Block block;

    @Nullable
    Slab next;

    private Owner owner;
    private @Nullable ByteBuffer view;

    Slab(MemorySegment memory, FreeList.Block block) {
        this.memory = memory;
        this.address = memory.address();
        this.capacity = (int) memory.byteSize();
        this.block = block;
        this.owner = Owner.POOL;
    }

    private Slab(Bytes value) {
        this.memory = value.segment();
        this.address = memory.address();
        this.capacity = value.length();
        this.end = capacity;
        this.block = null;
        this.owner = Owner.OUTPUT;
    }

    static Slab referringTo(Bytes value) {
        return new Slab(value);
    }

    /// How many bytes it holds.
    public int readable() {
        return end - start;
    }

    /// How many bytes can still be written behind them.
    public int room() {
        return capacity - end;
    }

    public int capacity() {
        return capacity;
    }

    /// Whether it is one of a pool's small slabs.
    boolean isSmall() {
        return block != null && capacity == SlabPool.SMALL;
    }

    /// The address of the first unread byte.
    public long readAddress() {
        return address + start;
    }

    /// All of the memory as a buffer, for the parts of the JDK that know no segments; the same one each time, for
    /// the owner to set position and limit.
    public ByteBuffer view() {
        if (view == null) view = memory.asByteBuffer();
        return view;
    }

    /// The slab behind this one in its chain.
    public @Nullable Slab next() {
        return next;
    }

    public Owner owner() {
        return owner;
    }

    /// Notes a transfer.
    ///
    /// @throws IllegalStateException when the slab is somebody else's: bytes of strangers would mix
    public void pass(Owner from, Owner to) {
        if (owner != from) throw new IllegalStateException(notOf(from, to));
        owner = to;
    }

    private String notOf(Owner from, Owner to) {
        return "a slab of " + owner + " cannot pass from " + from + " to " + to + ": it was used by two";
    }
}
