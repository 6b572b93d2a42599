package io.millrace.loop;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Output of threads that do not have the connection: each writes a separate frame, which the loop appends to the
/// output.
///
/// ```
///   any thread: writes ─► FRAME ─ task ─► loop: not lent ─────────────────────► output
///                                               lent ─► waits for the loan's end ─┘
///                                               closed ─► dropped
/// ```
/// One thread's frames keep their order, because tasks do. A thread that has the connection may write to the output
/// itself only when no frame is on its way ([#isDirect]); otherwise it would overtake those.
public final class Outbox {
    /// A smaller frame does not hold a slab of its own while it waits.
    private static final int SMALL_FRAME_BYTES = 1024;

    /// The heap that a waiting frame takes besides its bytes: the frame, its queue node, and the value with its
    /// array. It counts as unsent.
    public static final int FRAME_BYTES = 144;

    private final TcpConnection connection;
    private final EventLoop loop;

    /// The bytes of frames that are not in the output yet, with their heap. Any thread adds, the loop subtracts.
    private final AtomicLong pendingBytes = new AtomicLong();

    /// A caller was told that the connection is full, and the loop does not know yet.
    private final AtomicBoolean isTelling = new AtomicBoolean();

    /// The loop's: frames that came while the connection was lent.
    private final ArrayDeque<Frame> waiting = new ArrayDeque<>(0);

    /// The loop's.
    private @Nullable Runnable whenClosed;

    Outbox(TcpConnection connection) {
        this.connection = connection;
        this.loop = connection.loop;
    }

    // Any thread.

    /// Whether a frame would be sent; false after `end`, `close` and `abort`, and when the connection has closed.
    public boolean isOpen() {
        return connection.takesFrames();
    }

    /// Takes no more frames; those on their way are still sent. The connection's end follows.
    public void refuse() {
        connection.refuseFrames();
    }

    /// Whether the caller may write to the connection's output itself.
    public boolean isDirect() {
        return pendingBytes.get() == 0 && connection.isWithCaller();
    }

    /// Whether more than the high watermark waits to be sent. After true, `onWritable` follows.
    public boolean isFull() {
        boolean isTooMuch = pendingBytes.get() > connection.settings.highWatermarkBytes();
        if (!isTooMuch && connection.isWithCaller()) return connection.isFull();
        boolean isFull = isTooMuch || connection.isFull();
        // The loop may be sending the last bytes right now, and would not call onWritable.
        if (isFull && isTelling.compareAndSet(false, true)) loop.returned(this::tellWritable);
        return isFull;
    }

    /// Sends what `writer` writes, later.
    ///
    /// @return false when the connection has closed, or is dropped now because it holds too much
    public boolean send(Consumer<LoopOutput> writer) {
        if (!isOpen()) return false;
        loop.threads().loanBegan();
        try {
            return hand(written(writer));
        } catch (Overflow e) {
            loop.threads().loanEnded();
            drop(e);
            return false;
        } catch (RuntimeException | Error e) {
            loop.threads().loanEnded();
            throw e;
        }
    }

    /// Sends a value, later; as [#send(Consumer)].
    public boolean send(Bytes value) {
        if (!isOpen()) return false;
        loop.threads().loanBegan();
        return hand(new Frame(value.length(), value, null));
    }

    /// Completes when what the caller sent before was sent, or the connection has closed.
    void watch(SentWatches.Written written) {
        loop.threads().loanBegan();
        var frame = new Frame(written);
        if (!hand(frame) && !written.isDone()) written.completeExceptionally(connection.gone());
    }

    /// What `writer` writes, as a value; meanwhile its memory is borrowed from a loop.
    public static Bytes valueOf(EventLoop loop, Consumer<LoopOutput> writer) {
        loop.threads().loanBegan();
        var aside = LoopOutput.aside(loop.pool().reserve());
        try {
            writer.accept(aside);
            return aside.toBytes();
        } finally {
            aside.release();
            loop.threads().loanEnded();
        }
    }

    /// A small frame becomes a value.
    private Frame written(Consumer<LoopOutput> writer) {
        var aside = LoopOutput.aside(loop.pool().reserve());
        try {
            writer.accept(aside);
            long size = aside.size();
            if (size < SMALL_FRAME_BYTES) return new Frame(size, aside.toBytes(), null);
            var chain = new Chain();
            chain.appendAll(aside.chain());
            return new Frame(size, null, chain);
        } finally {
            aside.release();
        }
    }

    private boolean hand(Frame frame) {
        long pending = pendingBytes.addAndGet(frame.weight);
        if (!loop.returned(frame)) {
            frame.lost();
            return false;
        }
        if (pending <= connection.settings.outputLimitBytes()) return true;
        refuse();
        loop.returned(() -> connection.outgoing.failOverLimit(pending));
        return false;
    }

    /// Drops the connection: more was written than it may hold, or the loop's memory is used up.
    public void drop(Overflow cause) {
        connection.drop(cause);
    }

    /// A frame on its way to the output; until it is there, it borrows the loop's memory.
    private final class Frame implements Runnable {
        final long weight;
        private final @Nullable Bytes value;
        private final @Nullable Chain chain;
        private final SentWatches.@Nullable Written watch;

        Frame(long size, @Nullable Bytes value, @Nullable Chain chain) {
            this.weight = size + FRAME_BYTES;
            this.value = value;
            this.chain = chain;
            this.watch = null;
        }

        Frame(SentWatches.Written watch) {
            this.weight = FRAME_BYTES;
            this.value = null;
            this.chain = null;
            this.watch = watch;
        }

        /// On the loop.
        @Override
        public void run() {
            if (connection.isLent() && connection.state() != TcpConnection.State.CLOSED) waiting.add(this);
            else append(this);
        }

        void moveTo(LoopOutput output) {
            if (value != null) output.write(value);
            else if (chain != null) output.appendAll(chain);
        }

        void release() {
            if (chain != null) chain.releaseAll(Slab.Owner.OUTPUT, loop.pool());
        }

        /// The loop is gone; by the thread that wrote the frame.
        void lost() {
            if (chain != null) chain.releaseAll(Slab.Owner.OUTPUT, loop.pool().reserve());
            loop.threads().loanEnded();
        }
    }

    // The loop's thread.

    /// Appends a value, at once or when the loan is over; for tasks from the loop's queue, which have kept their
    /// order.
    public void appendInTurn(Bytes value) {
        if (!connection.isLent() && waiting.isEmpty()) {
            appendHere(value);
            return;
        }
        var frame = new Frame(value.length(), value, null);
        long pending = pendingBytes.addAndGet(frame.weight);
        loop.threads().loanBegan();
        frame.run();
        // Only during a loan: otherwise the frame is in the output, which checks the limit itself.
        if (pending <= connection.settings.outputLimitBytes() || waiting.isEmpty() || !isOpen()) return;
        refuse();
        connection.outgoing.failOverLimit(pending);
    }

    private void appendHere(Bytes value) {
        if (!connection.outgoing.takesOutput()) return;
        connection.outgoing.appending(true);
        try {
            connection.outgoing.output.write(value);
        } catch (Overflow e) {
            drop(e);
        } finally {
            connection.outgoing.appending(false);
        }
    }

    private void append(Frame frame) {
        pendingBytes.addAndGet(-frame.weight);
        loop.threads().loanEnded();
        if (frame.watch != null) {
            connection.outgoing.watchHere(frame.watch);
            return;
        }
        if (!connection.outgoing.takesOutput()) {
            frame.release();
            return;
        }
        connection.outgoing.appending(true);
        try {
            frame.moveTo(connection.outgoing.output);
        } catch (Overflow e) {
            frame.release();
            drop(e);
        } finally {
            connection.outgoing.appending(false);
        }
    }

    private void tellWritable() {
        isTelling.set(false);
        connection.outgoing.tellWritable();
    }

    /// The connection is the loop's again.
    void loanEnded() {
        while (!waiting.isEmpty()) append(waiting.remove());
    }

    void whenClosed(Runnable task) {
        assert whenClosed == null;
        whenClosed = task;
    }

    /// The connection has closed.
    void close() {
        while (!waiting.isEmpty()) append(waiting.remove());
        if (whenClosed != null) whenClosed.run();
    }
}
