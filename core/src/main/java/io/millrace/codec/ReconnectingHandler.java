package io.millrace.codec;

import io.millrace.net.Reset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The handler of one connection of a client that connects again.
final class ReconnectingHandler<M> implements MessageHandler<M>, Reconnecting.Line<M> {
    private final Messages<M> peer;
    private final Reconnecting.Dial<M> attempt;
    private final MessageHandler<M> handler;

    private ReconnectingHandler(Messages<M> peer, Reconnecting.Dial<M> attempt, MessageHandler<M> handler) {
        this.peer = peer;
        this.attempt = attempt;
        this.handler = handler;
    }

    static <M> MessageHandler<M> open(
            Messages<M> peer, Reconnecting.Dial<M> attempt, Reconnecting.MessagesOpener<M> opener) {
        var before = attempt.before();
        if (before.isEmpty()) {
            peer.close();
            return _ -> {};
        }
        var handler = new ReconnectingHandler<>(peer, attempt, opener.open(peer, before.get()));
        attempt.opened(handler);
        return handler;
    }

    @Override
    public void onMessage(M message) throws IOException {
        handler.onMessage(message);
    }

    @Override
    public void onWritable() {
        attempt.hasRoom();
        handler.onWritable();
    }

    @Override
    public void onIdle(Messages<M> idle) {
        handler.onIdle(idle);
    }

    @Override
    public void onEnd(Messages<M> ended) {
        handler.onEnd(ended);
    }

    @Override
    public void onDrain(Messages<M> draining) {
        handler.onDrain(draining);
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        try {
            handler.onClose(cause);
        } finally {
            attempt.over(cause != null ? cause : new Reset(peer.remote() + " ended the connection"));
        }
    }

    @Override
    public boolean send(M message) {
        return peer.send(message);
    }

    @Override
    public boolean isFull() {
        return peer.isFull();
    }

    @Override
    public void close() {
        peer.close();
    }
}
