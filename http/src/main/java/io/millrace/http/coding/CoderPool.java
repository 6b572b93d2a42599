package io.millrace.http.coding;

import java.util.Optional;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// A pool of objects with memory outside of the heap, which the garbage collector does not see: at most so
/// many at a time in the whole JVM. Any thread.
///
/// It is not per thread: a body is compressed over many calls, each perhaps on its own virtual thread, and a
/// slow peer makes it last. The number of bodies in progress is what must be limited.
public final class CoderPool<T> {
    private final int most;
    private final Supplier<T> make;
    private final Consumer<T> reset;
    private final Consumer<T> end;
    private final AtomicInteger inUse = new AtomicInteger();

    /// The last one used comes first, because its memory is in the caches.
    private final LinkedBlockingDeque<T> idle;

    /// @param most in use at a time
    /// @param mostIdle kept while unused
    /// @param end frees its memory
    CoderPool(int most, int mostIdle, Supplier<T> make, Consumer<T> reset, Consumer<T> end) {
        this.most = most;
        this.idle = new LinkedBlockingDeque<>(mostIdle);
        this.make = make;
        this.reset = reset;
        this.end = end;
    }

    /// For objects that are held only during a call that does not wait: as many as ask for one.
    ///
    /// @param mostIdle kept while unused
    /// @param end frees its memory
    public static <T> CoderPool<T> ofAny(int mostIdle, Supplier<T> make, Consumer<T> reset, Consumer<T> end) {
        return new CoderPool<>(Integer.MAX_VALUE, mostIdle, make, reset, end);
    }

    /// One for the caller only, until [#give]; none if too many are in use.
    public Optional<T> take() {
        if (inUse.incrementAndGet() > most) {
            inUse.decrementAndGet();
            return Optional.empty();
        }
        var known = idle.pollFirst();
        return Optional.of(known != null ? known : make.get());
    }

    /// Takes one back; once.
    public void give(T one) {
        reset.accept(one);
        if (!idle.offerFirst(one)) end.accept(one);
        inUse.decrementAndGet();
    }

    /// How many are in use now.
    public int inUse() {
        return inUse.get();
    }

    int most() {
        return most;
    }
}
