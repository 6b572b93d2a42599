package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.PushBody;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/// Subscribes to the parts of a body, and requests the next one when there is room for it (Reactive Streams
/// 1.0.4, section 2). Any thread.
public final class PublishedBody implements Flow.Subscriber<Bytes> {
    private final PushBody body;

    /// Guarded by this.
    private Flow.@Nullable Subscription subscription;

    /// Guarded by this: the next part waits for room.
    private boolean isAwaitingRoom;

    /// Guarded by this: nothing more is published.
    private boolean hasEnded;

    /// @param body of a response that has begun
    public PublishedBody(PushBody body) {
        this.body = body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        Objects.requireNonNull(given, "a subscription");
        synchronized (this) {
            if (subscription != null) {
                given.cancel();
                return;
            }
            subscription = given;
        }
        body.onRoom(this::hasRoom);
        body.onClose(this::closed);
        given.request(1);
    }

    /// A publisher that has ended must not be cancelled.
    private void closed() {
        Flow.Subscription left;
        synchronized (this) {
            left = hasEnded ? null : subscription;
        }
        if (left != null) left.cancel();
    }

    private synchronized void ended() {
        hasEnded = true;
    }

    private void hasRoom() {
        Flow.Subscription asked = null;
        synchronized (this) {
            if (isAwaitingRoom) asked = subscription;
            isAwaitingRoom = false;
        }
        if (asked != null) asked.request(1);
    }

    @Override
    public void onNext(Bytes part) {
        Objects.requireNonNull(part, "a part");
        if (!body.send(part)) {
            // A part that was not requested cannot be dropped, because its loss would not be noticed.
            if (body.isFull()) body.fail(new IllegalStateException("a part was published that was not requested"));
            return;
        }
        Flow.Subscription asked;
        synchronized (this) {
            isAwaitingRoom = body.isFull();
            asked = isAwaitingRoom ? null : subscription;
        }
        if (asked != null) asked.request(1);
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "a cause");
        ended();
        body.fail(cause);
    }

    @Override
    public void onComplete() {
        ended();
        body.end();
    }
}
