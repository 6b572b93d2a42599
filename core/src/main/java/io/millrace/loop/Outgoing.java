package io.millrace.loop;

import io.millrace.bytes.Overflow;
import io.millrace.loop.TcpConnection.State;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.net.Overloaded;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The half of a [TcpConnection] that sends; the loop's.
///
/// ```
///   user code ─► output ─ end of turn ─► stage ─► transport ─ sent ─► low watermark: style.writable
///                  └─ above the high watermark: full          └─────► nothing left: connection.everythingWent
/// ```
final class Outgoing implements LoopOutput.Watcher {
    final LoopOutput output;

    /// Whether the loop has noted that something is to be sent in this turn.
    boolean isDirty;

    final TcpConnection connection;
    private boolean isFull;
    private boolean isSending;

    /// The output is lent, and yet to be sent.
    private boolean sendsMeanwhile;

    private boolean hasEnded;

    /// What was written before the end of a connection whose output has been lent since; the loop's.
    private @Nullable Chain rest;

    /// Bytes the transport has not sent yet.
    private long inFlightBytes;

    /// How often output was handed to the transport; the last one is under way while `isSending`.
    private int sends;

    private long sentBytes;
    private long lastSentNanos;
    private @Nullable SentWatches watches;

    Outgoing(TcpConnection connection) {
        this.connection = connection;
        this.output = new LoopOutput(connection.loop.pool(), connection.settings.highWatermarkBytes(), this);
    }

    // What user code writes.

    @Override
    public void outputBegan() {
        if (!connection.isLent()) connection.loop.markDirty(this);
    }

    @Override
    public void outputIsFull() {
        var style = connection.style();
        if (style != null) style.outputIsFull();
        else checkLimit();
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
        Guard.OUTPUT_UNSENT.acted(connection.remote(), detail);
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
        long low = connection.settings.lowWatermarkBytes();
        return connection.isLent() ? !isFull || inFlightBytes <= low : !isFull() || unsent() <= low;
    }

    /// Somebody on another thread was told that the connection is full, and waits for onWritable.
    void tellWritable() {
        if (connection.state() == State.CLOSED) return;
        isFull = true;
        if (!connection.isLent()) connection.loop.markDirty(this);
    }

    private long unsent() {
        return output.size() + inFlightBytes + (rest == null ? 0 : rest.size());
    }

    // What leaves.

    /// Who has the output on loan, in the loop, lets go of what is written so far, and may write more.
    void sendMeanwhile() {
        sendsMeanwhile = true;
        connection.loop.markDirty(this);
    }

    /// Hands what was written to the transport; called by the loop at the end of the turn.
    void endOfTurn() {
        boolean mayUse = !connection.isLent() || sendsMeanwhile;
        if (connection.state() == State.CONNECTING || !mayUse) return;
        // Behind a send under way it waits for the end of that.
        if (!isSending) sendsMeanwhile = false;
        if (connection.state() == State.CLOSED) {
            connection.release();
            return;
        }
        if (hasEnded) drop();
        else if (!isSending) send();
        if (connection.state() != State.CLOSED) afterSending();
    }

    /// Written too late: a broadcast does not know who has gone, and what is sent behind an end resets the peer.
    private void drop() {
        output.release();
        var stage = connection.stage();
        if (stage != null) stage.releaseOutput();
    }

    private void send() {
        try {
            var written = unwritten();
            if (!written.isEmpty()) sends++;
            var stage = connection.stage();
            var chain = stage == null ? written : stage.outgoing(written, connection.state() != State.OPEN);
            long size = chain.size();
            if (size == 0) return;
            isSending = !connection.loop.transport().send(connection.socket, chain);
            if (isSending) inFlightBytes = size;
            else wentOut(size);
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
    }

    void sent(long count, boolean done) {
        if (connection.state() == State.CLOSED) return;
        inFlightBytes -= count;
        wentOut(count);
        if (done) {
            assert inFlightBytes == 0 : inFlightBytes;
            isSending = false;
            if (!connection.isLent() || sendsMeanwhile) endOfTurn();
            else if (rest != null) sendRest();
        } else {
            afterSending();
        }
    }

    private void wentOut(long count) {
        sentBytes += count;
        lastSentNanos = connection.loop.nowNanos();
        connection.loop.totals().bytesSent.add(count);
    }

    private void afterSending() {
        if (watches != null) run(watches);
        if (connection.state() == State.CLOSED) return;
        if (!isSending && !connection.isLent() && unwritten().isEmpty()) connection.everythingWent();
        updateFullness();
    }

    /// The output is lent, but the connection has ended: what is left, and then the end.
    private void sendRest() {
        send();
        if (!isSending && connection.state() == State.ENDING) end();
    }

    /// What is not the transport's yet. What is written behind an end does not count.
    private Chain unwritten() {
        var beforeEnd = rest;
        return beforeEnd != null ? beforeEnd : output.chain();
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

    /// The output is another thread's from now on, but for what it holds of a connection that has ended.
    void lent() {
        sendsMeanwhile = false;
        if (connection.state() != State.ENDING || hasEnded) return;
        if (rest == null) rest = new Chain();
        rest.appendAll(output.chain());
    }

    /// Ends the output: the peer reads an end.
    void end() {
        if (hasEnded) return;
        hasEnded = true;
        connection.loop.transport().end(connection.socket);
    }

    // Who waits for a send.

    /// How many sends it takes until what is written now has left; by whoever has the output.
    int nextSend() {
        return output.size() == 0 ? sends : sends + 1;
    }

    void watch(int send, Runnable task) {
        if (watches == null) watches = new SentWatches();
        watches.add(send, task);
        connection.loop.markDirty(this);
    }

    /// Only those that wait now: a task that waits again must not keep the loop here.
    private void run(SentWatches due) {
        int sendsDone = isSending ? sends - 1 : sends;
        for (int i = due.size(); i > 0 && connection.state() != State.CLOSED && due.isDue(sendsDone); i--) {
            connection.callUser(due.next());
        }
        if (due.isDue(sendsDone)) connection.loop.markDirty(this);
    }

    void release() {
        if (rest != null) rest.releaseAll(Slab.Owner.OUTPUT, connection.loop.pool());
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
