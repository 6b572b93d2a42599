package io.millrace.loop;

import org.jspecify.annotations.Nullable;

/// Where a value of settings came from: so that one is not used whose change was dropped. Those who set something on it
/// and go on with the old one mean the new one; only a compiler that knows
/// [io.millrace.net.CheckReturnValue] tells them. Any thread.
///
/// ```
///   value ── what sets something ──► copy: used once it is started with, or changed again
///     └── started with, while a copy of it is not used ──► refused
/// ```
public final class Derived {
    private final String how;
    private volatile boolean isUsed;
    private volatile @Nullable Derived last;

    private Derived(String how) {
        this.how = how;
    }

    /// Of a value that somebody makes.
    ///
    /// @param how for messages, as in `Listen.on`
    public static Derived first(String how) {
        return new Derived(how);
    }

    /// Of a copy.
    ///
    /// @param setter what makes it, for messages
    public Derived next(String setter) {
        isUsed = true;
        var copy = new Derived(setter);
        last = copy;
        return copy;
    }

    /// The value is used.
    ///
    /// @throws IllegalStateException when what was set on it last was dropped
    public void use() {
        isUsed = true;
        var copy = last;
        if (copy == null || copy.isUsed) return;
        throw new IllegalStateException(
                "what " + copy.how + "(…) returned has not been used, and this is without it: settings"
                        + " are values, so keep what is returned, or start with this one first");
    }
}
