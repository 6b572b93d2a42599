package io.millrace.memory;

import org.jspecify.annotations.Nullable;

/// Unused slabs, on their way to their blocks ([FreeBlocks]). Last in, first out.
final class FreeList {
    private @Nullable Slab top;
    private int count;

    boolean isEmpty() {
        return top == null;
    }

    int count() {
        return count;
    }

    void push(Slab slab) {
        if (slab.owner() != Slab.Owner.POOL || slab.next != null) throw new IllegalStateException(inUse(slab));
        slab.start = 0;
        slab.end = 0;
        slab.next = top;
        top = slab;
        count++;
    }

    private static String inUse(Slab slab) {
        return "a slab of " + slab.owner() + (slab.next == null ? "" : " in a chain")
                + " is not free: it was used by two threads";
    }

    /// The slab pushed last; the list must not be empty.
    Slab pop() {
        var slab = top;
        assert slab != null;
        top = slab.next;
        slab.next = null;
        count--;
        return slab;
    }

    /// All slabs, linked.
    @Nullable
    Slab takeAll() {
        var all = top;
        top = null;
        count = 0;
        return all;
    }
}
