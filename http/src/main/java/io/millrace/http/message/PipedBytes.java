package io.millrace.http.message;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// What waits in all pipes of one connection. A peer with many streams gets as much for one of them as a connection
/// with one, and little for each once they hold much together. Any thread.
///
/// ```
///   100 streams, 256 KiB each: 25 MiB   ─►   1 MiB, and 16 KiB and a part of each
/// ```
public final class PipedBytes {
    private static final long MUCH_BYTES = 1 << 20;

    private final AtomicLong bytes = new AtomicLong();
    private final LongSupplier behind;

    /// @param behind what has left the pipes, and waits for the peer
    public PipedBytes(LongSupplier behind) {
        this.behind = behind;
    }

    void change(long by) {
        if (by != 0) bytes.addAndGet(by);
    }

    boolean areMany() {
        return bytes.get() + behind.getAsLong() > MUCH_BYTES;
    }
}
