package io.millrace.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/// The array of `struct epoll_event` that `epoll_wait(2)` fills, reused from one wait to the next.
///
/// Belongs to one thread. The event at index `i` is valid until the next [Linux#epollWait].
public final class EpollEvents {
    // Packed on x86-64 only, so that 32-bit programs see the same struct there (epoll_ctl(2)).
    static final int SIZE = SystemCall.X86_64 ? 12 : 16;
    static final int EVENTS = 0;
    static final int DATA = SystemCall.X86_64 ? 4 : 8;

    private final int capacity;
    private final MemorySegment memory; // kept because the address does not keep it
    private final long address;

    /// @param capacity how many events one wait may bring, 1 or more
    public EpollEvents(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " leaves no room for an event; pass 1 or more");
        }
        this.capacity = capacity;
        memory = Arena.ofAuto().allocate((long) capacity * SIZE, 8);
        address = memory.address();
    }

    public int capacity() {
        return capacity;
    }

    /// The `EPOLL…` bits of the event at `index`.
    public int events(int index) {
        try {
            return RawMemory.getInt(at(index) + EVENTS);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /// The data that [Linux#epollCtl] was given for the descriptor of the event at `index`.
    public long data(int index) {
        try {
            return RawMemory.getLong(at(index) + DATA);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private long at(int index) {
        Objects.checkIndex(index, capacity);
        return address + (long) index * SIZE;
    }

    long address() {
        return address;
    }
}
