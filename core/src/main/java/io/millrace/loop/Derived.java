package io.millrace.loop;

import org.jspecify.annotations.Nullable;

/// Where a settings value came from, so that starting with a value whose last copy was dropped is refused: the
/// caller meant the copy. Otherwise only a compiler that knows [io.millrace.net.CheckReturnValue] reports this.
/// Copies that other threads make of a shared value do not count. Any thread.
///
/// ```
///   value ── sets something ──► copy ── sets something ──► copy: started with, and so are those it came from
///     └── started with, while the last copy of it is not ──► refused
/// ```
public final class Derived {
    private final String setter;
    private volatile @Nullable Derived from;
    private final long threadId = Thread.currentThread().threadId();
    private volatile boolean isStarted;
    private volatile @Nullable Derived last;

    private Derived(String setter, @Nullable Derived from) {
        this.setter = setter;
        this.from = from;
    }

    /// For a new value.
    public static Derived first() {
        return new Derived("", null);
    }

    /// For a copy whose settings are known to be valid.
    ///
    /// @param setter the setter that makes the copy, for messages
    public Derived next(String setter) {
        var copy = new Derived(setter, this);
        last = copy;
        return copy;
    }

    /// Called when something starts with the value.
    ///
    /// @throws IllegalStateException when the last copy that this thread made of it was dropped; once for each such
    ///     copy, so that the next call starts
    public void use() {
        var copy = last;
        if (copy != null
                && !copy.isStarted
                && copy.threadId == Thread.currentThread().threadId()) {
            last = null;
            throw new IllegalStateException(
                    "what " + copy.setter + "(…) returned was not used, and this one lacks that setting: settings "
                            + "are immutable, so keep what is returned, or start with this one first");
        }
        var one = this;
        while (one != null) one = one.started();
    }

    /// Lets go of the value that it came from, so that a long row of copies is not kept.
    private @Nullable Derived started() {
        var before = from;
        isStarted = true;
        from = null;
        return before;
    }
}
