package io.millrace.bytes;

/// More was written to an [Output] than its connection may hold unsent, or the event loop's memory limit is
/// reached. It kills the connection whose handler wrote, and nothing else; the message names the limit.
public final class Overflow extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Overflow(String message) {
        super(message);
    }
}
