package io.millrace.net;

/// A timeout of this connection expired: while connecting, idle, reading or writing; the message says which.
public final class TimedOut extends NetException {
    private static final long serialVersionUID = 1;

    public TimedOut(String message) {
        super(message);
    }
}
