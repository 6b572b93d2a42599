package io.millrace.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A sequence of slabs, linked through the slabs themselves so that moving one allocates nothing. It belongs to the
/// owner of its slabs, and is used by one thread at a time.
public final class Chain {
    /// Up to this many bytes are copied after the last slab's bytes if there is room. Waiting packets must not pin
    /// a large slab each: what is not copied fills at least a quarter of its slab, so waiting bytes take at most
    /// about four times their size. A reader that keeps up leaves the chain empty, and nothing is copied.
    private static final int COPY_BYTES = SlabPool.LARGE / 4;

    private @Nullable Slab head;
    private @Nullable Slab tail;
    private long size;
    private int count;

    public long size() {
        return size;
    }

    /// How many slabs there are, which is how many entries a gathering write needs.
    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return head == null;
    }

    public @Nullable Slab head() {
        return head;
    }

    @Nullable
    Slab tail() {
        return tail;
    }

    boolean hasLarge() {
        var slab = head;
        while (slab != null && slab.capacity() <= SlabPool.SMALL) slab = slab.next;
        return slab != null;
    }

    /// Adds a slab that the chain's owner owns already.
    public void append(Slab slab) {
        if (slab.next != null) throw new IllegalStateException("a slab of one chain was put into another");
        if (tail == null) head = slab;
        else tail.next = slab;
        tail = slab;
        size += slab.readable();
        count++;
    }

    /// Adds what arrived, at least one byte, to a chain of input slabs: the slab itself, or a copy after the last
    /// one, and then the slab is returned.
    public void appendArrival(Slab slab, Slab.Owner from, SlabSource to) {
        if (hasRoomForCopy(slab.readable())) {
            copyBehind(slab);
            to.give(slab, from);
        } else {
            slab.pass(from, Slab.Owner.INPUT);
            append(slab);
        }
    }

    /// Adds a chain of input slabs that arrived.
    public void appendArrivals(Chain arrivals, SlabSource to) {
        if (isEmpty()) appendAll(arrivals);
        else while (!arrivals.isEmpty()) appendArrival(arrivals.removeHead(), Slab.Owner.INPUT, to);
    }

    /// Whether `length` bytes should be copied after the last slab's bytes rather than be a slab of their own.
    boolean hasRoomForCopy(int length) {
        return tail != null && length <= COPY_BYTES && length <= tail.room();
    }

    private void copyBehind(Slab slab) {
        var to = tail;
        assert to != null;
        int length = slab.readable();
        MemorySegment.copy(slab.memory, slab.start, to.memory, to.end, length);
        to.end += length;
        size += length;
    }

    /// Moves all slabs of another chain of the same owner to the end of this one.
    public void appendAll(Chain other) {
        if (other.head == null) return;
        if (tail == null) head = other.head;
        else tail.next = other.head;
        tail = other.tail;
        size += other.size;
        count += other.count;
        other.clear();
    }

    /// Takes the first slab out; the chain must not be empty.
    public Slab removeHead() {
        var slab = first();
        head = slab.next;
        if (head == null) tail = null;
        slab.next = null;
        size -= slab.readable();
        count--;
        return slab;
    }

    /// Bytes were written after the last slab's end.
    void grew(int length) {
        size += length;
    }

    /// The first slab's start was moved on.
    void shrank(int length) {
        size -= length;
    }

    /// Drops `length` bytes from the front and gives the emptied slabs back.
    public void drop(long length, Slab.Owner owner, SlabSource to) {
        if (length > size) throw new IllegalStateException("cannot drop " + length + " bytes of " + size);
        while (length > 0) {
            var slab = first();
            int part = (int) Math.min(length, slab.readable());
            if (part == slab.readable()) {
                to.give(removeHead(), owner);
            } else {
                slab.start += part;
                size -= part;
            }
            length -= part;
        }
    }

    /// Keeps the first `length` bytes and gives back the slabs after them.
    void truncate(long length, Slab.Owner owner, SlabSource to) {
        var kept = new Chain();
        while (length > 0) {
            var slab = removeHead();
            slab.end = slab.start + (int) Math.min(length, slab.readable());
            length -= slab.readable();
            kept.append(slab);
        }
        releaseAll(owner, to);
        appendAll(kept);
    }

    /// Gives every slab back.
    public void releaseAll(Slab.Owner owner, SlabSource to) {
        while (head != null) to.give(removeHead(), owner);
    }

    /// Passes every slab from one owner to another.
    public void pass(Slab.Owner from, Slab.Owner to) {
        for (var slab = head; slab != null; slab = slab.next) slab.pass(from, to);
    }

    /// The first slab, which exists unless a second thread has used the chain.
    Slab first() {
        var slab = head;
        if (slab == null) throw new IllegalStateException("changed while it was read: it is used by two threads");
        return slab;
    }

    private void clear() {
        head = null;
        tail = null;
        size = 0;
        count = 0;
    }
}
