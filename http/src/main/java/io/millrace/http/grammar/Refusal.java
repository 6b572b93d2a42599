package io.millrace.http.grammar;

import io.millrace.net.Guard;
import org.jspecify.annotations.Nullable;

/// A message is refused: the status to answer with, and the reason in a few words for logs. It has no stack
/// trace, because peers cause it.
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient @Nullable Guard guard;

    public Refusal(int status, String why) {
        this(status, why, null);
    }

    /// @param guard the limit that was exceeded
    public Refusal(int status, String why, @Nullable Guard guard) {
        super(why, null, false, false);
        this.status = status;
        this.guard = guard;
    }

    public int status() {
        return status;
    }

    @Nullable
    public Guard guard() {
        return guard;
    }
}
