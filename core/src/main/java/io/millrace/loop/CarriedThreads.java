package io.millrace.loop;

import static java.util.Objects.requireNonNull;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A loop's virtual threads that have not ended. The loop's thread adds and removes; the watchdog reads, and may
/// miss a thread that moves to another index meanwhile, until it reads again.
final class CarriedThreads implements Iterable<CarriedThread> {
    private volatile AtomicReferenceArray<CarriedThread> places = new AtomicReferenceArray<>(16);

    /// The loop's.
    private int count;

    /// Threads for calls that the loop should have made, when it was stuck.
    private final Set<CarriedThread> elsewhere = ConcurrentHashMap.newKeySet();

    void add(CarriedThread thread) {
        if (count == places.length()) grow();
        thread.place = count;
        places.setRelease(count++, thread);
    }

    private void grow() {
        var larger = new AtomicReferenceArray<CarriedThread>(2 * count);
        for (int i = 0; i < count; i++) larger.setPlain(i, places.getPlain(i));
        places = larger;
    }

    void remove(CarriedThread thread) {
        var last = places.getPlain(--count);
        last.place = thread.place;
        places.setRelease(thread.place, last);
        places.setRelease(count, null);
    }

    /// Any thread.
    void addElsewhere(CarriedThread thread) {
        elsewhere.add(thread);
    }

    void removeElsewhere(CarriedThread thread) {
        elsewhere.remove(thread);
    }

    // Any thread.

    /// The thread with this id, null when there is none.
    @Nullable
    Thread thread(long id) {
        for (var carried : this) {
            var thread = carried.thread();
            if (thread != null && thread.threadId() == id) return thread;
        }
        return null;
    }

    /// Whether one of them may resume in a spare thread.
    boolean mayOneGoOn() {
        for (var thread : this) if (thread.mayGoOnHere()) return true;
        for (var thread : elsewhere) if (thread.mayGoOnHere()) return true;
        return false;
    }

    /// Runs those that may resume in a spare thread, which is the calling one.
    void goOnHere() {
        for (var thread : this) if (thread.mayGoOnHere()) thread.goOnHere();
        for (var thread : elsewhere) if (thread.mayGoOnHere()) thread.goOnHere();
    }

    /// Those that could resume do so elsewhere.
    void goElsewhere() {
        for (var thread : this) thread.goElsewhere();
    }

    /// The loop's threads.
    @Override
    public Iterator<CarriedThread> iterator() {
        return new Walk(places);
    }

    private static final class Walk implements Iterator<CarriedThread> {
        private final AtomicReferenceArray<CarriedThread> all;
        private int at;
        private @Nullable CarriedThread next;

        Walk(AtomicReferenceArray<CarriedThread> all) {
            this.all = all;
        }

        @Override
        public boolean hasNext() {
            while (next == null && at < all.length()) next = all.getAcquire(at++);
            return next != null;
        }

        @Override
        public CarriedThread next() {
            if (!hasNext()) throw new NoSuchElementException();
            var found = requireNonNull(next);
            next = null;
            return found;
        }
    }
}
