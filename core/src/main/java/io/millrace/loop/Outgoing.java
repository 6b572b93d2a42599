package io.millrace.loop;

import io.millrace.bytes.Overflow;
import io.millrace.loop.TcpConnection.State;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
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
    /// The heap that a block of output takes besides its bytes: the object that refers to a value.
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

    /// The thread that has the output on loan and wants it sent meanwhile.
    private @Nullable CarriedThread sendsFor;

    private boolean hasEnded;

    /// Output from before the loan that could not be sent yet; the loop's.
    private @Nullable LoopOutput rest;

    /// The output was lent when the connection ended: what was written since is dropped.
    private boolean isCut;

    /// How many bytes the transport has not sent yet, and in how many blocks.
    private long inFlightBytes;

    private int inFlightBlocks;

    /// How many portions of output there were, and how many of them the transport has got and has sent.
    private int portions;

    private int portionsHanded;
    private int portionsSent;

    /// Counted by the loop, read by any thread.
    private volatile long sentBytes;

    private long lastSentNanos;

    /// When the transport got the current send.
    private long handedNanos;

    private @Nullable SentWatches watches;

    /// How many watches began, counted by the thread that has the output, and how many are over, counted by the
    /// loop.
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

    /// Output of other threads is being appended, by the loop or on its behalf: nothing waits for room then.
    void appending(boolean isSo) {
        isAppending = isSo;
    }

    /// A write of callback code above the high watermark: fine, until the limit.
    void checkLimit() {
        long unsent = unsent();
        if (unsent <= connection.settings.outputLimitBytes()) return;
        // Not at once: the caller is in the middle of writing.
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
        // A caller that learns this waits for onWritable, even if the end of this turn sends everything.
        if (unsent() > mark(connection.settings.highWatermarkBytes())) isFull = true;
        return isFull;
    }

    /// While memory is tight, peers that do not take what they asked for get no more.
    private long mark(long usualBytes) {
        boolean isTight = unsent() > SlabPool.SMALL && connection.loop.pool().isTight();
        return isTight ? Math.min(usualBytes, SlabPool.SMALL) : usualBytes;
    }

    /// Whether a writer has to wait: it was above the high watermark and is not yet below the low one.
    boolean isBlocked() {
        return isFull;
    }

    /// Whether the peer takes what is sent. Checked here, because during a send a write does not lead to an end of
    /// turn. A thread that has the output on loan checks this itself.
    ///
    /// While memory is tight, little output makes it full, but it still receives: otherwise two ends that answer
    /// each other would wait for each other.
    boolean hasRoom() {
        if (connection.readsOn()) return hasRoomForAnswers();
        long low = connection.settings.lowWatermarkBytes();
        return connection.isLent() ? !isFull || inFlightBytes + held() <= low : !isFull() || unsent() <= low;
    }

    /// Two ends that do not read until the other one reads would wait for each other, and the kernel buffers little
    /// for either: so the connecting end reads on. So does a tunnel, whose input does not answer its output.
    private boolean hasRoomForAnswers() {
        var settings = connection.settings;
        long most = Math.max(settings.highWatermarkBytes(), settings.outputLimitBytes() / 2);
        return (connection.isLent() ? inFlightBytes + held() : unsent()) <= most;
    }

    /// Code on another thread was told that the connection is full, and waits for onWritable.
    void tellWritable() {
        if (connection.state() == State.CLOSED) return;
        isFull = true;
        if (!connection.isLent()) connection.loop.markDirty(this);
    }

    /// Bytes that were written and that the kernel has not taken, with the memory to keep them.
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

    /// Outgoing bytes in stages.
    private long held() {
        var stages = connection.stages();
        return stages == null ? 0 : stages.outgoingBytes();
    }

    // Sending.

    /// The thread that has the output on loan, in the loop, releases what it has written so far, and may write
    /// more.
    void sendMeanwhile(CarriedThread caller) {
        sendsFor = caller;
        connection.loop.markDirty(this);
    }

    /// Sends what many connections get, past the output.
    ///
    /// @return false if something else comes first
    boolean sendAtOnce(SharedChain frames) {
        if (isDirty || isSending || hasEnded || rest != null) return false;
        // It would be dirty. Not looked at, because that would bring two more objects of each member into the caches.
        assert output.chain().isEmpty();
        portions++;
        var chain = frames.next();
        try {
            transmit(chain);
            if (!isSending) return true;
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
        frames.isTaken();
        afterSending();
        return true;
    }

    /// Hands what was written to the transport; called by the loop at the end of the turn.
    void endOfTurn() {
        if (connection.state() == State.CONNECTING) return;
        // If a thread waited in a stage, the loop could call others that share its arrays.
        if (isInStage()) {
            connection.loop.markDirty(this);
            return;
        }
        if (connection.isLent()) endOfTurnMeanwhile();
        else handOver();
    }

    /// Not while the thread with the loan runs elsewhere: then everything is sent at the loan's end.
    private void endOfTurnMeanwhile() {
        var borrower = sendsFor;
        if (borrower == null || !borrower.hold()) {
            if (!isSending && rest != null) sendRest();
            return;
        }
        try {
            // During a send, it waits for the end of that.
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

    /// Written too late: a broadcast does not know which members have left, and sending after the end makes the
    /// peer reset.
    private void drop() {
        output.release();
        var stages = connection.stages();
        if (stages != null) stages.releaseOutput();
    }

    /// @param withOutput whether the loop has the output; otherwise it sends only what is left from before the loan
    private void send(boolean withOutput) {
        try {
            var written = portion(withOutput && !isCut);
            boolean isLast = connection.state() != State.OPEN && (withOutput || isCut);
            var stages = connection.stages();
            transmit(stages == null ? written : stages.outgoing(written, isLast));
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
    }

    private void transmit(Chain chain) throws IOException {
        portionsHanded = portions;
        long size = chain.size();
        int blocks = chain.count();
        if (size > 0) isSending = !connection.loop.transport().send(connection.socket, chain);
        // The current send is the transport's.
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
    }

    /// What to send next: what is left from before the loan, and then the output.
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

    /// The output is lent: sends what is left from before, and the end if there was one.
    private void sendRest() {
        send(false);
        if (!isSending && isCut) end();
    }

    /// Whether the connection's end has to wait for what a stage holds back.
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

    /// Lends the output to another thread, except what cannot wait for its return: what waits for the current send,
    /// and what the connection's end waits for.
    void lent() {
        sendsFor = null;
        isCut |= connection.state() == State.ENDING && !hasEnded;
        boolean isLate = isSending || isInStage();
        if (!isCut && (!isLate || output.chain().isEmpty())) return;
        if (rest == null) rest = LoopOutput.aside(connection.loop.pool());
        if (!output.chain().isEmpty()) portions++;
        rest.appendAll(output.chain());
    }

    /// Ends the output: the peer reads the end of the stream.
    void end() {
        if (hasEnded) return;
        hasEnded = true;
        connection.loop.transport().end(connection.socket);
    }

    // Waiting for a send.

    /// The number of the portion that ends with what is written now; by the thread that has the output.
    int portion() {
        return output.size() == 0 ? portions : portions + 1;
    }

    /// Whether the transport has got it.
    boolean hasLeft(int portion) {
        return portionsHanded - portion >= 0;
    }

    /// Counts a watch that is about to begin; by the thread that has the output.
    ///
    /// @throws Overflow when the connection already holds too much
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

    /// Watches what was written up to now; on the loop, which has the output.
    void watchHere(Runnable task) {
        watchesBegun++;
        watch(portion(), task);
        if (connection.state() != State.CLOSED && unsent() > connection.settings.outputLimitBytes())
            failOverLimit(unsent());
    }

    /// The connection has closed: tasks that still wait are told after what runs now.
    void failWatches() {
        var left = watches;
        if (left == null || left.size() == 0) return;
        var failure = connection.failure();
        var cause = failure != null ? failure : new Reset("the connection closed before all output was sent");
        if (!connection.loop.returned(() -> left.fail(cause))) left.fail(cause);
    }

    /// Once its loan is over, a carried thread must not use the connection.
    private void runOnLoop(SentWatches due) {
        if (!Thread.currentThread().isVirtual()) run(due);
        else if (due.isDue(portionsSent)) connection.loop.markDirty(this);
    }

    /// Only the tasks that wait now: a task that waits again must not keep the loop here.
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

    // For other classes of this package.

    /// Whether what is written now is still sent.
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

    /// Whether sending waits for the peer; output that user code still has does not count.
    boolean isSending() {
        return isSending || (!connection.isLent() && !output.chain().isEmpty());
    }

    /// Whether the kernel has something that it has not taken yet.
    boolean isInFlight() {
        return isSending;
    }

    /// Since when the kernel has taken nothing.
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
