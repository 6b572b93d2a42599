package io.millrace.proxy.upstream;

import org.jspecify.annotations.Nullable;

/// Which content of a polled file to use: one that is new, and that the last poll found, too, so that no
/// half-written file is used. One thread at a time.
public final class Settled {
    private @Nullable String seen;
    private @Nullable String taken;

    /// Takes the result of a poll. The first content counts at once.
    ///
    /// @param text the file's content at this moment
    public boolean isNew(String text) {
        boolean isSettled = taken == null || text.equals(seen);
        seen = text;
        return isSettled && !text.equals(taken);
    }

    /// Marks the content as used.
    public void take(String text) {
        seen = text;
        taken = text;
    }
}
