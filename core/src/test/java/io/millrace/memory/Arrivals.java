package io.millrace.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Bytes as they arrive: in slabs of a pool, cut at chosen places.
final class Arrivals {
    private Arrivals() {}

    /// A lent input of these bytes, with a cut before each of the given positions.
    static LoopInput lent(SlabPool pool, byte[] bytes, int... cuts) {
        var input = new LoopInput(pool);
        input.appendAll(chain(pool, bytes, cuts));
        input.lend(pool);
        return input;
    }

    /// Input slabs with these bytes; no bytes are copied together.
    static Chain chain(SlabPool pool, byte[] bytes, int... cuts) {
        var chain = new Chain();
        int from = 0;
        for (int cut : cuts) {
            chain.append(slab(pool, bytes, from, cut, Slab.Owner.INPUT));
            from = cut;
        }
        if (from < bytes.length) chain.append(slab(pool, bytes, from, bytes.length, Slab.Owner.INPUT));
        return chain;
    }

    /// A slab as a transport delivers it.
    static Slab received(SlabPool pool, byte... bytes) {
        return slab(pool, bytes, 0, bytes.length, Slab.Owner.KERNEL);
    }

    private static Slab slab(SlabPool pool, byte[] bytes, int from, int to, Slab.Owner owner) {
        var slab = pool.take(true, owner);
        MemorySegment.copy(MemorySegment.ofArray(bytes), from, slab.memory, 0, to - from);
        slab.end = to - from;
        return slab;
    }

    static List<Slab> slabs(Chain chain) {
        var slabs = new ArrayList<Slab>();
        for (var slab = chain.head(); slab != null; slab = slab.next()) slabs.add(slab);
        return slabs;
    }

    /// A copy of what a chain holds.
    static byte[] bytes(Chain chain) {
        var bytes = new byte[(int) chain.size()];
        int at = 0;
        for (var slab : slabs(chain)) {
            MemorySegment.copy(slab.memory, slab.start, MemorySegment.ofArray(bytes), at, slab.readable());
            at += slab.readable();
        }
        return bytes;
    }

    static Slab head(Chain chain) {
        return Objects.requireNonNull(chain.head());
    }

    /// 0, 1, 2, …, and each value again after 251 others: no power of two hides a mistake.
    static byte[] count(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) bytes[i] = (byte) (i % 251);
        return bytes;
    }
}
