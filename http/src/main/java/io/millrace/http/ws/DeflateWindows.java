package io.millrace.http.ws;

import java.util.concurrent.atomic.AtomicInteger;

/// How many connections may keep their windows of compression between messages, which takes some 300 KiB outside of
/// the heap for each; the others agree on packing each message by itself. Any thread.
public final class DeflateWindows {
    /// No connection has any.
    public static final DeflateWindows NONE = new DeflateWindows(0);

    private final int most;
    private final AtomicInteger inUse = new AtomicInteger();

    public DeflateWindows(int mostConnections) {
        this.most = mostConnections;
    }

    public int inUse() {
        return inUse.get();
    }

    /// Whether the caller has one now, until [#give].
    boolean take() {
        if (inUse.incrementAndGet() <= most) return true;
        inUse.decrementAndGet();
        return false;
    }

    void give() {
        inUse.decrementAndGet();
    }

    /// Whether there are some, though perhaps not now.
    boolean areAllowed() {
        return most > 0;
    }

    int most() {
        return most;
    }
}
