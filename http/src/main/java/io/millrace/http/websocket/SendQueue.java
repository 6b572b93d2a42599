package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TunnelEnd;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// What waits to be sent by one socket. Any thread adds; the loop writes frames while the peer takes them.
///
/// ```
///   any thread: send ─► waiting ─ flush, once it was empty ─► loop: frame ─► part by part ─► end
///                                                            └── until the end is full; again when it has room
/// ```
final class SendQueue {
    /// Heap used by a waiting message besides its bytes.
    private static final long MESSAGE_BYTES = 64;

    static final long HIGH_BYTES = 64 << 10;
    private static final long LOW_BYTES = 16 << 10;

    private final TunnelEnd end;
    private final EventLoop loop;
    private final WsWriter writer;
    private final long mostBytes;
    private final SlowReader policy;
    private final QueueNews news;

    /// The rest of a long frame; the loop's.
    private @Nullable LoopOutput unsent;

    private boolean isCloseWritten;
    private long sentBytes;

    // Guarded by this.

    private @Nullable ArrayDeque<Object> waiting;
    private long waitingBytes;
    private boolean isFlushing;
    private boolean isOver;
    private boolean isFullTold;
    private long missed;

    /// Told on the loop.
    interface QueueNews {
        /// There is room again, after the queue was full.
        void hasRoom();

        /// The peer is too slow, and the policy is to close.
        void isTooSlow(long waitingBytes);

        /// The close frame is on its way, and nothing follows.
        void closeIsSent();
    }

    /// A frame of [WsWriter#encode].
    private record Shared(Bytes frame) {}

    /// A control frame.
    sealed interface Control {
        record Ping() implements Control {}

        record Pong(Bytes payload) implements Control {}

        record Close(int code, String reason) implements Control {}
    }

    SendQueue(TunnelEnd end, WsWriter writer, WebSocketSettings settings, QueueNews news) {
        this.end = end;
        this.loop = end.loop();
        this.writer = writer;
        this.mostBytes = settings.queueBytes();
        this.policy = settings.slowReader();
        this.news = news;
    }

    // Any thread.

    /// Sends text, bytes, or a control frame.
    ///
    /// @return false if it is not sent
    boolean send(Object message) {
        boolean isTooMuch;
        synchronized (this) {
            if (isOver) return false;
            if (waiting == null) waiting = new ArrayDeque<>(4);
            waiting.add(message);
            waitingBytes += weight(message);
            if (message instanceof Control.Close) isOver = true;
            isTooMuch = waitingBytes > mostBytes && isTooMuch();
            if (isFlushing && !isTooMuch) return true;
            isFlushing = true;
        }
        onLoop(isTooMuch ? this::tooSlow : this::flush);
        return !isTooMuch;
    }

    static long weight(Object message) {
        return MESSAGE_BYTES
                + switch (message) {
                    case String text -> text.length();
                    case Bytes bytes -> bytes.length();
                    case Shared(var frame) -> frame.length();
                    case Control.Pong(var payload) -> payload.length();
                    default -> 0;
                };
    }

    /// Whether the policy ends the socket; otherwise the oldest messages are dropped.
    private boolean isTooMuch() {
        if (policy == SlowReader.CLOSE) {
            isOver = true;
            return true;
        }
        var all = waiting == null ? new ArrayDeque<>(0) : waiting;
        var each = all.iterator();
        while (waitingBytes > mostBytes && each.hasNext()) {
            var old = each.next();
            if (old instanceof Control) continue;
            each.remove();
            waitingBytes -= weight(old);
            missed++;
        }
        return false;
    }

    /// Whether more than the high watermark waits. After true, [QueueNews#hasRoom] follows.
    synchronized boolean isFull() {
        boolean isFull = waitingBytes > HIGH_BYTES;
        isFullTold |= isFull;
        return isFull;
    }

    /// Messages that were dropped because the peer is slow.
    synchronized long missed() {
        return missed;
    }

    private void onLoop(Runnable task) {
        if (loop.inLoop()) loop.doHere(task);
        else later(task);
    }

    private void later(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and the socket with it.
        }
    }

    private void tooSlow() {
        long bytes;
        synchronized (this) {
            bytes = waitingBytes;
        }
        news.isTooSlow(bytes);
    }

    // The loop's.

    /// Writes what waits, while the end takes it.
    void flush() {
        while (passes()) {
            Object next;
            synchronized (this) {
                next = waiting == null ? null : waiting.poll();
                if (next == null) {
                    isFlushing = false;
                    waiting = null;
                    break;
                }
                waitingBytes -= weight(next);
            }
            isCloseWritten |= next instanceof Control.Close;
            write(next);
        }
        if (isCloseWritten && unsent == null) news.closeIsSent();
        if (takeRoomNews()) news.hasRoom();
    }

    private synchronized boolean takeRoomNews() {
        if (!isFullTold || waitingBytes > LOW_BYTES) return false;
        isFullTold = false;
        return true;
    }

    private void write(Object message) {
        var out = LoopOutput.aside(loop.pool());
        switch (message) {
            case String text -> writer.text(out, text);
            case Bytes bytes -> writer.binary(out, bytes);
            case Shared(var frame) -> writer.shared(out, frame);
            case Control.Ping _ -> writer.ping(out, Bytes.EMPTY);
            case Control.Pong(var payload) -> writer.pong(out, payload);
            case Control.Close(int code, var reason) -> writer.close(out, code, reason);
            default -> throw new IllegalArgumentException("not a message: " + message);
        }
        sentBytes += out.size();
        unsent = out;
    }

    /// Sends a frame that several sockets share, of [WsWriter#encode]. Nothing is allocated for it when nothing waits.
    /// By the loop's thread, not one that it carries.
    void sendShared(Bytes frame) {
        if (!isDirect()) {
            var _ = send(new Shared(frame));
        } else if (end.write(frame)) {
            sentBytes += frame.length();
        }
    }

    /// Sends such frames past this queue.
    ///
    /// @return false if something else comes first
    boolean sendAtOnce(SharedChain frames) {
        // Without the lock: what the sender of a frame has sent here before it can be seen here.
        if (isOver || waiting != null || unsent != null || !writer.sharesAsItIs()) return false;
        if (!end.sendAtOnce(frames)) return false;
        sentBytes += frames.size();
        return true;
    }

    private boolean isDirect() {
        synchronized (this) {
            if (isOver || waiting != null) return false;
        }
        return unsent == null && writer.sharesAsItIs() && !end.isFull();
    }

    /// Passes on what is left of a frame, slab by slab.
    ///
    /// @return whether the end takes another frame
    private boolean passes() {
        var out = unsent;
        while (out != null && !out.chain().isEmpty() && !end.isFull()) {
            var part = new Chain();
            if (out.size() <= HIGH_BYTES) part.appendAll(out.chain());
            else part.append(out.chain().removeHead());
            end.append(part);
        }
        if (out != null && !out.chain().isEmpty()) return false;
        unsent = null;
        return !end.isFull();
    }

    long sentBytes() {
        return sentBytes;
    }

    /// The end has closed: nothing more is sent.
    void release() {
        synchronized (this) {
            isOver = true;
            waiting = null;
            waitingBytes = 0;
        }
        if (unsent != null) unsent.release();
        unsent = null;
    }
}
