package io.millrace.http.coding;

import io.millrace.net.Guard;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What arrived is not what its coding says, or too much of it. The message says what in a few words. It carries
/// no stack trace, because peers cause it.
public final class BadCoding extends IOException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable Guard guard;

    private final int status;

    BadCoding(String why) {
        this(400, why, null);
    }

    /// @param guard the limit that it is about
    BadCoding(int status, String why, @Nullable Guard guard) {
        super(why);
        this.status = status;
        this.guard = guard;
    }

    /// What a server answers.
    public int status() {
        return status;
    }

    /// Null when it is malformed.
    public @Nullable Guard guard() {
        return guard;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
