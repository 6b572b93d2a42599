package io.millrace.loop;

import io.millrace.bytes.Overflow;
import io.millrace.loop.TcpConnection.State;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/// The half of a [TcpConnection] that sends; the loop's.
///
/// ```
///   user code ─► output ─ end of turn ─► stage ─► transport ─ sent ─► low watermark: style.writable
///                  └─ above the high watermark: full          └─────► nothing left: connection.everythingWent
/// ```
final class Outgoing implements LoopOutput.Watcher {
    /// What a block of output takes of the heap besides its bytes: the object that refers to a value.
    static final int BLOCK_BYTES = 64;

    private static final AtomicLongFieldUpdater<Outgoing> SENT =
            AtomicLongFieldUpdater.newUpdater(Outgoing.class, "sentBytes");

    final LoopOutput output;

    /// Whether the loop has noted that something is to be sent in this turn.
    boolean isDirty;

    final TcpConnection connection;
    private boolean isAppending;
    private boolean isFull;
    private boolean isSending;

    /// Who has the output on loan and wants it sent meanwhile.
    private @Nullable CarriedThread sendsFor;

    private boolean hasEnded;

    /// What was written before the output was lent, and could not be sent yet; the loop's.
    private @Nullable LoopOutput rest;

    /// The output was lent when the connection had ended: what is written into it since does not count.
    private boolean isCut;

    /// Bytes the transport has not sent yet, and how many blocks they were.
    private long inFlightBytes;

    private int inFlightBlocks;

    /// How many portions of output there were, how many of them the transport has got, and has sent.
    private int portions;

    private int portionsHanded;
    private int portionsSent;

    /// The loop counts, any thread reads.
    private volatile long sentBytes;

    private long lastSentNanos;

    /// When the transport got what is under way.
    private long handedNanos;

    private @Nullable SentWatches watches;

    /// How many watches there were, counted by who has the output, and how many of them are over, by the loop.
    private int watchesBegun;

    private int watchesOver;

    Outgoing(TcpConnection connection) {
        this.connection = connection;
        this.output =
                new LoopOutput(connection.loop.pool(), connection.settings.highWatermarkBytes(), this, connection.loan);
    }

    // What user code writes.

    @Override
    public void outputBegan() {
        if (!connection.isLent()) connection.loop.markDirty(this);
    }

    @Override
    public void outputIsFull() {
        var style = connection.style();
        if (style != null && !isAppending) style.outputIsFull();
        else checkLimit();
    }

    /// What other threads have sent is being appended, by the loop or in its place: nobody waits for room then.
    void appending(boolean isSo) {
        isAppending = isSo;
    }

    /// A write of callback code above the high watermark: fine, until the limit.
    void checkLimit() {
        long unsent = unsent();
        if (unsent <= connection.settings.outputLimitBytes()) return;
        // Not at once: somebody is in the middle of writing.
        connection.loop.returned(() -> failOverLimit(unsent));
        throw new Overflow(overLimit(unsent));
    }

    void failOverLimit(long unsent) {
        if (connection.state() == State.CLOSED) return;
        var detail = overLimit(unsent);
        CoreGuards.OUTPUT_UNSENT.acted(connection.remote(), detail);
        connection.fail(new Overloaded(detail));
    }

    private String overLimit(long unsent) {
        return unsent + " bytes are unsent, the limit is " + connection.settings.outputLimitBytes()
                + " (output.unsent): stop at isFull() until onWritable, or raise Listen.outputLimit";
    }

    boolean isFull() {
        // Whoever is told so waits for onWritable, even if the end of this turn sends everything.
        if (unsent() > mark(connection.settings.highWatermarkBytes())) isFull = true;
        return isFull;
    }

    /// While memory is tight, peers that do not take what they have asked for get no more of it.
    private long mark(long usualBytes) {
        boolean isTight = unsent() > SlabPool.SMALL && connection.loop.pool().isTight();
        return isTight ? Math.min(usualBytes, SlabPool.SMALL) : usualBytes;
    }

    /// Whether a writer has to wait: it was above the high watermark and is not yet below the low one.
    boolean isBlocked() {
        return isFull;
    }

    /// Whether the peer takes what is sent. Looked at here, because behind a send under way a write does not
    /// bring the end of a turn. Whoever has the output on loan looks himself.
    ///
    /// While memory is tight it is full with little, but receives on: two ends that answer each other would wait
    /// for each other otherwise.
    boolean hasRoom() {
        if (connection.readsOn()) return hasRoomForAnswers();
        long low = connection.settings.lowWatermarkBytes();
        return connection.isLent() ? !isFull || inFlightBytes + held() <= low : !isFull() || unsent() <= low;
    }

    /// Two ends that read nothing of a peer that does not read would wait for each other, and the kernel takes little
    /// for either: so the one that connected reads on. What a tunnel reads is no answer to what it writes.
    private boolean hasRoomForAnswers() {
        var settings = connection.settings;
        long most = Math.max(settings.highWatermarkBytes(), settings.outputLimitBytes() / 2);
        return (connection.isLent() ? inFlightBytes + held() : unsent()) <= most;
    }

    /// Somebody on another thread was told that the connection is full, and waits for onWritable.
    void tellWritable() {
        if (connection.state() == State.CLOSED) return;
        isFull = true;
        if (!connection.isLent()) connection.loop.markDirty(this);
    }

    /// Bytes that were written and not taken by the kernel, and what it takes to keep them.
    long unsent() {
        long bytes = output.size() + inFlightBytes;
        int blocks = output.chain().count() + inFlightBlocks;
        if (rest != null) {
            bytes += rest.size();
            blocks += rest.chain().count();
        }
        return held()
                + bytes
                + (long) blocks * BLOCK_BYTES
                + (long) (watchesBegun - watchesOver) * SentWatches.WATCH_BYTES;
    }

    /// Whether there are stages, which this thread may not call.
    private boolean isInStage() {
        return connection.stages() != null && connection.loop.carriage().running() != null;
    }

    /// What is in stages on its way out.
    private long held() {
        var stages = connection.stages();
        return stages == null ? 0 : stages.outgoingBytes();
    }

    // What leaves.

    /// Who has the output on loan, in the loop, lets go of what is written so far, and may write more.
    void sendMeanwhile(CarriedThread caller) {
        sendsFor = caller;
        connection.loop.markDirty(this);
    }

    /// Hands what was written to the transport; called by the loop at the end of the turn.
    void endOfTurn() {
        if (connection.state() == State.CONNECTING) return;
        // A thread that waits in a stage would let the loop call others that share its arrays.
        if (isInStage()) {
            connection.loop.markDirty(this);
            return;
        }
        if (connection.isLent()) endOfTurnMeanwhile();
        else handOver();
    }

    /// Not while who has it on loan goes on elsewhere: then all of it leaves with the end of the loan.
    private void endOfTurnMeanwhile() {
        var borrower = sendsFor;
        if (borrower == null || !borrower.hold()) {
            if (!isSending && rest != null) sendRest();
            return;
        }
        try {
            // Behind a send under way it waits for the end of that.
            if (!isSending) sendsFor = null;
            handOver();
        } finally {
            borrower.release();
        }
    }

    private void handOver() {
        if (connection.state() == State.CLOSED) {
            connection.release();
            return;
        }
        if (hasEnded) drop();
        else if (!isSending) send(true);
        if (connection.state() != State.CLOSED) afterSending();
    }

    /// Written too late: a broadcast does not know who has gone, and what is sent behind an end resets the peer.
    private void drop() {
        output.release();
        var stages = connection.stages();
        if (stages != null) stages.releaseOutput();
    }

    /// @param withOutput whether the output is the loop's, too; otherwise only what is left from before its loan
    private void send(boolean withOutput) {
        try {
            var written = portion(withOutput && !isCut);
            boolean isLast = connection.state() != State.OPEN && (withOutput || isCut);
            var stages = connection.stages();
            var chain = stages == null ? written : stages.outgoing(written, isLast);
            portionsHanded = portions;
            long size = chain.size();
            int blocks = chain.count();
            if (size > 0) isSending = !connection.loop.transport().send(connection.socket, chain);
            // What is under way is the transport's.
            connection.leaveStages();
            if (isSending) {
                inFlightBytes = size;
                inFlightBlocks = blocks;
                handedNanos = connection.loop.nowNanos();
                if (connection.state() != State.OPEN) connection.endsSlowly();
                return;
            }
            portionsSent = portionsHanded;
            if (size > 0) wentOut(size);
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
    }

    /// What is to be sent next: what is left from before the loan, and then the output.
    private Chain portion(boolean withOutput) {
        var written = output.chain();
        if (withOutput && !written.isEmpty()) portions++;
        if (rest == null || (withOutput && rest.chain().isEmpty())) return written;
        if (withOutput) rest.appendAll(written);
        return rest.chain();
    }

    void sent(long count, boolean done) {
        if (connection.state() == State.CLOSED) return;
        inFlightBytes -= count;
        wentOut(count);
        if (done) {
            if (inFlightBytes != 0) throw new IllegalStateException(inFlightBytes + " bytes were sent and not counted");
            isSending = false;
            inFlightBlocks = 0;
            portionsSent = portionsHanded;
            if (!connection.isLent() || sendsFor != null) endOfTurn();
            else if (rest != null) sendRest();
        } else {
            afterSending();
        }
    }

    private void wentOut(long count) {
        SENT.lazySet(this, sentBytes + count);
        lastSentNanos = connection.loop.nowNanos();
        connection.loop.totals().bytesSent.add(count);
    }

    private void afterSending() {
        if (watches != null) runOnLoop(watches);
        if (connection.state() == State.CLOSED) return;
        if (isHeldByStage()) connection.endsSlowly();
        else if (!isSending && !connection.isLent() && isNothingLeft()) connection.everythingWent();
        updateFullness();
    }

    /// The output is lent: what is left from before, and the end when there was one.
    private void sendRest() {
        send(false);
        if (!isSending && isCut) end();
    }

    /// Whether the connection ends, and has to wait for what a stage holds back.
    boolean isHeldByStage() {
        if (connection.state() == State.OPEN) return false;
        var stages = connection.stages();
        return stages != null && stages.holdsBack();
    }

    private boolean isNothingLeft() {
        return (rest == null || rest.chain().isEmpty())
                && (isCut || output.chain().isEmpty());
    }

    private void updateFullness() {
        if (connection.state() == State.CLOSED) return;
        if (isFull() && unsent() <= mark(connection.settings.lowWatermarkBytes())) {
            isFull = false;
            var style = connection.style();
            if (style != null) style.writable();
        }
        connection.incoming.update();
    }

    /// The output is another thread's from now on, but for what cannot wait until that gives it back: what is
    /// behind a send under way, and what the end of the connection waits for.
    void lent() {
        sendsFor = null;
        isCut |= connection.state() == State.ENDING && !hasEnded;
        boolean isLate = isSending || isInStage();
        if (!isCut && (!isLate || output.chain().isEmpty())) return;
        if (rest == null) rest = LoopOutput.aside(connection.loop.pool());
        if (!output.chain().isEmpty()) portions++;
        rest.appendAll(output.chain());
    }

    /// Ends the output: the peer reads an end.
    void end() {
        if (hasEnded) return;
        hasEnded = true;
        connection.loop.transport().end(connection.socket);
    }

    // Who waits for a send.

    /// The number of the portion that what is written now ends; by whoever has the output.
    int portion() {
        return output.size() == 0 ? portions : portions + 1;
    }

    /// Whether the transport has got it.
    boolean hasLeft(int portion) {
        return portionsHanded - portion >= 0;
    }

    /// Counts a watch that is about to begin; by whoever has the output.
    ///
    /// @throws Overflow when the connection holds too much already
    void watchBegins() {
        watchesBegun++;
        if ((watchesBegun & 63) == 0) checkLimit();
    }

    /// On the loop; the caller has counted it.
    void watch(int portion, Runnable task) {
        if (watches == null) watches = new SentWatches();
        watches.add(portion, task);
        if (connection.state() == State.CLOSED) failWatches();
        else connection.loop.markDirty(this);
    }

    /// For what was written up to now; on the loop, which has the output.
    void watchHere(Runnable task) {
        watchesBegun++;
        watch(portion(), task);
        if (connection.state() != State.CLOSED && unsent() > connection.settings.outputLimitBytes())
            failOverLimit(unsent());
    }

    /// The connection has closed: who still waits hears of it behind what runs now.
    void failWatches() {
        var left = watches;
        if (left == null || left.size() == 0) return;
        var failure = connection.failure();
        var cause = failure != null ? failure : new Reset("the connection closed before everything was sent");
        if (!connection.loop.returned(() -> left.fail(cause))) left.fail(cause);
    }

    /// A thread that the loop carries has no right to the connection when its loan is over.
    private void runOnLoop(SentWatches due) {
        if (!Thread.currentThread().isVirtual()) run(due);
        else if (due.isDue(portionsSent)) connection.loop.markDirty(this);
    }

    /// Only those that wait now: a task that waits again must not keep the loop here.
    private void run(SentWatches due) {
        int sent = portionsSent;
        for (int i = due.size(); i > 0 && connection.state() != State.CLOSED && due.isDue(sent); i--) {
            watchesOver++;
            connection.callUser(due.next());
        }
        if (due.isDue(sent)) connection.loop.markDirty(this);
    }

    void release() {
        if (rest != null) rest.release();
        if (!connection.isLent()) output.release();
    }

    // What the neighbours ask.

    /// Whether what is written now still leaves.
    boolean takesOutput() {
        return switch (connection.state()) {
            case OPEN, CLOSING -> true;
            case ENDING -> !hasEnded;
            case CONNECTING, LINGERING, CLOSED -> false;
        };
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /// Whether the peer keeps us waiting: what user code has not handed over yet does not.
    boolean isSending() {
        return isSending || (!connection.isLent() && !output.chain().isEmpty());
    }

    /// Whether the kernel has something that it has not taken yet.
    boolean isInFlight() {
        return isSending;
    }

    /// Since when it has taken nothing of that.
    long stuckSinceNanos() {
        return handedNanos - lastSentNanos > 0 ? handedNanos : lastSentNanos;
    }

    long sentBytes() {
        return sentBytes;
    }

    long lastSentNanos() {
        return lastSentNanos;
    }

    /// The connection has opened, and nothing was sent for a long time.
    void opened(long longAgoNanos) {
        lastSentNanos = longAgoNanos;
    }
}
