package io.millrace.http.ws;

import io.millrace.net.Guard;
import org.jspecify.annotations.Nullable;

/// The peer breaks the rules, or exceeds a limit: the connection ends with a close frame of this code. It has no
/// stack trace, because peers cause it.
public final class WsError extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient @Nullable Guard guard;

    /// @param code of [WsCodes]
    public WsError(int code, String why) {
        this(code, why, null);
    }

    /// @param guard the limit that was exceeded
    public WsError(int code, String why, @Nullable Guard guard) {
        super(why, null, false, false);
        this.code = code;
        this.guard = guard;
    }

    static WsError protocol(String why) {
        return new WsError(WsCodes.PROTOCOL_ERROR, why);
    }

    /// For the close frame.
    public int code() {
        return code;
    }

    /// Null for a broken rule.
    public @Nullable Guard guard() {
        return guard;
    }
}
