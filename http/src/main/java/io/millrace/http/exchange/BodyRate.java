package io.millrace.http.exchange;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Deadline;
import io.millrace.loop.Wording;
import java.time.Duration;

/// Watches the rate at which a request's body arrives. It rests while the peer waits for the server.
///
/// A stream waits for the bytes of other streams that share its connection. So the peer also keeps to the rate if it
/// sends as much on all of them as the rate asks for all together; and it may send nothing while bodies that nobody
/// reads fill the window that all share.
final class BodyRate extends Deadline {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final long LOAN_NANOS = 1_000_000_000;

    private final ServerStream stream;
    private final long leastBytes;

    // Written by the thread that has the exchange; read by the loop.

    private volatile boolean isWatching;
    private volatile long bytes;
    private volatile long windowBytes;
    private volatile long windowBytesOfAll;

    /// Also written by the loop.
    private volatile boolean isTooSlow;

    /// Used by the loop: user code on another thread had the exchange when a window ended.
    private boolean wasLent;

    /// Used by the loop: when the window began, nothing could arrive.
    private boolean wasShut;

    BodyRate(ServerStream stream, HttpLimits limits) {
        super(stream.loop());
        this.stream = stream;
        this.leastBytes = limits.bodyBytesPerSecond() * WINDOW.toSeconds();
    }

    /// More of a body is expected.
    ///
    /// @param received bytes of it so far
    void body(long received) {
        bytes = received;
        if (isWatching || leastBytes == 0) return;
        windowBytes = received;
        windowBytesOfAll = stream.bodyBytesOfAll();
        isTooSlow = false;
        isWatching = true;
        after(WINDOW.toNanos());
    }

    /// Nothing is expected of the peer.
    void rest() {
        if (!isWatching) return;
        isWatching = false;
        clear();
    }

    /// Whether the expected body has arrived too slowly.
    boolean isTooSlow() {
        return isTooSlow && isWatching;
    }

    /// For good.
    void end() {
        isWatching = false;
        stop();
    }

    /// On the loop. While another thread has the exchange, the peer waits for the server.
    @Override
    protected void expired() {
        if (stream.isLent()) {
            wasLent = true;
            after(LOAN_NANOS);
        } else if (isWatching) {
            check();
        }
    }

    private void check() {
        long arrived = bytes - windowBytes;
        if (wasLent || wasShut || isShut() || arrived >= leastBytes || areOthersServed()) {
            wasLent = false;
            wasShut = isShut();
            windowBytes = bytes;
            windowBytesOfAll = stream.bodyBytesOfAll();
            after(WINDOW.toNanos());
            return;
        }
        HttpGuards.BODY_RATE.acted(
                stream.remote(), arrived + " bytes of a body in " + Wording.of(WINDOW) + ", at least " + leastBytes);
        isTooSlow = true;
        stream.wake();
    }

    /// While the peer does not read the response, its body is not read; nor is it while the peer does not take the
    /// responses of other streams, or can send on none, or memory is tight.
    private boolean isShut() {
        return stream.incompleteBodies() == 0 || stream.isFull() || !stream.isReceiving();
    }

    private boolean areOthersServed() {
        return stream.bodyBytesOfAll() - windowBytesOfAll >= leastBytes * stream.incompleteBodies();
    }
}
