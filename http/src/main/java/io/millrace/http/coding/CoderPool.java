package io.millrace.http.coding;

import java.util.Optional;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Objects that have memory outside of the heap, which no garbage collector sees filling up: so many at a time in
/// the whole JVM, and no more. Any thread.
///
/// Not by thread: a body is packed over many calls, on a virtual thread each, and a slow peer makes it last. What
/// has to be bounded is how many bodies are under way.
public final class CoderPool<T> {
    private final int most;
    private final Supplier<T> make;
    private final Consumer<T> reset;
    private final Consumer<T> end;
    private final AtomicInteger inUse = new AtomicInteger();

    /// The one used last is the next one, whose memory is in the caches.
    private final LinkedBlockingDeque<T> idle;

    /// @param most in use at a time
    /// @param mostIdle kept when nobody uses them
    /// @param end gives its memory back
    CoderPool(int most, int mostIdle, Supplier<T> make, Consumer<T> reset, Consumer<T> end) {
        this.most = most;
        this.idle = new LinkedBlockingDeque<>(mostIdle);
        this.make = make;
        this.reset = reset;
        this.end = end;
    }

    /// One for the caller alone, until he gives it back; none when there are too many in use.
    Optional<T> take() {
        if (inUse.incrementAndGet() > most) {
            inUse.decrementAndGet();
            return Optional.empty();
        }
        var known = idle.pollFirst();
        return Optional.of(known != null ? known : make.get());
    }

    /// Takes it back; once.
    void give(T one) {
        reset.accept(one);
        if (!idle.offerFirst(one)) end.accept(one);
        inUse.decrementAndGet();
    }

    /// At this moment.
    public int inUse() {
        return inUse.get();
    }

    int most() {
        return most;
    }
}
