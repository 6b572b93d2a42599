package io.millrace.net;

import java.util.OptionalInt;

/// The peer, or the network on the way to it, does not accept the connection: nobody listens, no route, no
/// permission.
public final class Refused extends NetException {
    private static final long serialVersionUID = 1;

    private final int status;

    public Refused(String message) {
        this(message, 0);
    }

    /// By a proxy on the way that says so.
    ///
    /// @param status its answer's, 0 for none
    public Refused(String message, int status) {
        super(message);
        this.status = status;
    }

    /// With what status a proxy on the way has answered; empty where nobody has.
    public OptionalInt status() {
        return status == 0 ? OptionalInt.empty() : OptionalInt.of(status);
    }
}
