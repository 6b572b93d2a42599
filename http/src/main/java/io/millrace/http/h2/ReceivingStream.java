package io.millrace.http.h2;

import io.millrace.http.message.Body;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.LentStream;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.LoopInput;
import io.millrace.net.Overloaded;
import org.jspecify.annotations.Nullable;

/// What a stream receives: what has arrived and was not read, and its window (RFC 9113 section 5.2). On the loop.
///
/// ```
///   DATA ─► arriving ─ prepare ─► the exchange's input        each stream has a window, and the connection one for all
/// ```
abstract class ReceivingStream extends LentStream {
    final int id;
    final Http2Connection<?> owner;

    private volatile boolean isWakeSent;

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

    ReceivingStream(Http2Connection<?> owner, int id, StreamCalls calls) {
        super(owner.connection, calls);
        this.owner = owner;
        this.id = id;
        this.receiveWindow = windowBytes;
    }

    // For the connection.

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

    /// Whether it neither sends nor receives any more.
    abstract boolean isCut();

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
        // Others may have read since it was said.
        isCrowdedOut = isCrowdedOut && owner.isCrowdedBut(this);
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
                : ", the limit is " + limit + " (input.unread): read them, or raise a server's Listen.inputLimit";
        var detail = "the reader of a body left " + unread + " bytes unread" + why;
        CoreGuards.INPUT_UNREAD.acted(owner.connection.remote(), detail);
        throw new Overloaded(detail);
    }

    /// Its reader takes nothing until more is there, for which there may be no room: then it has to do without.
    final void waits() {
        needsMore();
        if (maySoonRead() || !owner.isCrowdedBut(this)) return;
        isShort = false;
        isCrowdedOut = true;
        wake();
    }

    /// Who reads it waits for more: the peer may send as much as may be left unread.
    final void needsMore() {
        isShort = true;
        giveWindow();
        if (isWindowShut()) widen();
    }

    /// Whether some of what is unread may be read without more.
    final boolean maySoonRead() {
        return owed > 0 && (!isShort || hasPeerEnded || arrivingBytes() > 0);
    }

    /// Whether more is to come, and is not dropped.
    private boolean isWanted() {
        return !hasPeerEnded && !isDropping && !isCut();
    }

    private void widen() {
        long more = owner.unreadLimitBytes() - windowBytes;
        if (more <= 0 || !isWanted()) return;
        owner.grew(more);
        windowBytes += (int) more;
        receiveWindow += more;
        owner.writer.window(id, (int) more);
    }

    private void giveWindow() {
        if (!isWanted()) return;
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

    // Memory.

    /// What the slabs of what is unread keep beyond the bytes in them, but for what another thread has.
    final long unreadSlackBytes() {
        return slackBytes(arriving) + (isAtRest() ? slackBytes(input) : 0);
    }

    static long slackBytes(@Nullable LoopInput in) {
        return in == null ? 0 : in.slackBytes();
    }

    /// Moves what is unread to slabs that it fills.
    final void packUnread() {
        if (arriving != null) arriving.pack();
        if (input != null && isAtRest()) input.pack();
    }

    /// Gives back its share of the connection's window.
    final void leavesWindows() {
        owner.grew(Http2Codes.USUAL_WINDOW - (long) windowBytes);
        windowBytes = Http2Codes.USUAL_WINDOW;
        dropArriving();
        long rest = owed;
        owed = 0;
        if (rest > 0) owner.consumed(rest);
    }
}
