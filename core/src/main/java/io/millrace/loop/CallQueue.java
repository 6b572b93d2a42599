package io.millrace.loop;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// Waiting calls of handlers, in order. The loop's thread adds; a call belongs to the thread that moves `head` past
/// it: the loop's, or one that takes calls from a stuck loop.
///
/// A slot is reused only after `head` has passed it, so what was read there before the move is right if the move
/// succeeds.
final class CallQueue {
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();
    private volatile AtomicReferenceArray<@Nullable LentCall> places = new AtomicReferenceArray<>(64);

    /// By the loop's thread.
    void add(LentCall call) {
        long last = tail.getPlain();
        if (last - head.get() == places.length()) grow(last);
        places.setRelease(place(last, places), call);
        tail.lazySet(last + 1);
    }

    private void grow(long last) {
        var larger = new AtomicReferenceArray<@Nullable LentCall>(2 * places.length());
        for (long i = head.get(); i < last; i++) larger.setPlain(place(i, larger), places.getPlain(place(i, places)));
        places = larger;
    }

    /// By the loop's thread; null when there is none.
    @Nullable
    LentCall poll() {
        return poll(true);
    }

    /// By any other thread.
    @Nullable
    LentCall steal() {
        return poll(false);
    }

    private @Nullable LentCall poll(boolean forgets) {
        while (true) {
            long first = head.get();
            if (first >= tail.get()) return null;
            var from = places;
            var call = from.getAcquire(place(first, from));
            if (!head.compareAndSet(first, first + 1)) continue;
            if (forgets) from.setPlain(place(first, from), null);
            return call;
        }
    }

    /// By the loop's thread; other threads may have taken some by now.
    int size() {
        return (int) (tail.getPlain() - head.get());
    }

    private static int place(long index, AtomicReferenceArray<?> in) {
        return (int) index & (in.length() - 1);
    }
}
