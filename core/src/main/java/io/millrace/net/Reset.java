package io.millrace.net;

/// The connection was cut: by the peer's reset, by a network error, or because output was written after the peer
/// had closed.
public final class Reset extends NetException {
    private static final long serialVersionUID = 1;

    public Reset(String message) {
        super(message);
    }
}
