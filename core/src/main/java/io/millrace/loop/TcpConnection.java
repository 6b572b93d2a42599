package io.millrace.loop;

import io.millrace.bytes.Output;
import io.millrace.bytes.Overflow;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import io.millrace.net.Overloaded;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import io.millrace.transport.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import org.jspecify.annotations.Nullable;

/// A connected socket: one class for every transport and every [Style]. All state belongs to the loop's thread.
///
/// ```
///  CONNECTING ──connected──► OPEN ──end()──► ENDING ──peer ends──► CLOSED
///      │                      │                │
///      │                      ├────close()─────┴──► CLOSING ──sent──► LINGERING ──peer ends──► CLOSED
///      └── failed ────────────┴── abort() / error ──────────────────────────────────────────► CLOSED
/// ```
/// *LINGERING* has sent its end and drops what still arrives: closing a socket with unread bytes makes the kernel
///   reset the connection, and the peer would lose the end of our answer. Only a connection that sent something
///   lately lingers, and not for long.
public final class TcpConnection implements Connection, Connection.Options, LoopOutput.Watcher {
    private static final long LINGER_NANOS = 1_000_000_000;

    enum State {
        CONNECTING,
        OPEN,
        ENDING,
        CLOSING,
        LINGERING,
        CLOSED
    }

    final EventLoop loop;
    final ConnectionSettings settings;
    final LoopInput input;
    final LoopOutput output;

    /// The list of connections that have something to send in this turn; the loop's.
    @Nullable
    TcpConnection nextDirty;

    boolean isDirty;

    private final int socket;
    private final Origin origin;
    private State state;
    private @Nullable Style style;
    private @Nullable StagedBytes stage;
    private @Nullable Timeouts timeouts;

    /// While connecting and while lingering; cancelled with the state, so that it does not keep a dead connection.
    private TimerWheel.@Nullable Timer deadline;

    private @Nullable SentWatches sentWatches;
    private @Nullable Outbox outbox;
    private @Nullable IOException failure;
    private @Nullable SocketAddress remote;
    private @Nullable SocketAddress local;

    /// Who has the loan, if a thread says so: written by that thread, for which alone its value means something.
    private @Nullable Thread borrower;

    /// What arrives while the input is lent to another thread.
    private @Nullable LoopInput arrivals;

    private boolean isLent;
    private boolean isReceiving;
    private boolean isPaused;

    /// Resumed, and what was left unread is about to be offered again.
    private boolean isOffering;

    private boolean isFull;
    private boolean isSending;
    private boolean inputHasEnded;
    private boolean endWasTold;
    private boolean outputHasEnded;
    private long inputLimitBytes;

    /// Bytes the transport has not sent yet.
    private long inFlightBytes;

    /// How often output was handed to the transport; the last one is under way while `isSending`.
    private int sends;

    private long sentBytes;
    private long receivedBytes;
    private long lastReceivedNanos;
    private long lastSentNanos;

    /// Where a connection came from, and who wants to know about its beginning and its end.
    public interface Origin {
        /// The connection is open: give it a style.
        void opened(TcpConnection connection);

        /// It is closed. `wasOpen` tells a failed attempt to connect from the rest.
        void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause);
    }

    /// @param isConnected whether the socket is connected already; otherwise `connected` or `failed` follows
    TcpConnection(EventLoop loop, int socket, boolean isConnected, ConnectionSettings settings, Origin origin) {
        this.loop = loop;
        this.socket = socket;
        this.settings = settings;
        this.origin = origin;
        this.inputLimitBytes = settings.inputLimitBytes();
        this.input = new LoopInput(loop.pool());
        this.output = new LoopOutput(loop.pool(), settings.highWatermarkBytes(), this);
        this.state = State.CONNECTING;
        loop.own(socket, this);
        loop.totals().connections.add(1);
        if (isConnected) connected();
    }

    void connected() {
        if (state != State.CONNECTING) return;
        state = State.OPEN;
        if (deadline != null) deadline.cancel();
        deadline = null;
        lastReceivedNanos = loop.nowNanos();
        lastSentNanos = loop.nowNanos() - LINGER_NANOS;
        if (settings.hasTimeouts()) timeouts = new Timeouts(this);
        try {
            if (settings.stage() != null) openStage(settings.stage());
            origin.opened(this);
        } catch (IOException | RuntimeException | Error e) {
            CallbackStyle.log(this, e);
            fail(asCause(e));
        }
        updateReceiving();
    }

    private void openStage(Stage factory) throws IOException {
        var opened = new StagedBytes(this, factory);
        stage = opened;
        opened.open();
    }

    /// The way user code meets this connection; set when it opens, and once more when a protocol takes over.
    public void style(Style style) {
        this.style = style;
        // Aborted while its handler was made.
        if (state == State.CLOSED) style.closed(failure);
    }

    // In.

    void received(Slab slab) {
        receivedBytes += slab.readable();
        lastReceivedNanos = loop.nowNanos();
        if (state == State.LINGERING || state == State.CLOSED || state == State.CLOSING) {
            loop.pool().give(slab, Slab.Owner.KERNEL);
            return;
        }
        if (stage != null) {
            throughStage(stage, slab);
            return;
        }
        (isLent ? arrivals() : input).append(slab, Slab.Owner.KERNEL);
        delivered();
    }

    private void throughStage(StagedBytes stage, Slab slab) {
        try {
            Chain app = stage.received(slab);
            if (app.isEmpty()) return;
            (isLent ? arrivals() : input).appendAll(app);
            delivered();
        } catch (IOException | RuntimeException e) {
            fail(asCause(e));
        }
    }

    private LoopInput arrivals() {
        var beside = arrivals;
        if (beside == null) arrivals = beside = new LoopInput(loop.pool());
        return beside;
    }

    private void delivered() {
        if (style != null && !isPaused) style.arrived();
        if (state != State.CLOSED) updateReceiving();
    }

    void inputEnded() {
        if (inputHasEnded || state == State.CLOSED) return;
        inputHasEnded = true;
        try {
            if (stage != null) stage.ended();
        } catch (IOException e) {
            fail(e);
            return;
        }
        if (state == State.LINGERING) finish(null);
        else if (state != State.CLOSING) tellEnd();
        finishIfBothEnded();
    }

    /// Not to a handler that has paused: it may have something left to read, or an answer left to write.
    private void tellEnd() {
        if (style == null || endWasTold || isHoldingBack()) return;
        endWasTold = true;
        style.ended();
    }

    /// The handler has paused before it heard of the end: whether that has to wait, too.
    boolean takesEndBack() {
        endWasTold = !isHoldingBack();
        return !endWasTold;
    }

    private boolean isHoldingBack() {
        return isPaused || isOffering;
    }

    /// Both sides have ended and user code has seen everything: nothing is left to do.
    void finishIfBothEnded() {
        if (state != State.ENDING || !inputHasEnded || !outputHasEnded) return;
        if (style == null || (endWasTold && style.hasSeenAll())) finish(null);
    }

    /// Receives when there is room for it and somebody who wants it.
    void updateReceiving() {
        boolean wanted = switch (state) {
            case OPEN, ENDING -> !isPaused && hasRoom() && unread() < inputLimitBytes && !inputHasEnded;
            case LINGERING -> !inputHasEnded;
            case CONNECTING, CLOSING, CLOSED -> false;
        };
        if (wanted == isReceiving) return;
        isReceiving = wanted;
        if (wanted) lastReceivedNanos = loop.nowNanos();
        loop.transport().receive(socket, wanted);
    }

    /// Looked at here, because behind a send under way a write does not bring the end of a turn. Whoever has the
    /// output on loan looks himself.
    private boolean hasRoom() {
        return isLent ? !isFull : !isFull();
    }

    void starved() {
        isReceiving = false;
    }

    private long unread() {
        return input.size() + (arrivals == null ? 0 : arrivals.size());
    }

    // Loans to user code.

    boolean isLent() {
        return isLent;
    }

    /// Input and output are another thread's from now on.
    void lend() {
        isLent = true;
    }

    /// Input and output are the loop's again: what arrived meanwhile joins the input, what was written gets sent.
    ///
    /// @return whether something arrived
    boolean endLoan() {
        isLent = false;
        // The peer's turn begins now.
        lastReceivedNanos = loop.nowNanos();
        if (outbox != null) outbox.loanEnded();
        // Also when nothing was written: a close, or room for more, may have come up during the loan.
        loop.markDirty(this);
        return mergeArrivals();
    }

    /// Adds what arrived during a loan to the input; whether there was anything.
    boolean mergeArrivals() {
        if (arrivals == null || arrivals.size() == 0) return false;
        input.appendAll(arrivals);
        return true;
    }

    /// After a call of user code on the loop: what is left unread must not be more than the connection may hold,
    /// because then nothing would ever be received again.
    void checkUnread() {
        if (state != State.OPEN && state != State.ENDING) return;
        if (input.size() >= inputLimitBytes && !isPaused) {
            var detail = "the handler left " + input.size() + " bytes unread, the limit is " + inputLimitBytes
                    + " (input.unread): read them, pause the connection, or raise Listen.inputLimit";
            Guard.INPUT_UNREAD.acted(remote(), detail);
            fail(new Overloaded(detail));
            return;
        }
        input.compact();
    }

    /// Lets a protocol keep more unread than the settings say: a whole frame must fit.
    public void inputLimit(long bytes) {
        inputLimitBytes = Math.max(inputLimitBytes, bytes);
    }

    /// Frames from other threads come through here. Called on the loop, once, when the connection opens.
    ///
    /// @param whenClosed called on the loop when the connection has closed
    public Outbox openOutbox(Runnable whenClosed) {
        assert outbox == null;
        var opened = new Outbox(this, whenClosed);
        outbox = opened;
        return opened;
    }

    /// The calling thread has the loan, from now on or no more.
    void borrowedByCaller(boolean isBorrowed) {
        borrower = isBorrowed ? Thread.currentThread() : null;
    }

    /// Whether the calling thread may use input and output now. A virtual thread may not because its loop carries
    /// it: it could stop in the middle of a frame, and the loop would go on and send the half of it.
    @SuppressWarnings("ReferenceEquality") // the thread itself
    boolean isWithCaller() {
        var caller = Thread.currentThread();
        return borrower == caller || (!caller.isVirtual() && loop.inLoop() && !isLent);
    }

    /// Whether the handler still wants what arrives.
    public boolean isReading() {
        return !isPaused && isOpen();
    }

    // Out.

    @Override
    public void outputBegan() {
        if (!isLent) loop.markDirty(this);
    }

    @Override
    public void outputIsFull() {
        if (style != null) style.outputIsFull();
        else checkOutputLimit();
    }

    /// A write of callback code above the high watermark: fine, until the limit.
    void checkOutputLimit() {
        long unsent = unsent();
        if (unsent <= settings.outputLimitBytes()) return;
        // Not at once: somebody is in the middle of writing.
        loop.returned(() -> failOverLimit(unsent));
        throw new Overflow(overLimit(unsent));
    }

    void failOverLimit(long unsent) {
        if (state == State.CLOSED) return;
        var detail = overLimit(unsent);
        Guard.OUTPUT_UNSENT.acted(remote(), detail);
        fail(new Overloaded(detail));
    }

    private String overLimit(long unsent) {
        return unsent + " bytes are unsent, the limit is " + settings.outputLimitBytes()
                + " (output.unsent): stop at isFull() until onWritable, or raise Listen.outputLimit";
    }

    /// Hands what was written to the transport; called by the loop at the end of the turn.
    void endOfTurn() {
        if (state == State.CONNECTING || isLent) return;
        if (state == State.CLOSED) {
            release();
            return;
        }
        if (outputHasEnded) dropOutput();
        else if (!isSending) sendOutput();
        if (state != State.CLOSED) afterSending();
    }

    /// Written too late: a broadcast does not know who has gone, and what is sent behind an end resets the peer.
    private void dropOutput() {
        output.release();
        if (stage != null) stage.releaseOutput();
    }

    private void sendOutput() {
        try {
            if (!output.chain().isEmpty()) sends++;
            var chain = stage == null ? output.chain() : stage.outgoing(state != State.OPEN);
            long size = chain.size();
            if (size == 0) return;
            isSending = !loop.transport().send(socket, chain);
            if (isSending) inFlightBytes = size;
            else wentOut(size);
        } catch (IOException | RuntimeException e) {
            fail(asCause(e));
        }
    }

    void sent(long count, boolean done) {
        if (state == State.CLOSED) return;
        inFlightBytes -= count;
        wentOut(count);
        if (done) {
            assert inFlightBytes == 0 : inFlightBytes;
            isSending = false;
            if (!isLent) endOfTurn();
        } else {
            afterSending();
        }
    }

    private void wentOut(long count) {
        sentBytes += count;
        lastSentNanos = loop.nowNanos();
        loop.totals().bytesSent.add(count);
    }

    private void afterSending() {
        if (sentWatches != null) runSentWatches(sentWatches);
        if (state == State.CLOSED) return;
        if (!isSending && output.chain().isEmpty() && !isLent) everythingWent();
        updateFullness();
    }

    /// Somebody on another thread was told that the connection is full, and waits for onWritable.
    void tellWritable() {
        if (state == State.CLOSED) return;
        isFull = true;
        if (!isLent) loop.markDirty(this);
    }

    /// Whether what is written now still leaves.
    boolean takesOutput() {
        return switch (state) {
            case OPEN, CLOSING -> true;
            case ENDING -> !outputHasEnded;
            case CONNECTING, LINGERING, CLOSED -> false;
        };
    }

    private void updateFullness() {
        if (state == State.CLOSED) return;
        if (isFull() && unsent() <= settings.lowWatermarkBytes()) {
            isFull = false;
            if (style != null) style.writable();
        }
        if (state != State.CLOSED) updateReceiving();
    }

    private long unsent() {
        return output.size() + inFlightBytes;
    }

    /// Nothing is left to send: time for the half-close or the close that waited for it.
    private void everythingWent() {
        if (state == State.CLOSING) {
            if (inputHasEnded || loop.nowNanos() - lastSentNanos >= LINGER_NANOS) finish(null);
            else linger();
        } else if (state == State.ENDING && !outputHasEnded) {
            endOutput();
            finishIfBothEnded();
        }
    }

    private void endOutput() {
        if (outputHasEnded) return;
        outputHasEnded = true;
        loop.transport().end(socket);
    }

    private void linger() {
        state = State.LINGERING;
        endOutput();
        input.release();
        updateReceiving();
        if (timeouts != null) timeouts.cancel();
        deadline(loop.nowNanos() + LINGER_NANOS, this::lingeredEnough);
    }

    /// For a state that must not last: what to do when it has lasted too long.
    void deadline(long deadlineNanos, Runnable task) {
        deadline = loop.timers().schedule(deadlineNanos, task);
    }

    private void lingeredEnough() {
        if (state == State.LINGERING) finish(null);
    }

    /// Only those that wait now: a task that waits again must not keep the loop here.
    private void runSentWatches(SentWatches watches) {
        int sendsDone = isSending ? sends - 1 : sends;
        for (int i = watches.size(); i > 0 && state != State.CLOSED && watches.isDue(sendsDone); i--) {
            callUser(watches.next());
        }
        if (watches.isDue(sendsDone)) loop.markDirty(this);
    }

    /// A call of user code that belongs to no style: what it throws ends this connection.
    void callUser(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            CallbackStyle.log(this, e);
            fail(asCause(e));
        }
    }

    // Connection.

    @Override
    public Output output() {
        return output;
    }

    @Override
    public boolean isFull() {
        // Whoever is told so waits for onWritable, even if the end of this turn sends everything.
        if (unsent() > settings.highWatermarkBytes()) isFull = true;
        return isFull;
    }

    @Override
    public void pause() {
        onLoop(this::pauseNow);
    }

    private void pauseNow() {
        isPaused = true;
        updateReceiving();
    }

    @Override
    public void resume() {
        onLoop(this::resumeNow);
    }

    private void resumeNow() {
        if (!isPaused || state == State.CLOSED) return;
        isPaused = false;
        // Not at once: the caller may be inside onInput, and the input is lent.
        isOffering = unread() > 0 || (inputHasEnded && !endWasTold);
        if (isOffering) loop.returned(this::offerAgain);
        updateReceiving();
    }

    private void offerAgain() {
        isOffering = false;
        if (unread() > 0 && isOpen()) delivered();
        if (!inputHasEnded || !isOpen()) return;
        tellEnd();
        finishIfBothEnded();
    }

    @Override
    public void end() {
        onLoop(this::endNow);
    }

    private void endNow() {
        if (state != State.OPEN) return;
        if (outbox != null) outbox.refuse();
        state = State.ENDING;
        loop.markDirty(this);
    }

    @Override
    public void close() {
        onLoop(this::closeNow);
    }

    private void closeNow() {
        if (outbox != null) outbox.refuse();
        switch (state) {
            case CONNECTING -> finish(null);
            case OPEN, ENDING -> {
                state = State.CLOSING;
                updateReceiving();
                loop.markDirty(this);
            }
            case CLOSING, LINGERING, CLOSED -> {}
        }
    }

    @Override
    public void abort() {
        onLoop(() -> fail(new Reset("aborted by this side")));
    }

    /// The server is stopping: the handler decides what that means.
    public void drain() {
        if (state == State.CONNECTING || style == null) close();
        else if (state == State.OPEN || state == State.ENDING) style.draining();
    }

    void loopClosed() {
        fail(new Reset("the event loop of this connection was closed"));
    }

    private void onLoop(Runnable action) {
        if (loop.inLoop()) action.run();
        // When the loop is gone, so is the connection.
        else loop.returned(action);
    }

    @Override
    public void whenSent(Runnable task) {
        // Counted by the caller, who may have the output on loan; no send begins meanwhile.
        int send = output.size() == 0 ? sends : sends + 1;
        onLoop(() -> watch(send, task));
    }

    private void watch(int send, Runnable task) {
        if (sentWatches == null) sentWatches = new SentWatches();
        sentWatches.add(send, task);
        loop.markDirty(this);
    }

    @Override
    public SocketAddress remote() {
        // Made when somebody asks, or at the end: most connections never need it. On the loop, to which the
        // transport belongs; a session or a worker may be the one who asks.
        var known = remote;
        return known != null ? known : loop.ask(this::findRemote);
    }

    private SocketAddress findRemote() {
        if (remote == null) remote = loop.transport().remote(socket);
        return remote;
    }

    @Override
    public SocketAddress local() {
        var known = local;
        return known != null ? known : loop.ask(this::findLocal);
    }

    private SocketAddress findLocal() {
        if (local == null) local = loop.transport().local(socket);
        return local;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Options options() {
        return this;
    }

    @Override
    public <T> void set(SocketOption<T> name, T value) {
        loop.ask(() -> setNow(name, value));
    }

    private <T> T setNow(SocketOption<T> name, T value) {
        try {
            loop.transport().option(socket, name, value);
            return value;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public <T> T get(SocketOption<T> name) {
        return loop.ask(() -> getNow(name));
    }

    private <T> T getNow(SocketOption<T> name) {
        try {
            return loop.transport().option(socket, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // The end.

    void failed(Failure kind, String detail) {
        fail(
                switch (kind) {
                    case REFUSED -> new Refused(detail);
                    case RESET -> new Reset(detail);
                    case TIMED_OUT -> new TimedOut(detail);
                    case NO_RESOURCES -> new Overloaded(detail);
                    case OTHER -> new Reset(detail);
                });
    }

    /// The connection dies now, with a cause.
    public void fail(IOException cause) {
        if (state == State.CLOSED) return;
        failure = cause;
        finish(cause);
    }

    private void finish(@Nullable IOException cause) {
        if (state == State.CLOSED) return;
        boolean wasOpen = state != State.CONNECTING;
        findRemote();
        if (wasOpen) findLocal();
        state = State.CLOSED;
        isReceiving = false;
        loop.own(socket, null);
        if (cause == null) loop.transport().close(socket);
        else loop.transport().abort(socket);
        if (timeouts != null) timeouts.cancel();
        if (outbox != null) outbox.close();
        release();
        var totals = loop.totals();
        totals.connections.add(-1);
        totals.closed.add(1);
        if (cause != null) totals.failed.add(1);
        if (Events.areOn()) recordEnd(cause);
        if (style != null) style.closed(cause);
        origin.closed(this, wasOpen, cause);
    }

    private void recordEnd(@Nullable IOException cause) {
        new Events.Closed(String.valueOf(remote()), String.valueOf(cause), receivedBytes, sentBytes).commit();
    }

    /// Memory goes home, but for what is lent to another thread: that follows when its loan ends.
    void release() {
        if (arrivals != null) arrivals.release();
        if (isLent) return;
        input.release();
        output.release();
        if (stage != null) stage.release();
    }

    /// What user code threw, as the cause of a connection's end.
    static IOException asCause(Throwable thrown) {
        return switch (thrown) {
            case IOException e -> e;
            case UncheckedIOException e -> java.util.Objects.requireNonNull(e.getCause());
            case Overflow e -> new Overloaded(String.valueOf(e.getMessage()));
            default -> new IOException("the handler threw " + thrown, thrown);
        };
    }

    // What the neighbours in this package use.

    public boolean cameFrom(Origin origin) {
        return this.origin.equals(origin);
    }

    State state() {
        return state;
    }

    boolean isOpen() {
        return state == State.OPEN || state == State.ENDING;
    }

    /// Whether the peer keeps us waiting: what user code has not handed over yet does not.
    boolean isSending() {
        return isSending || (!isLent && !output.chain().isEmpty());
    }

    boolean isReceiving() {
        return isReceiving;
    }

    boolean isPaused() {
        return isPaused;
    }

    boolean inputHasEnded() {
        return inputHasEnded;
    }

    /// Whether a writer has to wait: it was above the high watermark and is not yet below the low one.
    boolean isBlocked() {
        return isFull;
    }

    @Nullable
    IOException failure() {
        return failure;
    }

    long lastReceivedNanos() {
        return lastReceivedNanos;
    }

    long lastSentNanos() {
        return lastSentNanos;
    }

    @Override
    public String toString() {
        return state + " connection to " + remote();
    }
}
