package io.millrace.http.coding;

import io.millrace.net.Guard;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The input is malformed, or decodes to too much. The message gives the reason in a few words. It has no
/// stack trace, because peers cause it.
public final class BadCoding extends IOException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable Guard guard;

    private final int status;

    BadCoding(String why) {
        this(400, why, null);
    }

    /// @param guard the limit that was exceeded
    BadCoding(int status, String why, @Nullable Guard guard) {
        super(why);
        this.status = status;
        this.guard = guard;
    }

    /// The status to answer with.
    public int status() {
        return status;
    }

    /// Null for malformed input.
    public @Nullable Guard guard() {
        return guard;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
