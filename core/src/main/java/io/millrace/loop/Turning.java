package io.millrace.loop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Which loop a thread runs: that of a real loop its own, that of a simulation one after the other. Used by that
/// thread, and by those that it carries.
public final class Turning {
    private static final Map<Thread, Turning> ALL = new ConcurrentHashMap<>();

    private @Nullable EventLoop loop;

    /// It stays here between two loops.
    private boolean isKept;

    private Turning() {}

    /// The loop that a thread runs; null if none.
    static @Nullable EventLoop by(Thread thread) {
        var found = ALL.get(thread);
        return found == null ? null : found.loop;
    }

    static Turning ofCaller() {
        var caller = Thread.currentThread();
        var found = ALL.get(caller);
        if (found != null) return found;
        var made = new Turning();
        ALL.put(caller, made);
        return made;
    }

    /// Runs work that turns many loops on the calling thread, which would otherwise come and go with each turn.
    public static <T> T many(Supplier<T> work) {
        var caller = ofCaller();
        boolean wasKept = caller.isKept;
        caller.isKept = true;
        try {
            return work.get();
        } finally {
            caller.isKept = wasKept;
            caller.runs(caller.loop);
        }
    }

    /// The thread runs another loop from now on.
    ///
    /// @param next null for none
    /// @return what it has run so far
    @Nullable
    EventLoop runs(@Nullable EventLoop next) {
        var before = loop;
        loop = next;
        if (next == null && !isKept) ALL.remove(Thread.currentThread());
        return before;
    }
}
