package io.millrace.loop;

import org.jspecify.annotations.Nullable;

/// Where a value of settings came from, so that one is not started with while the last copy of it, with something set,
/// is dropped: whoever does that means the copy. Only a compiler that knows [io.millrace.net.CheckReturnValue] tells of
/// it otherwise. What another thread derives of a shared value says nothing. Any thread.
///
/// ```
///   value ── sets something ──► copy ── sets something ──► copy: started with, and so are those it came from
///     └── started with, while the last copy of it is not ──► refused
/// ```
public final class Derived {
    private final String setter;
    private final @Nullable Derived from;
    private final long threadId = Thread.currentThread().threadId();
    private volatile boolean isStarted;
    private volatile @Nullable Derived last;

    private Derived(String setter, @Nullable Derived from) {
        this.setter = setter;
        this.from = from;
    }

    /// Of a value that somebody makes.
    public static Derived first() {
        return new Derived("", null);
    }

    /// Of a copy, of which everything that is set is known to be valid.
    ///
    /// @param setter what makes it, for messages
    public Derived next(String setter) {
        var copy = new Derived(setter, this);
        last = copy;
        return copy;
    }

    /// Something starts with the value.
    ///
    /// @throws IllegalStateException when what this thread has set on it last was dropped
    public void use() {
        var copy = last;
        if (copy != null
                && !copy.isStarted
                && copy.threadId == Thread.currentThread().threadId()) {
            throw new IllegalStateException(
                    "what " + copy.setter + "(…) returned has not been used, and this is without it:"
                            + " settings are values, so keep what is returned, or start with this one first");
        }
        for (var one = this; one != null; one = one.from) one.isStarted = true;
    }
}
