package io.millrace.http.h2;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.Deadline;
import io.millrace.loop.Departing;
import io.millrace.loop.Departures;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelEnd;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Guard;
import io.millrace.net.Handler;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A stream as an end of a tunnel (RFC 9113 section 8.5, RFC 8441 section 5): END_STREAM is what a half-close is
/// for a connection, and RST_STREAM what a reset is.
///
/// ```
///   DATA ─► arriving ─► side         what the side does not take keeps the window shut
///   side ─► queue ─► DATA
///   OPEN ── both have ended, and all was passed on; or a reset, or [#abort] ──► CLOSED
/// ```
final class StreamEnd implements TunnelEnd {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private final Http2Stream stream;
    private final Http2Connection<?> owner;
    private final EventLoop loop;

    /// The code for [#abort].
    private final int abortCode;

    private final StreamRoom room;
    private @Nullable Handler side;
    private boolean isPaused = true;

    /// The side is being called: what it does here must not call it again.
    private boolean isPassing;

    private boolean endWasTold;
    private boolean isClosing;
    private boolean isClosed;
    private @Nullable IOException cause;
    private @Nullable Idle idle;

    /// Made on first use.
    private @Nullable QueueWatches watches;

    StreamEnd(Http2Stream stream, int abortCode) {
        this.stream = stream;
        this.owner = stream.owner;
        this.loop = owner.loop;
        this.abortCode = abortCode;
        this.room = new StreamRoom(stream, StreamNotes.HIGH_BYTES, StreamNotes.LOW_BYTES);
    }

    // For the stream.

    /// More bytes, or the end.
    void arrived() {
        moved();
        pass();
    }

    /// Some of what waited was sent.
    void sentSome() {
        moved();
        if (watches != null) watches.passed(stream.sentBytes(), stream.queuedBytes());
        // Not from within this: the side may pass on what waits elsewhere, and so on.
        if (room.isNews(stream.queuedBytes())) stream.later(this::hasRoom);
        closeIfDone();
    }

    /// The peer has ended, and takes nothing more: what has arrived has to be read in time.
    void outlastsReset() {
        sentSome();
        if (!isClosed && !isClosing) awaitClose();
    }

    void hasRoom() {
        if (isClosed || !room.takeNews(stream.queuedBytes())) return;
        if (side != null) side.onWritable();
    }

    /// The stream is over.
    ///
    /// @param why null for an end in order
    void closed(@Nullable IOException why) {
        if (isClosed) return;
        if (isPassing) {
            stream.later(() -> closed(why));
            return;
        }
        isClosed = true;
        cause = why;
        if (idle != null) idle.stop();
        owner.call(() -> {
            stream.releaseInput();
            if (side != null) tellClosed(side);
            stream.tunnelClosed();
        });
    }

    /// The stream is over, whatever the side makes of it.
    private void tellClosed(Handler told) {
        try {
            told.onClose(cause);
        } catch (RuntimeException | Error e) {
            owner.connection.errors().log(LOG, Level.WARNING, "tunnel", () -> "a tunnel's side failed at its end", e);
        }
    }

    /// A drain has begun.
    void departs(Departures all) {
        if (side instanceof Departing departing && !isClosed) departing.departs(all);
    }

    private void moved() {
        if (idle != null) idle.movedNanos = loop.nowNanos();
    }

    // What arrives.

    private void pass() {
        if (isPassing) return;
        isPassing = true;
        try {
            boolean goesOn = true;
            while (goesOn) goesOn = passSome();
        } finally {
            isPassing = false;
        }
        tellEnd();
    }

    /// @return whether there may be more
    private boolean passSome() {
        var to = side;
        if (to == null || isPaused || isClosed || isClosing) return false;
        stream.takeArriving();
        var in = stream.input;
        long before = in == null ? 0 : in.size();
        if (in == null || before == 0) return false;
        in.lend(loop.pool());
        try {
            to.onInput(in);
            if (isWaiting(before)) stream.checkUnread(before);
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, () -> "a tunnel broke off: " + e);
            abort();
        } finally {
            in.endLoan(loop.pool());
            stream.consumed(before - in.size());
        }
        if (isWaiting(before)) stream.needsMore();
        if (in.size() == before) return false;
        moved();
        return true;
    }

    /// Whether the side takes nothing of so much that is unread until more is there.
    private boolean isWaiting(long unread) {
        boolean isReading = !isPaused && !isClosed && !isClosing;
        return isReading && !stream.hasPeerEnded() && stream.input != null && stream.input.size() == unread;
    }

    private void tellEnd() {
        var to = side;
        if (to == null || isPaused || isClosed || endWasTold) return;
        // Who has left some of it, as half a frame, gets no more.
        boolean isAll = stream.hasPeerEnded() && !stream.isCut() && stream.arrivingBytes() == 0;
        if (!isAll) return;
        endWasTold = true;
        to.onEnd(owner.connection);
        closeIfDone();
    }

    private void closeIfDone() {
        if (isClosed || !stream.hasEnded()) return;
        if (isClosing && !stream.hasPeerEnded()) owner.resets(stream, Http2Codes.NO_ERROR);
        if (isClosing || endWasTold) closed(null);
    }

    // For the tunnel.

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public TcpConnection connection() {
        return owner.connection;
    }

    @Override
    public void carry(Handler taking) {
        side = taking;
        if (isClosed) tellClosed(taking);
    }

    @Override
    public void move(Input in) {
        var out = owner.moving();
        out.move(in);
        send(out);
    }

    @Override
    public void append(Chain chain) {
        var out = owner.moving();
        out.appendAll(chain);
        send(out);
    }

    @Override
    public LoopOutput writing() {
        return owner.moving();
    }

    @Override
    public void wrote() {
        send(owner.moving());
    }

    private void send(LoopOutput out) {
        owner.call(() -> {
            stream.enqueue(out);
            owner.schedule(stream);
        });
    }

    @Override
    public boolean isFull() {
        return room.isFull(stream.queuedBytes(), false);
    }

    /// Bytes of other streams may be in front.
    @Override
    public long takenBytes() {
        // A peer opens its window for what it has got.
        boolean isWindowLate = owner.waitsForWindow(stream) && !connection().isSending();
        return isWindowLate ? stream.sentBytes() : connection().sentBytes();
    }

    @Override
    public void whenSent(Runnable task) {
        if (watches == null) watches = new QueueWatches(owner.connection);
        watches.add(task);
        watches.passed(stream.sentBytes(), stream.queuedBytes());
    }

    @Override
    public void resume() {
        isPaused = false;
        owner.call(this::pass);
    }

    @Override
    public void pause() {
        isPaused = true;
    }

    @Override
    public void end() {
        if (isClosed) return;
        owner.call(() -> {
            stream.enqueueEnd(Headers.EMPTY);
            stream.sendEnd();
            closeIfDone();
        });
    }

    @Override
    public void close() {
        if (isClosed) return;
        boolean isFirst = !isClosing;
        isClosing = true;
        stream.dropArriving();
        end();
        if (isFirst && !isClosed) awaitClose();
    }

    /// What is left has to move in time: to the peer, or to the side.
    private void awaitClose() {
        if (idle != null) idle.stop();
        long limitNanos = connection().closingNanos();
        idle = limitNanos == 0 ? null : new Idle(limitNanos, CoreGuards.CLOSE_TIMEOUT, "closes");
    }

    @Override
    public void abort() {
        if (loop.isCallers()) abortNow();
        else stream.later(this::abortNow);
    }

    private void abortNow() {
        abort(Resets.ofOurs("aborted by this side"));
    }

    private void abort(IOException why) {
        if (isClosed) return;
        if (!stream.isCut()) owner.call(() -> owner.resets(stream, abortCode));
        closed(why);
    }

    @Override
    public void idleTimeout(Duration limit) {
        if (idle != null) idle.stop();
        idle = limit.isZero() ? null : new Idle(limit.toNanos(), CoreGuards.IDLE_TIMEOUT, "is a tunnel");
    }

    @Override
    public long receivedBytes() {
        return stream.arrivedBytes();
    }

    /// Moves with the last byte, without a new timer each time.
    private final class Idle extends Deadline {
        private final long limitNanos;
        private final Guard guard;
        private final String what;
        private long movedNanos;

        Idle(long limitNanos, Guard guard, String what) {
            super(StreamEnd.this.loop);
            this.limitNanos = limitNanos;
            this.guard = guard;
            this.what = what;
            this.movedNanos = StreamEnd.this.loop.nowNanos();
            after(limitNanos);
        }

        @Override
        protected void expired() {
            long left = movedNanos + limitNanos - StreamEnd.this.loop.nowNanos();
            if (left > 0) {
                after(left);
                return;
            }
            var detail = "a stream that " + what + " idle for " + limitNanos / 1_000_000 + " ms (" + guard.name() + ")";
            guard.acted(owner.connection.remote(), detail);
            abort(new TimedOut(detail));
        }
    }
}
