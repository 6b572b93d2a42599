package io.millrace.proxy.upstream;

import io.millrace.loop.Guard;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A limit on how many of something there are at a time, of a backend and of its whole upstream. Any thread;
/// never more than the limit are taken, not even for a moment.
public final class Slots {
    private final Guard guard;
    private final String whose;
    private final int most;
    private final @Nullable Slots whole;
    private final AtomicInteger taken = new AtomicInteger();

    Slots(Guard guard, String whose, int most, @Nullable Slots whole) {
        this.guard = guard;
        this.whose = whose;
        this.most = most;
        this.whole = whole;
    }

    /// Takes one, of the upstream's too; each is given back once ([#give]).
    ///
    /// @return false when there is none, and a guard has acted
    public boolean take() {
        if (!takeOne()) return false;
        if (whole == null || whole.takeOne()) return true;
        taken.decrementAndGet();
        return false;
    }

    private boolean takeOne() {
        int before;
        do {
            before = taken.get();
            if (before >= most) {
                guard.acted(whose, "all " + most + " are taken");
                return false;
            }
        } while (!taken.compareAndSet(before, before + 1));
        return true;
    }

    public void give() {
        int left = taken.decrementAndGet();
        assert left >= 0 : guard.label() + " of " + whose + " was given back more often than taken";
        if (whole != null) whole.give();
    }

    /// Whether one can be taken at this moment.
    public boolean hasRoom() {
        return taken.get() < most && (whole == null || whole.hasRoom());
    }

    public int taken() {
        return taken.get();
    }

    public int most() {
        return most;
    }
}
