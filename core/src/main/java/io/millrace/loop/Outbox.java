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

/// Output from threads that do not have the connection: each writes a frame of its own aside, and the loop
/// appends it to the output.
///
/// ```
///   any thread: writes ─► FRAME ─ task ─► loop: not lent ─────────────────────► output
///                                               lent ─► waits for the loan's end ─┘
///                                               closed ─► dropped
/// ```
/// Frames of one thread keep their order, because tasks do. A thread that has the connection may write to the
/// output itself only when no frame is on its way ([#isDirect]); otherwise its frame would overtake them.
public final class Outbox {
    /// What is less does not keep a slab to itself while it waits.
    private static final int SMALL_FRAME_BYTES = 1024;

    private final TcpConnection connection;
    private final EventLoop loop;

    /// Of frames that are not in the output yet. Any thread adds, the loop subtracts.
    private final AtomicLong pendingBytes = new AtomicLong();

    /// Somebody was told that the connection is full, and the loop has not heard of it yet.
    private final AtomicBoolean isTelling = new AtomicBoolean();

    /// Set to false once, by whoever ends the output.
    private volatile boolean isOpen = true;

    /// The loop's: frames that came while the connection was lent.
    private final ArrayDeque<Frame> waiting = new ArrayDeque<>(0);

    private final Runnable whenClosed;
    private boolean isClosed;

    Outbox(TcpConnection connection, Runnable whenClosed) {
        this.connection = connection;
        this.loop = connection.loop;
        this.whenClosed = whenClosed;
    }

    // Any thread.

    /// Whether a frame would be sent; false after `end`, `close` and `abort`, and when the connection has closed.
    public boolean isOpen() {
        return isOpen;
    }

    /// No frame is taken any more; those on their way still leave. The connection's end follows.
    public void refuse() {
        isOpen = false;
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
        // The loop may be sending the last of it right now, and would not tell.
        if (isFull && isTelling.compareAndSet(false, true)) loop.returned(this::tellWritable);
        return isFull;
    }

    /// Sends what `writer` writes, later.
    ///
    /// @return false when the connection has closed, or was dropped now because it holds too much
    public boolean send(Consumer<LoopOutput> writer) {
        if (!isOpen) return false;
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
        if (!isOpen) return false;
        loop.threads().loanBegan();
        return hand(new Frame(value.length(), value, null));
    }

    /// What `writer` writes, as a value; its memory is borrowed from a loop meanwhile.
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
        long pending = pendingBytes.addAndGet(frame.size);
        if (!loop.returned(frame)) {
            frame.lost();
            return false;
        }
        if (pending <= connection.settings.outputLimitBytes()) return true;
        refuse();
        loop.returned(() -> connection.outgoing.failOverLimit(pending));
        return false;
    }

    /// The connection has to go: somebody wrote more than it may hold, or the loop's memory is used up.
    public void drop(Overflow cause) {
        refuse();
        loop.returned(() -> connection.threw(cause));
    }

    /// On its way to the output; a loan of the loop's memory until it is there.
    private final class Frame implements Runnable {
        final long size;
        private final @Nullable Bytes value;
        private final @Nullable Chain chain;

        Frame(long size, @Nullable Bytes value, @Nullable Chain chain) {
            this.size = size;
            this.value = value;
            this.chain = chain;
        }

        /// On the loop.
        @Override
        public void run() {
            if (connection.isLent() && !isClosed) waiting.add(this);
            else append(this);
        }

        void moveTo(LoopOutput output) {
            if (value != null) output.write(value);
            else if (chain != null) output.appendAll(chain);
        }

        void release() {
            if (chain != null) chain.releaseAll(Slab.Owner.OUTPUT, loop.pool());
        }

        /// The loop is gone; by the thread that wrote it.
        void lost() {
            if (chain != null) chain.releaseAll(Slab.Owner.OUTPUT, loop.pool().reserve());
            loop.threads().loanEnded();
        }
    }

    // The loop's thread.

    /// Appends a value, at once or when the loan is over; for tasks that have come through the loop's queue, in
    /// which they have kept their place.
    public void appendInTurn(Bytes value) {
        long pending = pendingBytes.addAndGet(value.length());
        loop.threads().loanBegan();
        new Frame(value.length(), value, null).run();
        // Only while it is lent: otherwise the output has the frame, and looks itself.
        if (pending <= connection.settings.outputLimitBytes() || waiting.isEmpty() || !isOpen) return;
        refuse();
        connection.outgoing.failOverLimit(pending);
    }

    private void append(Frame frame) {
        pendingBytes.addAndGet(-frame.size);
        loop.threads().loanEnded();
        if (isClosed || !connection.outgoing.takesOutput()) {
            frame.release();
            return;
        }
        try {
            frame.moveTo(connection.outgoing.output);
        } catch (Overflow e) {
            frame.release();
            drop(e);
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

    /// The connection has closed.
    void close() {
        isOpen = false;
        isClosed = true;
        while (!waiting.isEmpty()) append(waiting.remove());
        whenClosed.run();
    }
}
