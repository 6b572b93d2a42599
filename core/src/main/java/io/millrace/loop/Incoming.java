package io.millrace.loop;

import io.millrace.loop.TcpConnection.State;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopInput;
import io.millrace.memory.Slab;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/// The half of a [TcpConnection] that receives; the loop's.
///
/// ```
///   transport ─ slab ─► stage ─┬─► input ─► style.arrived
///                              └─► arrivals, while the input is lent ─ end of loan ─► input
/// ```
/// It receives while the handler wants input and there is room: not while the handler has paused, while its unread
/// input has reached the limit, or while the peer does not take what is sent.
final class Incoming {
    private static final AtomicLongFieldUpdater<Incoming> RECEIVED =
            AtomicLongFieldUpdater.newUpdater(Incoming.class, "receivedBytes");
    private static final VarHandle PAUSING = pausingField();

    // What `pausing` holds.

    private static final byte GOES_ON = 0;
    private static final byte PAUSED = 1;

    /// Still paused: the loop has yet to offer what was left unread.
    private static final byte RESUMED = 2;

    final LoopInput input;

    private final TcpConnection connection;

    /// What arrives while the input is lent to another thread.
    private @Nullable Chain arrivals;

    private boolean isReceiving;
    private boolean isStarved;

    /// What was called last, by any thread: the loop follows what is wanted by then, so that calls of several threads
    /// do not change places. Only the loop goes on from [#RESUMED].
    private volatile byte pausing;

    /// Resumed, and what was left unread is about to be offered again.
    private boolean isOffering;

    private boolean wireHasEnded;

    /// For the handler.
    private boolean hasEnded;

    /// Why the end came too early, if a stage reported that.
    private @Nullable IOException cut;

    private boolean endWasTold;
    private long limitBytes;

    /// Counted by the loop, read by any thread.
    private volatile long receivedBytes;

    private long lastReceivedNanos;

    Incoming(TcpConnection connection) {
        this.connection = connection;
        this.input = new LoopInput(connection.loop.pool(), connection.loan);
        this.limitBytes = connection.settings.inputLimitBytes();
    }

    private static VarHandle pausingField() {
        try {
            return MethodHandles.lookup().findVarHandle(Incoming.class, "pausing", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    void received(Slab slab) {
        RECEIVED.lazySet(this, receivedBytes + slab.readable());
        lastReceivedNanos = connection.loop.nowNanos();
        if (!connection.isOpen()) {
            connection.loop.pool().give(slab, Slab.Owner.KERNEL);
            return;
        }
        var stages = connection.stages();
        if (stages != null) {
            throughStages(stages, slab);
            return;
        }
        if (connection.isLent()) arrivals().appendArrival(slab, Slab.Owner.KERNEL, connection.loop.pool());
        else input.append(slab, Slab.Owner.KERNEL);
        deliver();
    }

    private void throughStages(Stages stages, Slab slab) {
        try {
            stages.received(slab);
            handedOn(stages);
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
    }

    /// Takes what the stages have for the handler, and whether that is all.
    void handedOn(Stages stages) {
        var app = stages.handedOn();
        // A stage may have ended the connection, and so may the handler that was made only now.
        if (!connection.isOpen()) app.releaseAll(Slab.Owner.INPUT, connection.loop.pool());
        boolean isMore = !app.isEmpty();
        if (isMore && connection.isLent()) arrivals().appendArrivals(app, connection.loop.pool());
        else if (isMore) input.appendAll(app);
        // Before the handler is called, which may close the connection at once.
        connection.leaveStages();
        if (isMore) deliver();
        else update();
        if (connection.isOpen()) tellEnds(stages);
    }

    private Chain arrivals() {
        var beside = arrivals;
        if (beside == null) arrivals = beside = new Chain();
        return beside;
    }

    private void deliver() {
        var style = connection.style();
        if (style != null && !isPaused()) style.arrived();
        update();
    }

    /// Receives if there is room, and the handler wants input.
    void update() {
        boolean wanted = switch (connection.state()) {
            case OPEN, ENDING ->
                !isPaused()
                        && !isHeldByStage()
                        && !wireHasEnded
                        && !hasEnded
                        && !isStarved
                        && unread() < limitBytes
                        && connection.outgoing.hasRoom();
            case LINGERING -> !hasEnded && !isStarved;
            case CONNECTING, CLOSING, CLOSED -> false;
        };
        if (wanted == isReceiving || connection.state() == State.CLOSED) return;
        isReceiving = wanted;
        if (wanted) lastReceivedNanos = connection.loop.nowNanos();
        connection.loop.transport().receive(connection.socket, wanted);
    }

    private boolean isHeldByStage() {
        var stages = connection.stages();
        return stages != null && stages.isPaused();
    }

    /// The transport has stopped receiving for lack of memory, until [#fed].
    void starved() {
        isReceiving = false;
        isStarved = true;
    }

    void fed() {
        isStarved = false;
        update();
    }

    /// How many unread bytes there are.
    long unread() {
        return input.size() + (arrivals == null ? 0 : arrivals.size());
    }

    // The end of the input.

    /// The peer has ended on the wire: the stages may still have bytes, and may object.
    void ended() {
        if (wireHasEnded || connection.state() == State.CLOSED) return;
        wireHasEnded = true;
        var stages = connection.stages();
        if (stages != null) stages.ended();
        if (stages == null || !connection.isOpen()) inputEnded();
        else tellEnds(stages);
    }

    private void tellEnds(Stages stages) {
        try {
            if (stages.tellEnds()) inputEnded();
        } catch (IOException e) {
            // The handler gets what came before all the same.
            cut = e;
            inputEnded();
        }
    }

    private void inputEnded() {
        if (hasEnded || connection.state() == State.CLOSED) return;
        hasEnded = true;
        // A stage may know before the wire does.
        if (!wireHasEnded) update();
        if (connection.state() == State.LINGERING) connection.finish(null);
        else if (connection.isOpen() && connection.style() == null) connection.fail(cut == null ? endedUnknown() : cut);
        else if (connection.isOpen()) tellEnd();
        connection.finishIfBothEnded();
    }

    /// Its stages were not ready for a handler, and never will be.
    private Reset endedUnknown() {
        return new Reset(Wording.of(connection.remote()) + " ended the connection before its stages were ready");
    }

    /// Not while the handler is paused: it may have something left to read, or an answer left to write.
    private void tellEnd() {
        var style = connection.style();
        if (style == null || endWasTold || isHoldingBack()) return;
        endWasTold = true;
        var early = cut;
        if (early == null) style.ended();
        else if (!style.takesCut(early)) connection.fail(early);
    }

    /// Whether the end has to wait, too, because the handler has paused before it was told.
    boolean takesEndBack() {
        endWasTold = !isHoldingBack();
        return !endWasTold;
    }

    private boolean isHoldingBack() {
        return isPaused() || isOffering;
    }

    // Pauses.

    /// Nothing is delivered from now on; [#update] follows on the loop. Any thread.
    void pause() {
        pausing = PAUSED;
    }

    /// Any thread.
    ///
    /// @return whether it was paused, so that [#goOn] has to follow on the loop
    boolean resume() {
        if (!isPaused()) return false;
        pausing = RESUMED;
        return true;
    }

    /// Goes on, unless it has gone on already or was paused again.
    void goOn() {
        if (connection.state() == State.CLOSED || !PAUSING.compareAndSet(this, RESUMED, GOES_ON)) return;
        // Not at once: the caller may be inside onInput, and the input is lent.
        isOffering = unread() > 0 || (hasEnded && !endWasTold);
        if (isOffering) connection.loop.returned(this::offerAgain);
        update();
    }

    private void offerAgain() {
        isOffering = false;
        if (unread() > 0 && connection.isOpen()) deliver();
        if (!hasEnded || !connection.isOpen()) return;
        tellEnd();
        connection.finishIfBothEnded();
    }

    // Loans.

    /// Returns the input to the loop, and adds what arrived meanwhile.
    ///
    /// @param wasShown whether user code saw the input, so that the peer's turn begins now
    /// @return whether something arrived
    boolean endLoan(boolean wasShown) {
        if (wasShown) lastReceivedNanos = connection.loop.nowNanos();
        return mergeArrivals();
    }

    /// Adds what arrived during a loan to the input; whether there was anything.
    boolean mergeArrivals() {
        if (arrivals == null) return false;
        input.appendAll(arrivals);
        arrivals = null;
        return true;
    }

    /// After a call of user code on the loop: unread input must stay below the limit, because otherwise nothing
    /// would ever be received again.
    void checkUnread() {
        if (!connection.isOpen()) return;
        if (input.size() >= limitBytes && !isHoldingBack()) {
            var detail = "the handler left " + input.size() + " bytes unread, the limit is " + limitBytes
                    + " (input.unread): read them, pause the connection, or raise Listen.inputLimit";
            CoreGuards.INPUT_UNREAD.acted(connection.remote(), detail);
            connection.fail(new Overloaded(detail));
            return;
        }
        input.compact();
    }

    /// Raises the limit, so that a whole frame fits.
    void raiseLimit(long bytes) {
        limitBytes = Math.max(limitBytes, bytes);
    }

    void release() {
        if (arrivals != null) arrivals.releaseAll(Slab.Owner.INPUT, connection.loop.pool());
        arrivals = null;
        if (!connection.isLent()) input.release();
    }

    // For other classes of this package.

    boolean hasEnded() {
        return hasEnded;
    }

    /// Whether the peer has ended and user code knows.
    boolean endWasTold() {
        return endWasTold;
    }

    /// Any thread.
    boolean isPaused() {
        return pausing != GOES_ON;
    }

    boolean isReceiving() {
        return isReceiving;
    }

    long receivedBytes() {
        return receivedBytes;
    }

    long lastReceivedNanos() {
        return lastReceivedNanos;
    }

    /// The connection has opened, and the peer's turn begins.
    void opened() {
        lastReceivedNanos = connection.loop.nowNanos();
    }
}
