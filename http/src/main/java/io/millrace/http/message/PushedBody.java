package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.PushBody;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopInput;
import io.millrace.memory.Reserve;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A body that any thread sends, on its way to the connection.
public final class PushedBody implements PushBody {
    private final Reserve reserve;
    private final BodyPipe pipe;

    // Guarded by this.

    private Runnable whenRoom = () -> {};

    /// Null once it was called.
    private @Nullable Runnable whenClosed = () -> {};

    private boolean isOver;
    private boolean wasFull;

    /// An empty body.
    ///
    /// @param loop any
    public PushedBody(EventLoop loop) {
        this.reserve = loop.pool().reserve();
        this.pipe = new BodyPipe(loop, this::changed);
    }

    /// The pipe that the connection takes it from.
    public BodyPipe pipe() {
        return pipe;
    }

    /// There is room again, or nothing is taken any more.
    private void changed() {
        Runnable told = null;
        synchronized (this) {
            if (pipe.isClosed()) {
                isOver = true;
                told = closed();
            } else if (wasFull && !pipe.isFull()) {
                wasFull = false;
                told = whenRoom;
            }
        }
        if (told != null) Callbacks.tell(told);
    }

    private @Nullable Runnable closed() {
        var told = whenClosed;
        whenClosed = null;
        return told;
    }

    @Override
    public boolean send(Bytes part) {
        synchronized (this) {
            if (isOver || isFull()) return false;
            if (part.length() > 0) pipe.put(LoopInput.of(part), reserve);
            return true;
        }
    }

    @Override
    public synchronized boolean isFull() {
        boolean isFull = pipe.isFull();
        if (isFull) wasFull = true;
        return isFull;
    }

    @Override
    public void onRoom(Runnable task) {
        synchronized (this) {
            whenRoom = task;
        }
    }

    @Override
    public void onClose(Runnable task) {
        synchronized (this) {
            if (!isOver) {
                whenClosed = task;
                return;
            }
        }
        Callbacks.tell(task);
    }

    @Override
    public void end() {
        if (ends()) pipe.end(Headers.EMPTY);
    }

    @Override
    public void fail(Throwable cause) {
        if (ends()) pipe.fail(cause instanceof IOException known ? known : new IOException("a body failed", cause));
    }

    private boolean ends() {
        Runnable told;
        synchronized (this) {
            if (isOver) return false;
            isOver = true;
            told = closed();
        }
        if (told != null) Callbacks.tell(told);
        return true;
    }
}
