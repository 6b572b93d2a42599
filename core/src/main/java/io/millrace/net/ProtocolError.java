package io.millrace.net;

/// The peer broke the protocol's rules: a frame over its limit, a negative length, bytes left in a frame.
public final class ProtocolError extends NetException {
    private static final long serialVersionUID = 1;

    public ProtocolError(String message) {
        super(message);
    }
}
