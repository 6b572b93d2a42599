package io.millrace.net;

/// The peer, or the network on the way to it, does not accept the connection: nothing listens, no route, no
/// permission.
public final class Refused extends NetException {
    private static final long serialVersionUID = 1;

    public Refused(String message) {
        super(message);
    }
}
