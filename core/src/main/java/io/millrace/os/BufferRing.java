package io.millrace.os;

import static io.millrace.os.Constants.IORING_REGISTER_PBUF_RING;
import static io.millrace.os.Constants.IORING_UNREGISTER_PBUF_RING;
import static io.millrace.os.Constants.MAP_ANONYMOUS;
import static io.millrace.os.Constants.MAP_PRIVATE;
import static io.millrace.os.RawMemory.putInt;
import static io.millrace.os.RawMemory.putLong;
import static io.millrace.os.RawMemory.putShort;
import static io.millrace.os.RawMemory.putShortRelease;

import java.io.IOException;
import java.lang.foreign.Arena;

/// A ring of buffers that receives of an [IoUring] fill, `IORING_REGISTER_PBUF_RING` of io_uring_register(2). The
/// kernel takes them in the order in which they were added. Belongs to the ring's thread.
public final class BufferRing implements AutoCloseable {
    private static final int ENTRY_SIZE = 16;
    private static final int LENGTH = 8;
    private static final int ID = 12;

    /// Inside the first entry, in a field that the others do not use.
    private static final int TAIL = 14;

    private static final int REGISTRATION_SIZE = 40;

    private final Linux linux;
    private final IoUring ring;
    private final int entries;
    private final int group;
    private final long memory;
    private int tail;

    /// @param entries a power of two up to 32768
    /// @throws IOException when the kernel does not support it, with the reason
    public BufferRing(Linux linux, IoUring ring, int entries, int group) throws IOException {
        this.linux = linux;
        this.ring = ring;
        this.entries = entries;
        this.group = group;
        memory = linux.mmap(sizeBytes(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory < 0 && memory > -4096)
            throw new IOException("cannot map a ring of buffers: " + Errno.message((int) -memory));
        int result = register(IORING_REGISTER_PBUF_RING);
        if (result >= 0) return;
        linux.munmap(memory, sizeBytes());
        throw new IOException(
                result == -Errno.ENOMEM
                        ? "the kernel cannot lock the memory of a ring of buffers: raise 'ulimit -l'"
                        : "this kernel has no rings of buffers for io_uring, Linux 6.0 is needed: "
                                + Errno.message(-result));
    }

    private long sizeBytes() {
        return (long) entries * ENTRY_SIZE;
    }

    private int register(int operation) {
        try (var arena = Arena.ofConfined()) {
            var registration = arena.allocate(REGISTRATION_SIZE, 8);
            putLong(registration.address(), memory);
            putInt(registration.address() + 8, entries);
            putShort(registration.address() + 12, (short) group);
            return ring.register(operation, registration.address(), 1);
        }
    }

    public int group() {
        return group;
    }

    /// Adds a buffer, which the kernel sees after [#publish]; `id` comes back with the completion that filled it.
    public void add(int id, long address, int lengthBytes) {
        long entry = memory + (long) (tail & (entries - 1)) * ENTRY_SIZE;
        putLong(entry, address);
        putInt(entry + LENGTH, lengthBytes);
        putShort(entry + ID, (short) id);
        tail++;
    }

    public void publish() {
        putShortRelease(memory + TAIL, (short) tail);
    }

    /// Takes back the buffers that were added last. Only while no receive is in progress, because otherwise the
    /// kernel may have taken them.
    public void takeBack(int count) {
        tail -= count;
        publish();
    }

    /// The kernel forgets the buffers, which must not be in use by a receive.
    @Override
    public void close() {
        register(IORING_UNREGISTER_PBUF_RING);
        linux.munmap(memory, sizeBytes());
    }
}
