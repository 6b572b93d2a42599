package io.millrace.net;

/// The connection was cut: by the peer's reset, by an error of the network, or because it was written to after
/// the peer had gone.
public final class Reset extends NetException {
    private static final long serialVersionUID = 1;

    public Reset(String message) {
        super(message);
    }
}
