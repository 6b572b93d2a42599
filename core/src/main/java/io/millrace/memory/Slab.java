package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
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
/// A slab that *refers* to a value ([io.millrace.bytes.Bytes]) lends that value's memory to a gathering write; it has
/// no room of its own and belongs to no pool.
public final class Slab {
    /// What may touch the memory now.
    public enum Owner {
        POOL,
        INPUT,
        OUTPUT,
        KERNEL
    }

    /// The memory; the reference also keeps it alive.
    public final MemorySegment memory;

    /// The address for the kernel; 0 for memory on the heap, which the kernel cannot use.
    private final long address;

    /// First unread byte and the end of the written ones: `0 <= start <= end <= capacity`.
    public int start;

    public int end;

    final int capacity;
    final FreeBlocks.@Nullable Block block;

    @Nullable
    Slab next;

    /// Whether a buffer can have a shorter life than its memory; a JVM may not allow that, like system calls
    /// (`--enable-native-access`).
    private static final boolean MAY_LIMIT = Slab.class.getModule().isNativeAccessEnabled();

    private Owner owner;
    private @Nullable ByteBuffer view;

    Slab(MemorySegment memory, FreeBlocks.Block block) {
        this.memory = memory;
        this.address = memory.address();
        this.capacity = (int) memory.byteSize();
        this.block = block;
        this.owner = Owner.POOL;
    }

    private Slab(MemorySegment value) {
        this.memory = value;
        this.address = value.isNative() ? value.address() : 0;
        this.capacity = (int) value.byteSize();
        this.end = capacity;
        this.block = null;
        this.owner = Owner.OUTPUT;
    }

    static Slab referringTo(MemorySegment value) {
        return new Slab(value);
    }

    /// How many bytes it holds.
    public int readable() {
        return end - start;
    }

    /// How many more bytes can be written.
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

    /// Whether it is one of a pool's large slabs.
    boolean isLarge() {
        return block != null && capacity == SlabPool.LARGE;
    }

    /// Whether the kernel can read it where it is.
    boolean isOnHeap() {
        return address == 0;
    }

    /// The address of the first of [#readable] bytes, for a system call to read. The caller holds this slab until
    /// the system call has returned.
    ///
    /// Here memory leaves the JVM's control, so the bounds are checked in any case.
    public long readAddress() {
        if (isOnHeap()) throw new IllegalStateException("bytes on the heap have no address: copy them into a slab");
        if (start < 0 || start > end || end > capacity) {
            throw new IllegalStateException("bytes " + start + " to " + end + " of a slab of " + capacity
                    + ": it was used by two threads, or after it was given away");
        }
        return address + start;
    }

    /// The address of all [#capacity] bytes, for a system call to write while the kernel owns the slab.
    public long writeAddress() {
        if (block == null) throw new IllegalStateException("a slab that refers to a value cannot be written to");
        return address;
    }

    /// Lets a channel fill this slab, which is empty. Channels are user code: the buffer it gets is this slab's
    /// memory, cleared of its old content; it cannot be used after this returns, or by another thread; and its
    /// position decides how much was written, whatever the channel returns.
    ///
    /// @return what the channel returned; [#readable] is what there is
    int fillFrom(ReadableByteChannel channel, int most) throws IOException {
        int length = Math.min(most, capacity);
        return MAY_LIMIT ? fillDirectly(channel, length) : fillByCopy(channel, length);
    }

    @SuppressWarnings("restricted") // the same memory for a shorter time
    private int fillDirectly(ReadableByteChannel channel, int length) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var room = memory.asSlice(0, length).reinterpret(arena, null);
            if (!isOfJdk(channel)) room.fill((byte) 0);
            var buffer = room.asByteBuffer();
            int said = channel.read(buffer);
            end = buffer.position();
            return said;
        }
    }

    int fillByCopy(ReadableByteChannel channel, int length) throws IOException {
        var buffer = ByteBuffer.allocate(length);
        int said = channel.read(buffer);
        int count = buffer.position();
        MemorySegment.copy(buffer.array(), 0, memory, JAVA_BYTE, 0, count);
        end = count;
        return said;
    }

    /// Whether it is a channel of the JDK, which writes as much as it returns, and reads nothing.
    private static boolean isOfJdk(ReadableByteChannel channel) {
        return channel.getClass().getModule() == Object.class.getModule();
    }

    /// All of the memory as a buffer, for the JDK's sockets, and never for code that might keep it; the same one
    /// each time, whose position and limit the owner sets.
    public ByteBuffer view() {
        if (view == null) view = memory.asByteBuffer();
        return view;
    }

    /// The next slab in the chain.
    public @Nullable Slab next() {
        return next;
    }

    public Owner owner() {
        return owner;
    }

    /// Passes the slab to another owner.
    ///
    /// @throws IllegalStateException when the slab has another owner: different peers' bytes would mix
    public void pass(Owner from, Owner to) {
        if (owner != from) throw new IllegalStateException(notOf(from, to));
        owner = to;
    }

    private String notOf(Owner from, Owner to) {
        return "a slab of " + owner + " cannot pass from " + from + " to " + to + ": it was used by two threads";
    }
}
