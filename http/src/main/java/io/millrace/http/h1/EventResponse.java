package io.millrace.http.h1;

import io.millrace.http.EventStream;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;
import io.millrace.loop.Outbox;
import io.millrace.memory.LoopOutput;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A response that consists of events, which come from any thread.
final class EventResponse implements PendingResponse, EventStream {
    private final HttpConnection connection;
    private final BuiltResponse answer;
    private final Consumer<EventStream> open;
    private final ResponseHead.Framing framing;

    private @Nullable Outbox outbox;
    private boolean hasBegun;

    /// Guarded by this.
    private final List<Runnable> whenClosed = new ArrayList<>();

    /// Guarded by this: the peer or the stream has ended.
    private boolean isClosed;

    /// Guarded by this.
    private long sent;

    /// Written by whoever ends the stream: nothing is sent any more.
    private volatile boolean isEnding;

    EventResponse(HttpConnection connection, BuiltResponse answer, Body.Events events) {
        this.connection = connection;
        this.answer = answer;
        this.open = events.open();
        this.framing = ResponseHead.framing(
                answer.status(), Body.UNKNOWN, connection.exchange().isOldPeer());
    }

    @Override
    public void go() {
        if (!hasBegun) {
            hasBegun = true;
            begin();
        }
        var out = outbox;
        // What was sent before may be on its way yet; behind it comes another call.
        if (out == null || !isEnding || !out.isDirect()) return;
        if (framing == ResponseHead.Framing.CHUNKED && !connection.exchange().isHead()) {
            Chunks.last(connection.output());
        }
        close();
        connection.exchangeIsOver();
    }

    private void begin() {
        connection.begin(answer, framing, Body.UNKNOWN);
        outbox = connection.events(this).outbox();
        if (connection.exchange().isHead()) close();
        else open.accept(this);
    }

    // Any thread.

    @Override
    public boolean send(String data) {
        return send(text("", data));
    }

    @Override
    public boolean send(String event, String data) {
        if (event.indexOf('\n') >= 0 || event.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("the event name '" + event + "' has a line end: leave it out");
        }
        return send(text("event: " + event + "\n", data));
    }

    private static byte[] text(String first, String data) {
        var text = new StringBuilder(first);
        data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
        if (data.isEmpty()) text.append("data:\n");
        return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private boolean send(byte[] event) {
        var out = outbox;
        if (out == null) return false;
        // Nothing may come behind the end of the stream, nor be half on its way when that is written.
        synchronized (this) {
            if (isEnding || !out.send(frame -> write(event, frame))) return false;
            sent += event.length;
            return true;
        }
    }

    @Override
    public synchronized long sent() {
        return sent;
    }

    private void write(byte[] event, LoopOutput frame) {
        boolean isChunked = framing == ResponseHead.Framing.CHUNKED;
        if (isChunked) Chunks.begin(frame, event.length);
        frame.write(event, 0, event.length);
        if (isChunked) Chunks.end(frame);
    }

    @Override
    public boolean isFull() {
        var out = outbox;
        return out != null && out.isFull();
    }

    @Override
    public void onClose(Runnable task) {
        synchronized (this) {
            if (!isClosed) {
                whenClosed.add(task);
                return;
            }
        }
        Callbacks.tell(task);
    }

    /// Ends the stream. When the connection has died it is also the end, but nobody hears of it.
    @Override
    public void close() {
        List<Runnable> tasks;
        synchronized (this) {
            if (isClosed) return;
            isClosed = true;
            isEnding = true;
            tasks = List.copyOf(whenClosed);
        }
        tasks.forEach(Callbacks::tell);
        connection.connection().callHandler();
    }
}
