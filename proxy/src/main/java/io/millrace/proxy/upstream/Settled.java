package io.millrace.proxy.upstream;

import org.jspecify.annotations.Nullable;

/// Which of the texts counts that a file turns out to have, when it is looked at once in a while: one that is new,
/// and was there the last time, too, so that nobody works with a file that is being written. One thread at a time.
public final class Settled {
    private @Nullable String seen;
    private @Nullable String taken;

    /// Looks once more. Before anything was taken, what is there counts at once.
    ///
    /// @param text what the file has at this moment
    public boolean isNew(String text) {
        boolean isSettled = taken == null || text.equals(seen);
        seen = text;
        return isSettled && !text.equals(taken);
    }

    /// This is what is worked with from now on.
    public void take(String text) {
        seen = text;
        taken = text;
    }
}
