package io.millrace.http.websocket;

import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A queue that has one element most of the time, and allocates nothing for that one. Used under its owner's lock,
/// or by one thread.
class ShortQueue<T> {
    private @Nullable T first;
    private @Nullable ArrayDeque<T> others;

    int size() {
        // Once: who only asks may do so without the lock.
        var more = others;
        return first == null ? 0 : more == null ? 1 : 1 + more.size();
    }

    void add(T last) {
        if (first == null) {
            first = last;
            return;
        }
        if (others == null) others = new ArrayDeque<>(4);
        others.add(last);
    }

    /// Takes the oldest; null if there is none.
    @Nullable
    T poll() {
        var next = first;
        first = others == null ? null : others.poll();
        if (first == null) others = null;
        return next;
    }

    /// Takes the oldest of those that are wanted; null if there is none.
    @Nullable
    T pollIf(Predicate<T> isWanted) {
        if (first != null && isWanted.test(first)) return poll();
        if (others == null) return null;
        for (var each = others.iterator(); each.hasNext(); ) {
            var next = each.next();
            if (!isWanted.test(next)) continue;
            each.remove();
            return next;
        }
        return null;
    }

    void clear() {
        first = null;
        others = null;
    }
}
