package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One stream of a connection (RFC 9113 section 5), the same for both sides: what a [ReceivingStream] has, and what
/// waits to be sent. On the loop.
///
/// ```
///   exchange ─► queue ─ SendOrder ─► DATA
/// ```
abstract class Http2Stream extends ReceivingStream {
    private static final long NOT_WAITING = -1;

    private final SendWindow sendWindow;
    private @Nullable LoopInput queue;

    /// Taken from the queue so far.
    private long sentBytes;

    /// The same when it was found to wait for a window; or [#NOT_WAITING].
    private long markBytes = NOT_WAITING;

    /// That was its own.
    private boolean wasStuck;

    private boolean isEndQueued;
    private Headers trailers = Headers.EMPTY;
    private boolean hasEnded;

    /// A reset was sent or received, or the connection has closed.
    private volatile boolean isCut;

    private int urgency = Priority.USUAL_URGENCY;
    private boolean isIncremental = true;

    /// The next one in the connection's [SendOrder]; itself at the end, null if it is not there.
    @Nullable
    Http2Stream next;

    Http2Stream(Http2Connection<?> owner, int id, StreamCalls calls) {
        super(owner, id, calls);
        this.sendWindow = new SendWindow(owner.peersWindow());
    }

    // For the connection.

    /// More may be sent, after it was full.
    abstract void hasRoom();

    /// The peer has reset it, or the connection has closed.
    abstract void isReset(@Nullable IOException cause);

    /// The peer has reset it, and what waited to be sent is dropped.
    void isResetByPeer(int code) {
        isReset(Resets.of(code));
    }

    /// The peer resets it.
    ///
    /// @return whether it goes on all the same, but for what waits to be sent
    boolean outlastsReset(int code) {
        return false;
    }

    /// The tunnel that it was the end of has closed.
    abstract void tunnelClosed();

    /// More of its body, or the end, has arrived.
    abstract void bodyArrived() throws StreamError;

    // What is sent.

    /// Moves a part of a body behind what waits.
    final void enqueue(LoopOutput part) {
        if (isCut || hasEnded) {
            part.release();
            return;
        }
        var waiting = queue();
        owner.queued(part.size());
        waiting.appendAll(part);
    }

    private LoopInput queue() {
        if (queue == null) queue = new LoopInput(owner.loop.pool());
        return queue;
    }

    /// The body ends with what waits.
    final void enqueueEnd(Headers trailerFields) {
        isEndQueued = true;
        trailers = trailerFields;
    }

    /// Also asked by the thread that has the stream, while the loop may drop what waits.
    final long queuedBytes() {
        var waiting = queue;
        return waiting == null ? 0 : waiting.size();
    }

    final long sentBytes() {
        return sentBytes;
    }

    /// Bytes that the peer takes now, of those that wait.
    final long sendable() {
        return sendWindow.sendable(queuedBytes());
    }

    /// Whether the rest of its window waits for more.
    final boolean leavesSome() {
        return sendWindow.leavesSome(queuedBytes());
    }

    /// Whether only its window keeps it from sending.
    final boolean isStuck() {
        return queuedBytes() > 0 && sendable() <= 0;
    }

    /// Notes whether it waits for a window now, and what it has sent.
    final void mark() {
        wasStuck = isStuck();
        markBytes = owner.waitsForWindow(this) ? sentBytes : NOT_WAITING;
    }

    /// Whether it waited for a window when it was marked and does now, and has sent less than that meanwhile.
    /// While the connection moves, that must be its own window both times; while nothing does, a peer may shut
    /// its own and the connection's in turn.
    final boolean hasStayedStuck(long leastBytes, boolean isConnectionMoving) {
        if (markBytes == NOT_WAITING || sentBytes - markBytes >= leastBytes) return false;
        return isConnectionMoving ? wasStuck && isStuck() : owner.waitsForWindow(this);
    }

    /// Whether so many bytes may be sent at once, because nothing waits.
    final boolean takesAtOnce(long length) {
        return queuedBytes() == 0 && sendWindow.takes(length);
    }

    /// Bytes were sent past the queue.
    final void sentAtOnce(long length) {
        sendWindow.take(length);
    }

    /// Sends a part of what waits, and the end with the last one.
    final void send(long length) {
        var waiting = queue();
        SlabSource pool = owner.loop.pool();
        boolean isLast = isEndQueued && length == waiting.size() && trailers.size() == 0;
        waiting.lend(pool);
        try {
            owner.writer.data(id, waiting, length, isLast);
        } finally {
            waiting.endLoan(pool);
        }
        sendWindow.take(length);
        sentBytes += length;
        if (isLast) hasEnded = true;
        else if (isEndQueued && waiting.size() == 0) sendEnd();
    }

    /// If nothing waits but the end.
    final void sendEnd() {
        if (hasEnded || isCut || !isEndQueued || queuedBytes() > 0) return;
        hasEnded = true;
        if (trailers.size() > 0) owner.writeTrailers(id, trailers);
        else owner.writer.data(id, 0, true);
    }

    /// The head was the end.
    final void endsWithHead() {
        hasEnded = true;
    }

    // Memory.

    /// What its slabs keep beyond the bytes that wait in them, but for what another thread has.
    final long slackBytes() {
        return unreadSlackBytes() + slackBytes(queue);
    }

    /// Moves what waits to slabs that it fills.
    final void pack() {
        packUnread();
        if (queue != null) queue.pack();
    }

    /// The peer does not want the rest.
    final void stopSending() {
        hasEnded = true;
        isEndQueued = false;
        owner.unschedule(this);
        dropQueue();
    }

    /// Whether all of the response was sent, or has arrived.
    abstract boolean isAnswered();

    final boolean hasEnded() {
        return hasEnded;
    }

    SendWindow sendWindow() {
        return sendWindow;
    }

    @Override
    final boolean isCut() {
        return isCut;
    }

    /// Neither sends nor receives any more.
    final void cut() {
        isCut = true;
        isEndQueued = false;
        dropQueue();
        dropArriving();
    }

    private void dropQueue() {
        var left = queue;
        queue = null;
        if (left == null) return;
        owner.dequeued(left.size());
        left.release();
    }

    /// It has left the table.
    final void leaves() {
        leavesWindows();
        dropQueue();
    }

    final void prioritize(Priority priority) {
        urgency = priority.urgency();
        isIncremental = priority.isIncremental();
    }

    final int urgency() {
        return urgency;
    }

    final boolean isIncremental() {
        return isIncremental;
    }
}
