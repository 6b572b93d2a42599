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
    /// Who may touch the memory now.
    public enum Owner {
        POOL,
        INPUT,
        OUTPUT,
        KERNEL
    }

    /// The memory itself; also what keeps it alive.
    public final MemorySegment memory;

    /// Where the kernel finds it; 0 when it is on the heap, where the kernel does not.
    private final long address;

    /// First unread byte and the end of the written ones: `0 <= start <= end <= capacity`.
    public int start;

    public int end;

    final int capacity;
    final FreeBlocks.@Nullable Block block;

    @Nullable
    Slab next;

    /// Whether a buffer can be given a shorter life than its memory; a JVM may keep that to itself, as it does
    /// system calls (`--enable-native-access`).
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

    /// Whether the kernel can read it where it is.
    boolean isOnHeap() {
        return address == 0;
    }

    /// The address of the first unread byte, of which [#readable] follow: what a system call may read. Whoever
    /// passes it to one holds this slab until the call has returned.
    ///
    /// This is where memory leaves the sight of the JVM, so it is checked, however it came to be.
    public long readAddress() {
        if (isOnHeap()) throw new IllegalStateException("bytes on the heap have no address: copy them into a slab");
        if (start < 0 || start > end || end > capacity) {
            throw new IllegalStateException("bytes " + start + " to " + end + " of a slab of " + capacity
                    + ": it was used by two threads, or after it was given away");
        }
        return address + start;
    }

    /// The address of all of it, [#capacity] bytes: what a system call may write while the slab is the kernel's.
    public long writeAddress() {
        if (block == null) throw new IllegalStateException("a value is not to be written");
        return address;
    }

    /// Lets a channel fill this slab, which is empty. Channels are user code: the buffer that one gets has this
    /// slab's memory without what was there before, cannot be used when this returns, or by another thread, and
    /// its position says how much was written, whatever the channel says.
    ///
    /// @return what the channel said; [#readable] says what there is
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

    /// It writes as much as it says, and reads nothing.
    private static boolean isOfJdk(ReadableByteChannel channel) {
        return channel.getClass().getModule() == Object.class.getModule();
    }

    /// All of the memory as a buffer, for sockets of the JDK, and for nobody who might keep it; the same one each
    /// time, for the owner to set position and limit.
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
