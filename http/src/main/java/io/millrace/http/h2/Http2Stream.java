package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.message.Body;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.LentStream;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import io.millrace.net.Overloaded;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One stream of a connection (RFC 9113 section 5), the same for both sides: what has arrived and was not read, what
/// waits to be sent, and the windows of both. On the loop.
///
/// ```
///   DATA ─► arriving ─ prepare ─► the exchange's input        each stream has a window, and the connection one for all
///   exchange ─► queue ─ SendOrder ─► DATA
/// ```
abstract class Http2Stream extends LentStream {
    private static final long NOT_STUCK = -1;

    final int id;
    final Http2Connection<?> owner;

    private volatile boolean isWakeSent;

    // What arrives.

    /// Bytes that the peer may still send.
    private long receiveWindow;

    /// The size that the window has when nothing is unread.
    private int windowBytes = Http2Codes.USUAL_WINDOW;

    private @Nullable LoopInput arriving;
    private long arrivedBytes;

    /// What has arrived and was passed on: the exchange's, during a call.
    @Nullable
    LoopInput input;

    /// What its slabs keep beyond the bytes in them, while another thread has it.
    private long lentSlack;

    /// Bytes that have arrived, and whose room was not given back to the peer's window for the connection.
    private long owed;

    private boolean hasPeerEnded;

    /// What arrives is dropped.
    private boolean isDropping;

    /// Its reader has taken nothing, and waits for more.
    private boolean isShort;

    /// There is no room for more, and its reader has to do without.
    private volatile boolean isCrowdedOut;

    // What is sent.

    private final SendWindow sendWindow;
    private @Nullable LoopInput queue;

    /// Taken from the queue so far.
    private long sentBytes;

    /// The same when its window was found shut; or [#NOT_STUCK].
    private long markBytes = NOT_STUCK;

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
        super(owner.connection, calls);
        this.owner = owner;
        this.id = id;
        this.receiveWindow = windowBytes;
        this.sendWindow = new SendWindow(owner.peersWindow());
    }

    // For the connection.

    /// More may be sent, after it was full.
    abstract void hasRoom();

    /// Something that its exchange waits for has happened.
    abstract void woken();

    /// Has [#woken] called soon, and not from within this. Any thread.
    final void wake() {
        if (isWakeSent) return;
        isWakeSent = true;
        later(() -> {
            isWakeSent = false;
            woken();
        });
    }

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

    // What arrives.

    final boolean hasPeerEnded() {
        return hasPeerEnded;
    }

    /// The peer sends nothing more.
    final void peerEnds() {
        hasPeerEnded = true;
    }

    /// A frame of this length has begun, with its padding.
    final void takeWindow(int length) throws StreamError {
        if (length > receiveWindow)
            throw new StreamError(Http2Codes.FLOW_CONTROL_ERROR, "more bytes than the window of the stream");
        receiveWindow -= length;
        owed += length;
    }

    /// Bytes that the peer may send before it is given more room.
    final long receiveWindow() {
        return receiveWindow;
    }

    /// Whether the peer may send nothing worth a frame before it is given more room.
    final boolean isWindowShut() {
        return receiveWindow < WorkBudget.LEAST_FRAME;
    }

    /// Moves a part of a body here.
    final void arrive(LoopInput in, long length) {
        arrivedBytes += length;
        if (isDropping) {
            in.skip(length);
            consumed(length);
            return;
        }
        var pool = owner.loop.pool();
        var moved = owner.moving();
        moved.move(in, length);
        if (arriving == null) arriving = new LoopInput(pool);
        arriving.appendAll(moved);
        owner.waiting.begins();
    }

    /// Bytes of its body so far, dropped ones included.
    final long arrivedBytes() {
        return arrivedBytes;
    }

    /// Bytes that have arrived and were not read, passed on or not.
    final long unreadBytes() {
        return arrivingBytes() + (input == null ? 0 : input.size());
    }

    final long arrivingBytes() {
        return arriving == null ? 0 : arriving.size();
    }

    /// Passes on what has arrived, to [#input].
    final void takeArriving() {
        isShort = false;
        if (arriving == null || arriving.size() == 0) return;
        if (input == null) input = new LoopInput(owner.loop.pool());
        input.appendAll(arriving);
        input.compact();
    }

    /// What was passed on goes to another thread.
    final void lendInput() {
        var lent = input;
        if (lent == null) return;
        if (owner.waiting.isMuch(lent.slackBytes())) lent.pack();
        lentSlack = lent.slackBytes();
        owner.waiting.lent(lentSlack);
    }

    /// It is back.
    final void inputReturns() {
        owner.waiting.lent(-lentSlack);
        lentSlack = 0;
    }

    /// What was passed on is not wanted.
    final void releaseInput() {
        var left = input;
        input = null;
        if (left == null) return;
        consumed(left.size());
        left.endLoan(owner.loop.pool());
        left.release();
    }

    /// @param length announced, or [Body#UNKNOWN]
    final void checkLength(long length) throws StreamError {
        if (length == Body.UNKNOWN) return;
        if (arrivedBytes > length || (hasPeerEnded && arrivedBytes < length))
            throw StreamError.malformed("a body of " + arrivedBytes + " bytes, and " + length + " were announced");
    }

    /// So much was read, or dropped: the peer may send more.
    final void consumed(long length) {
        if (length == 0) return;
        owed -= length;
        owner.consumed(length);
        giveWindow();
    }

    /// Its reader has left so much unread, and waits for more. Any thread that has the stream.
    ///
    /// @throws Overloaded if it may not leave as much
    final void checkUnread(long unread) throws Overloaded {
        long limit = owner.unreadLimitBytes();
        if (unread < limit && !isCrowdedOut) return;
        var why = isCrowdedOut
                ? ", and all bodies of its connection as much as it may hold (input.unread): read them"
                : ", the limit is " + limit + " (input.unread): read them, or raise Listen.inputLimit, up to 512 KiB";
        var detail = "the reader of a body left " + unread + " bytes unread" + why;
        CoreGuards.INPUT_UNREAD.acted(owner.connection.remote(), detail);
        throw new Overloaded(detail);
    }

    /// Its reader takes nothing until more is there, for which there may be no room. Another one's end makes some.
    final void waits() {
        makeRoom();
        isShort = true;
        if (!owner.isCrowded()) return;
        isShort = false;
        isCrowdedOut = true;
        wake();
    }

    /// Whether what is unread may be read without more.
    final boolean maySoonRead() {
        return owed > 0 && !isShort;
    }

    /// Who reads it waits for more: the peer may send as much as may be left unread.
    final void makeRoom() {
        giveWindow();
        if (isWindowShut()) widen();
    }

    private void widen() {
        long more = owner.unreadLimitBytes() - windowBytes;
        if (more <= 0 || hasPeerEnded || isDropping || isCut) return;
        owner.grew(more);
        windowBytes += (int) more;
        receiveWindow += more;
        owner.writer.window(id, (int) more);
    }

    private void giveWindow() {
        if (hasPeerEnded || isDropping || isCut) return;
        long unread = owed;
        long room = windowBytes - unread - receiveWindow;
        // However much is unread, the peer gets a part of the rest: its reader may wait for more than it has.
        if (room <= receiveWindow) return;
        boolean isReadQuickly = 2 * room >= windowBytes;
        if (isReadQuickly
                && 2 * windowBytes <= Http2Connection.MOST_STREAM_WINDOW
                && !owner.loop.pool().isTight()
                && owner.mayGrow(windowBytes)) {
            owner.grew(windowBytes);
            room += windowBytes;
            windowBytes *= 2;
        }
        receiveWindow += room;
        owner.writer.window(id, (int) room);
    }

    /// The rest of what arrives is not wanted.
    final void dropArriving() {
        isDropping = true;
        var left = arriving;
        arriving = null;
        if (left == null) return;
        long size = left.size();
        left.endLoan(owner.loop.pool());
        left.release();
        consumed(size);
    }

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

    /// Notes whether its window is shut now, and what it has sent.
    final void mark() {
        markBytes = isStuck() ? sentBytes : NOT_STUCK;
    }

    /// Whether its window was shut when it was marked and is now, and it has sent less than that meanwhile.
    final boolean hasStayedStuck(long leastBytes) {
        return markBytes != NOT_STUCK && isStuck() && sentBytes - markBytes < leastBytes;
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
        return slackBytes(arriving) + slackBytes(queue) + (isAtRest() ? slackBytes(input) : 0);
    }

    private static long slackBytes(@Nullable LoopInput in) {
        return in == null ? 0 : in.slackBytes();
    }

    /// Moves what waits to slabs that it fills.
    final void pack() {
        if (arriving != null) arriving.pack();
        if (queue != null) queue.pack();
        if (input != null && isAtRest()) input.pack();
    }

    /// The peer does not want the rest.
    final void stopSending() {
        hasEnded = true;
        isEndQueued = false;
        owner.unschedule(this);
        dropQueue();
    }

    final boolean hasEnded() {
        return hasEnded;
    }

    SendWindow sendWindow() {
        return sendWindow;
    }

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

    /// It has left the table: gives back its share of the connection's window.
    final void leaves() {
        owner.grew(Http2Codes.USUAL_WINDOW - (long) windowBytes);
        windowBytes = Http2Codes.USUAL_WINDOW;
        dropArriving();
        dropQueue();
        long rest = owed;
        owed = 0;
        if (rest > 0) owner.consumed(rest);
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
