package io.millrace.os;

import static io.millrace.os.Constants.IOV_MAX;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A `struct msghdr` with its array of `struct iovec`, filled in place and reused: what `sendmsg(2)` gathers.
///
/// Belongs to one thread. It keeps addresses, not memory: whoever adds a block keeps it reachable until the call
/// has returned.
public final class Msghdr {
    // sendmsg(2), iovec(3type) as the kernel lays them out on any 64-bit machine
    static final int MSG_IOV = 16;
    static final int MSG_IOVLEN = 24;
    static final int MSGHDR_SIZE = 56;
    static final int IOV_BASE = 0;
    static final int IOV_LEN = 8;
    static final int IOVEC_SIZE = 16;

    private final int capacity;
    private final MemorySegment memory; // kept because the address does not keep it
    private final long address;
    private int count;
    private long lengthBytes;

    /// @param capacity how many blocks one call may gather, 1 to 1024 (`IOV_MAX`)
    public Msghdr(int capacity) {
        if (capacity < 1 || capacity > IOV_MAX) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " is not what sendmsg takes; pass 1 to " + IOV_MAX + " blocks");
        }
        this.capacity = capacity;
        memory = Arena.ofAuto().allocate(MSGHDR_SIZE + (long) capacity * IOVEC_SIZE, 8);
        address = memory.address();
        RawMemory.putLong(address + MSG_IOV, address + MSGHDR_SIZE);
    }

    public void clear() {
        count = 0;
        lengthBytes = 0;
    }

    /// Appends a block. Only while not [#isFull].
    public void add(long blockAddress, int blockLengthBytes) {
        if (isFull()) throw new IllegalStateException("all " + capacity + " blocks are taken");
        if (blockLengthBytes < 0) throw new IllegalStateException("a block of " + blockLengthBytes + " bytes");
        long iovec = address + MSGHDR_SIZE + (long) count * IOVEC_SIZE;
        RawMemory.putLong(iovec + IOV_BASE, blockAddress);
        RawMemory.putLong(iovec + IOV_LEN, blockLengthBytes);
        count++;
        lengthBytes += blockLengthBytes;
    }

    public boolean isFull() {
        return count == capacity;
    }

    public int count() {
        return count;
    }

    /// The sum of all blocks: what [Linux#sendmsg] returns when everything went.
    public long lengthBytes() {
        return lengthBytes;
    }

    /// The address of the msghdr, which now counts the blocks added so far.
    long seal() {
        RawMemory.putLong(address + MSG_IOVLEN, count);
        return address;
    }
}
