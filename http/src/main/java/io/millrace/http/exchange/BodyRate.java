package io.millrace.http.exchange;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Wording;
import java.time.Duration;

/// Watches how fast the body of a request arrives. It rests while the peer waits for us.
final class BodyRate {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final long LOAN_NANOS = 1_000_000_000;

    private final ServerStream stream;
    private final long leastBytes;
    private final Deadline deadline;

    // Written by who has the exchange; read by the loop.

    private volatile boolean isWatching;
    private volatile long bytes;
    private volatile long windowBytes;

    /// Written by the loop, too.
    private volatile boolean isTooSlow;

    /// The loop's: user code on another thread had the exchange when a window was over.
    private boolean wasLent;

    BodyRate(ServerStream stream, HttpLimits limits) {
        this.stream = stream;
        this.leastBytes = limits.bodyBytesPerSecond() * WINDOW.toSeconds();
        this.deadline = new Deadline(stream.loop(), this::expired);
    }

    /// More of a body is awaited.
    ///
    /// @param received bytes of it so far
    void body(long received) {
        bytes = received;
        if (isWatching || leastBytes == 0) return;
        windowBytes = received;
        isTooSlow = false;
        isWatching = true;
        deadline.after(WINDOW.toNanos());
    }

    /// Nothing is expected of the peer.
    void rest() {
        if (!isWatching) return;
        isWatching = false;
        deadline.clear();
    }

    /// Whether the body that is awaited has arrived more slowly than it may.
    boolean isTooSlow() {
        return isTooSlow && isWatching;
    }

    void cancel() {
        isWatching = false;
        deadline.cancel();
    }

    /// On the loop. While another thread has the exchange, the peer waits for us.
    private void expired() {
        if (stream.isLent()) {
            wasLent = true;
            deadline.after(LOAN_NANOS);
        } else if (isWatching) {
            check();
        }
    }

    private void check() {
        long arrived = bytes - windowBytes;
        // While it does not take our answer, we do not let it send.
        if (wasLent || arrived >= leastBytes || stream.isFull()) {
            wasLent = false;
            windowBytes = bytes;
            deadline.after(WINDOW.toNanos());
            return;
        }
        HttpGuards.BODY_RATE.acted(
                stream.remote(), arrived + " bytes of a body in " + Wording.of(WINDOW) + ", at least " + leastBytes);
        isTooSlow = true;
        stream.wake();
    }
}
