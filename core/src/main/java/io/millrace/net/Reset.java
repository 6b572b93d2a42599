package io.millrace.net;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The connection was cut: by the peer's reset, by a network error, or because output was written after the peer
/// had closed.
public final class Reset extends NetException {
    private static final long serialVersionUID = 1;

    private final @Nullable Integer code;

    public Reset(String message) {
        super(message);
        this.code = null;
    }

    /// With the peer's code.
    public Reset(String message, int code) {
        super(message);
        this.code = code;
    }

    /// The code that the peer gave, if its protocol has codes: that of a stream of HTTP/2 (RFC 9113 section 7).
    public OptionalInt code() {
        return code == null ? OptionalInt.empty() : OptionalInt.of(code);
    }
}
