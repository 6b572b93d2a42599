package io.millrace.proxy.upstream;

import io.millrace.http.message.Permits;
import io.millrace.net.Guard;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A limit on how many of something a backend and its whole upstream have at a time. Any thread; never are
/// more taken than the limit, not even for a moment.
public final class CountedPermits implements Permits {
    private final Guard guard;
    private final String whose;
    private volatile int most;
    private final @Nullable CountedPermits whole;
    private final AtomicInteger taken = new AtomicInteger();

    /// The waiters for a permit, and their number, so that an empty queue need not be searched.
    private final ConcurrentLinkedQueue<Runnable> wanting = new ConcurrentLinkedQueue<>();

    private final AtomicInteger wanted = new AtomicInteger();

    CountedPermits(Guard guard, String whose, int most, @Nullable CountedPermits whole) {
        this.guard = guard;
        this.whose = whose;
        this.most = most;
        this.whole = whole;
    }

    /// Takes a permit, of the upstream's too; give each back once ([#give]).
    ///
    /// @return false if there is none, and a guard has acted
    @Override
    public boolean take() {
        if (!takeOne()) return false;
        if (whole == null || whole.takeOne()) return true;
        taken.decrementAndGet();
        if (wanted.get() > 0) tell();
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

    @Override
    public void give() {
        int left = taken.decrementAndGet();
        assert left >= 0 : guard.name() + " of " + whose + " was given back more often than taken";
        if (wanted.get() > 0) tell();
        if (whole != null) whole.give();
    }

    @Override
    public void whenGiven(Runnable told) {
        var full = whole == null || taken.get() >= most ? this : whole;
        full.wanted.incrementAndGet();
        full.wanting.add(told);
        // It may have been given back a moment ago. A waiter that is called in vain, as the other limit is
        // reached by now, waits there.
        if (full.taken.get() < full.most) full.tell();
    }

    private void tell() {
        for (var next = wanting.poll(); next != null; next = wanting.poll()) {
            wanted.decrementAndGet();
            next.run();
        }
    }

    @Override
    public int wanted() {
        return wanted.get() + (whole == null ? 0 : whole.wanted());
    }

    /// Sets another limit; more may be taken until they are given back.
    void most(int now) {
        most = now;
        if (wanted.get() > 0) tell();
    }

    /// Whether a permit is free at this moment.
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
