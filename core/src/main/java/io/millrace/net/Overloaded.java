package io.millrace.net;

/// A limit of this side was reached: memory, descriptors, unread input or unsent output; the message names the
/// limit.
public final class Overloaded extends NetException {
    private static final long serialVersionUID = 1;

    public Overloaded(String message) {
        super(message);
    }
}
