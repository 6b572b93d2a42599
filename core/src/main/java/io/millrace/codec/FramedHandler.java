package io.millrace.codec;

import io.millrace.bytes.Input;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.ProtocolError;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/// Turns the calls of a connection into those of a [MessageHandler].
final class FramedHandler<M> implements Handler {
    private final Messages<M> peer;
    private final Frames<M> frames;
    private final MessageHandler<M> handler;

    /// What the last call left in the input: the beginning of a frame, unless the handler has paused.
    private long left;

    FramedHandler(Messages<M> peer, Frames<M> frames, MessageHandler<M> handler) {
        this.peer = peer;
        this.frames = frames;
        this.handler = handler;
    }

    @Override
    public void onInput(Input in) throws IOException {
        var input = (LoopInput) in;
        while (peer.isReading()) {
            M message = frames.next(input);
            if (message == null) break;
            handler.onMessage(message);
        }
        left = input.remaining();
    }

    @Override
    public void onEnd(Connection connection) {
        try {
            Frames.checkEnd(left);
        } catch (ProtocolError e) {
            throw new UncheckedIOException(e);
        }
        handler.onEnd(peer);
    }

    @Override
    public void onWritable() {
        handler.onWritable();
    }

    @Override
    public void onIdle(Connection connection) {
        handler.onIdle(peer);
    }

    @Override
    public void onDrain(Connection connection) {
        handler.onDrain(peer);
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        handler.onClose(cause);
    }
}
