package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.websocket.Unsent.Control;
import io.millrace.http.websocket.Unsent.Part;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.TunnelEnd;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// What waits to be sent by one socket. Any thread adds; the loop writes frames while the peer takes them.
///
/// ```
///   any thread: send ─► unsent ─ flush, once it was empty ─► loop: frame ─► end, a long one part by part
///                                                          └── until the end is full; again when it has room
/// ```
final class SendQueue extends Unsent implements Runnable {
    static final long HIGH_BYTES = 64 << 10;
    private static final long LOW_BYTES = 16 << 10;
    private static final long LONG_BYTES = 16 << 10;

    private final TunnelEnd end;
    private final WsWriter writer;
    private final WebSocketSettings settings;
    private final QueueNews news;

    /// The rest of a long frame; the loop's.
    private @Nullable LoopOutput rest;

    private boolean isCloseWritten;
    private long sentBytes;

    // Guarded by this, as what waits is.

    private boolean isFlushing;
    private boolean isOver;
    private boolean isFullTold;

    /// Told on the loop.
    interface QueueNews {
        /// There is room again, after the queue was full.
        void hasRoom();

        /// The peer is too slow, and the policy is to close.
        void isTooSlow(long waitingBytes);

        /// The close frame is on its way, and nothing follows.
        void closeIsSent();

        /// The kernel has the close frame.
        void closeHasLeft();
    }

    SendQueue(TunnelEnd end, WsWriter writer, WebSocketSettings settings, QueueNews news) {
        this.end = end;
        this.writer = writer;
        this.settings = settings;
        this.news = news;
    }

    // Any thread.

    /// Sends a whole message, a part of one, or a control frame.
    ///
    /// @return false if it is not sent
    boolean send(Object message) {
        return send(null, message);
    }

    /// The same.
    ///
    /// @param key of a whole message that takes the place of the one with this key, if that waits and the policy
    ///     says so; or null
    boolean send(@Nullable String key, Object message) {
        boolean isTooMuch;
        synchronized (this) {
            if (isOver) return false;
            isTooMuch = !(message instanceof Control) && isTooMuch();
            if (!isTooMuch) queue(key, message);
            if (isFlushing && !isTooMuch) return true;
            isFlushing = true;
        }
        if (isTooMuch) later(this::tooSlow);
        else onLoop();
        return !isTooMuch;
    }

    private void queue(@Nullable String key, Object message) {
        if (message instanceof Control frame) control(frame);
        else if (message instanceof Part part) part(part);
        else if (key != null && settings.slowReader() == SlowReader.KEEP_NEWEST) newest(key, message);
        else whole(message);
        if (message instanceof Control.Close) isOver = true;
    }

    /// Whether the policy ends the socket; otherwise the oldest messages are dropped. What waits already decides: the
    /// next message may be of any length though its peer is not slow, and control frames are few.
    private boolean isTooMuch() {
        if (bytes() <= settings.queueBytes()) return false;
        boolean ends = settings.slowReader() == SlowReader.CLOSE || !dropTo(settings.queueBytes());
        isOver |= ends;
        return ends;
    }

    /// Whether more than the high watermark waits. After true, [QueueNews#hasRoom] follows.
    ///
    /// @param isForWhole whether it is asked for a whole message, which would wait behind one in parts
    synchronized boolean isFull(boolean isForWhole) {
        long ahead = bytes() - behindBytes();
        boolean isFull = ahead > HIGH_BYTES || (isForWhole && behindBytes() > HIGH_BYTES);
        isFullTold |= isFull;
        return isFull;
    }

    /// Messages that were dropped or replaced because the peer is slow.
    @Override
    synchronized long missed() {
        return super.missed();
    }

    /// One was dropped before it came here.
    synchronized void isMissed() {
        miss();
    }

    private void onLoop() {
        if (end.loop().isCallers()) run();
        else later(this);
    }

    private void later(Runnable task) {
        try {
            end.loop().execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and the socket with it.
        }
    }

    private void tooSlow() {
        long bytes;
        synchronized (this) {
            bytes = bytes();
        }
        news.isTooSlow(bytes);
    }

    // The loop's.

    /// For who has sent something. Handlers are told later: the sender may be a group in the middle of its
    /// members, and what a handler sends to one of them must stay behind what that is about to get.
    @Override
    public void run() {
        if (makesRoom()) later(news::hasRoom);
    }

    /// For an end that has room.
    void flush() {
        if (makesRoom()) news.hasRoom();
    }

    /// Writes what waits, while the end takes it.
    ///
    /// @return whether somebody waits for the room that is there now
    private boolean makesRoom() {
        while (passes()) {
            var next = taken();
            if (next == null) break;
            isCloseWritten |= next instanceof Control.Close;
            write(next);
            if (isCloseWritten) end.whenSent(news::closeHasLeft);
        }
        if (hasWrittenClose()) news.closeIsSent();
        return takeRoomNews();
    }

    private synchronized @Nullable Object taken() {
        var next = next();
        if (next == null) isFlushing = false;
        return next;
    }

    private synchronized boolean takeRoomNews() {
        if (!isFullTold || bytes() - behindBytes() > LOW_BYTES) return false;
        isFullTold = false;
        return true;
    }

    /// Most frames go where the end takes its bytes from. A long one is written aside, and passed on as the end
    /// has room.
    private void write(Object message) {
        boolean isLong = Unsent.weight(message) > LONG_BYTES;
        var out = isLong ? LoopOutput.aside(end.loop().pool()) : end.writing();
        long before = out.size();
        try {
            frame(message, out);
            sentBytes += out.size() - before;
            if (isLong) rest = out;
        } catch (Throwable e) {
            // Part of a frame may be there, behind which nothing can be sent.
            if (isLong) out.release();
            end.abort();
            throw e;
        } finally {
            if (!isLong) end.wrote();
        }
    }

    private void frame(Object message, LoopOutput out) {
        switch (message) {
            case String text -> writer.text(out, text, end.loop().callRoom().bytes());
            case Bytes bytes -> writer.binary(out, bytes);
            case Part part -> writer.part(out, part.isText(), part.bytes(), part.isLast());
            case SharedFrame(var frame) -> writer.shared(out, frame);
            case Control.Ping _ -> writer.ping(out, Bytes.EMPTY);
            case Control.Pong(var payload) -> writer.pong(out, payload);
            case Control.Close(int code, var reason) -> writer.close(out, code, reason);
            default -> throw new IllegalArgumentException("not a message: " + message);
        }
    }

    /// Sends frames that several sockets share, of [WsWriter#encode], past this queue.
    ///
    /// @return false if something else comes first
    boolean sendAtOnce(SharedChain frames) {
        // Without the lock: what the sender of a frame has sent here before it can be seen here.
        if (isOver || size() > 0 || rest != null || !writer.sharesAsItIs()) return false;
        if (!end.sendAtOnce(frames)) return false;
        sentBytes += frames.size();
        return true;
    }

    /// Passes on what is left of a long frame, slab by slab.
    ///
    /// @return whether the end takes another frame
    private boolean passes() {
        var out = rest;
        if (out == null) return !end.isFull();
        while (!out.chain().isEmpty() && !end.isFull()) {
            var part = new Chain();
            part.append(out.chain().removeHead());
            end.append(part);
        }
        if (!out.chain().isEmpty()) return false;
        rest = null;
        return !end.isFull();
    }

    /// Whether the close frame is on its way; nothing follows it.
    boolean hasWrittenClose() {
        return isCloseWritten && rest == null;
    }

    long sentBytes() {
        return sentBytes;
    }

    /// The end has closed: nothing more is sent.
    void release() {
        synchronized (this) {
            isOver = true;
            clear();
        }
        if (rest != null) rest.release();
        rest = null;
    }
}
