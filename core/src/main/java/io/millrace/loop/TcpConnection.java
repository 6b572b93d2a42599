package io.millrace.loop;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.bytes.Overflow;
import io.millrace.memory.Chain;
import io.millrace.memory.Loan;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Reset;
import io.millrace.net.Security;
import io.millrace.net.Stage;
import io.millrace.transport.Failure;
import io.millrace.transport.Transport;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// A connected socket: one class for every transport and every [Style]; [Incoming] receives, [Outgoing] sends. All
/// state belongs to the loop's thread.
///
/// ```
///  CONNECTING ──connected──► OPEN ──end()──► ENDING ──peer ends──► CLOSED
///      │                      │                │
///      │                      ├────close()─────┴──► CLOSING ──sent──► LINGERING ──peer ends──► CLOSED
///      └── failed ────────────┴── abort() / error ──────────────────────────────────────────► CLOSED
/// ```
/// *LINGERING* has sent its end and drops what still arrives: closing a socket with unread bytes makes the kernel
///   reset the connection, and the peer would lose the end of our response. Only a connection that sent something
///   recently lingers, for a second after the peer's last few bytes; one whose peer has promised to send nothing more
///   does not.
///
/// *ENDING* and *CLOSING* last as long as the peer keeps taking what is left ([Timeouts]).
public final class TcpConnection implements Connection, TunnelEnd {
    private static final long LINGER_NANOS = 1_000_000_000;

    /// In all, while the peer sends a little now and then.
    private static final long MOST_LINGER_NANOS = 30 * LINGER_NANOS;

    /// What a peer sends while it takes a long response, as the windows of HTTP/2: not a body.
    private static final long LITTLE_BYTES = 64 << 10;

    private static final VarHandle OUTBOX = outboxField();

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
    final int socket;

    /// The loan of input and output to a thread.
    final Loan loan;

    /// Whether it goes on reading while its peer does not: this side made the connection, or it is part of a
    /// tunnel.
    private boolean readsOn;

    final Incoming incoming;
    final Outgoing outgoing;

    private final ConnectionOrigin origin;
    private State state;
    private @Nullable Style style;
    private @Nullable Stages stages;
    private @Nullable Timeouts timeouts;

    /// While connecting and while lingering; cancelled with the state, so that it does not retain a dead
    /// connection.
    private TimerWheel.@Nullable WheelTimer deadline;

    /// Made on first use, by any thread.
    private volatile @Nullable Outbox outbox;

    /// Frames of other threads are refused. Set once, by the thread that ends the output; read by any thread.
    private volatile boolean refusesFrames;

    private @Nullable IOException failure;

    /// The socket's, until a stage announces others; read by any thread.
    private volatile Transport.Addresses addresses;

    /// Made on first use: most connections never need it. Any thread writes the same immutable value.
    private @Nullable SocketAddress remote;

    /// Set by a stage before there is a style; read by any thread.
    private volatile @Nullable Security security;

    /// The peer has announced that it sends nothing more.
    private boolean isPeerDone;

    /// The implementation, which all connections of our loops are.
    ///
    /// @throws IllegalArgumentException for another one
    public static TcpConnection of(Connection connection) {
        if (connection instanceof TcpConnection ours) return ours;
        throw new IllegalArgumentException(connection + " is not a Millrace connection");
    }

    /// @param isConnected whether the socket is connected already; otherwise `connected` or `failed` follows
    TcpConnection(
            EventLoop loop, int socket, boolean isConnected, ConnectionSettings settings, ConnectionOrigin origin) {
        this.loop = loop;
        this.socket = socket;
        this.addresses = loop.transport().addresses(socket);
        this.settings = settings;
        this.origin = origin;
        this.loan = new Loan(loop);
        this.readsOn = !isConnected;
        this.incoming = new Incoming(this);
        this.outgoing = new Outgoing(this);
        this.state = State.CONNECTING;
        loop.sockets().own(socket, this);
        loop.totals().connections.add(1);
        if (isConnected) connected();
    }

    private static VarHandle outboxField() {
        try {
            return MethodHandles.lookup().findVarHandle(TcpConnection.class, "outbox", Outbox.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    void connected() {
        if (state != State.CONNECTING) return;
        state = State.OPEN;
        cancelDeadline();
        incoming.opened();
        outgoing.opened(loop.nowNanos() - LINGER_NANOS);
        if (settings.hasTimeouts()) timeouts = Timeouts.begin(this);
        try {
            if (settings.stages().isEmpty()) origin.opened(this);
            else openStages();
        } catch (IOException | RuntimeException | Error e) {
            CallbackStyle.log(this, e);
            threw(e);
        }
        incoming.update();
    }

    private void openStages() throws IOException {
        var between = new Stages(this, settings.stages());
        stages = between;
        between.open();
    }

    /// A stage is ready, and announces the peer's addresses and identity.
    void announced(Stage.Link stage) {
        stage.security().ifPresent(found -> security = found);
        if (stage.remote().isEmpty() && stage.local().isEmpty()) return;
        var of = addresses;
        addresses = new Announced(
                stage.remote().orElseGet(of::remote), stage.local().orElseGet(of::local));
        remote = null;
    }

    /// Goes on without its stages, once they are done and empty.
    void leaveStages() {
        var left = stages;
        if (left == null || state != State.OPEN || !left.areDone()) return;
        stages = null;
        left.leave();
    }

    private record Announced(SocketAddress remote, SocketAddress local) implements Transport.Addresses {}

    /// Gets its style: its stages know the peer.
    void greet() {
        try {
            origin.opened(this);
        } catch (RuntimeException | Error e) {
            CallbackStyle.log(this, e);
            threw(e);
        }
    }

    /// How user code handles this connection; set when it opens, and again when a protocol takes over.
    public void style(Style style) {
        this.style = style;
        // Aborted while its handler was made.
        if (state == State.CLOSED) style.closed(failure);
    }

    // Loans to user code.

    /// Whether another thread has input and output. On the loop.
    public boolean isLent() {
        return loan.isOut();
    }

    /// Lends input and output to a thread; without one, to the thread that takes the loan.
    void lend(@Nullable Thread to) {
        loan.lend(to);
        outgoing.lent();
    }

    /// Lends input and output to the first thread that uses them.
    void lendToFirst() {
        loan.lendToFirst();
        outgoing.lent();
    }

    /// Returns input and output to the loop: what arrived meanwhile joins the input, what was written gets sent.
    /// On the loop, or by a thread it carries.
    ///
    /// @param hadInput whether user code saw the input, so that the peer's turn begins now
    /// @return whether something arrived
    boolean endLoan(boolean hadInput) {
        loan.take();
        var frames = outbox;
        try {
            if (frames != null) frames.loanEnded();
        } finally {
            loan.end();
        }
        // Also when nothing was written: a close, or room for more, may have come up during the loan.
        loop.markDirty(outgoing);
        return incoming.endLoan(hadInput);
    }

    /// Reads on while the peer does not read.
    @Override
    public TcpConnection connection() {
        return this;
    }

    @Override
    public void readOn() {
        readsOn = true;
    }

    @Override
    public void carry(Handler side) {
        Greeting.callback(_ -> side).accept(this);
    }

    @Override
    public void move(Input in) {
        outgoing.output.move(in);
    }

    @Override
    public void append(Chain chain) {
        outgoing.output.appendAll(chain);
    }

    /// Runs a session with the peer, or about one stream of this connection, on a virtual thread of its own: on
    /// the JDK's scheduler, and carried by the loop once the sessions of this server have earned that. Any thread.
    public void session(Runnable session) {
        // By the loop's own thread: a virtual one would pass on its state.
        loop.returned(() -> loop.threads().startSession(peerName(), origin.sessions(), session::run));
    }

    @Override
    public LoopOutput writing() {
        return outgoing.output;
    }

    @Override
    public void wrote() {}

    @Override
    public boolean sendAtOnce(SharedChain frames) {
        return state == State.OPEN && stages == null && !isLent() && outgoing.sendAtOnce(frames);
    }

    boolean readsOn() {
        return readsOn;
    }

    /// Raises the limit for unread input, so that a protocol's whole frame fits.
    public void inputLimit(long bytes) {
        incoming.raiseLimit(bytes);
    }

    /// How many bytes a handler may leave unread, as the listener says, or who connects. Any thread.
    public long inputLimitBytes() {
        return settings.inputLimitBytes();
    }

    /// Opens the way for frames of other threads. Called on the loop, once, when the connection opens.
    ///
    /// @param whenClosed called on the loop when the connection has closed
    public Outbox openOutbox(Runnable whenClosed) {
        var opened = outbox();
        opened.whenClosed(whenClosed);
        return opened;
    }

    private Outbox outbox() {
        var opened = outbox;
        if (opened != null) return opened;
        var made = new Outbox(this);
        var other = (Outbox) OUTBOX.compareAndExchange(this, null, made);
        return other != null ? other : made;
    }

    /// Whether output still goes to the peer: not once the connection is ending or closing. Any thread.
    public boolean takesFrames() {
        return !refusesFrames;
    }

    void refuseFrames() {
        refusesFrames = true;
    }

    /// Drops the connection: more was written than it may hold, or the loop's memory is used up. Any thread.
    void drop(Overflow cause) {
        refuseFrames();
        loop.returned(() -> threw(cause));
    }

    /// Lets the loop send at the end of the turn what is written so far, though the output is on loan: the caller
    /// is about to make a call that may wait. In the loop, by the thread that has the loan.
    public void sendMeanwhile() {
        var caller = loop.inLoop() ? loop.carriage().running() : null;
        if (caller == null) throw new IllegalStateException("this thread is not carried by " + loop);
        outgoing.sendMeanwhile(caller);
    }

    /// Whether the calling thread is in a call of the connection's handler, on the loop or elsewhere.
    public boolean isInCall() {
        return isWithCaller();
    }

    /// The calling thread's call, of a handler on virtual threads, goes on without the connection: it is about to
    /// wait for other calls, which may come at once. From now on it must not use input and output.
    ///
    /// @throws IllegalStateException when the thread is in no call, or calls run on the loop
    public void leaveCall() {
        if (style != null) style.leaveCall();
    }

    /// Whether the calling thread may use input and output now. That its loop carries it does not suffice for a
    /// virtual thread: it could stop in the middle of a frame, and the loop would send half of it.
    boolean isWithCaller() {
        return loan.isCallers();
    }

    /// Whether the handler still wants what arrives.
    public boolean isReading() {
        return !incoming.isPaused() && isOpen();
    }

    /// Makes a call of user code outside the style: an exception ends this connection.
    void callUser(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            CallbackStyle.log(this, e);
            threw(e);
        }
    }

    /// Calls the handler where its calls run, as if there were room again ([io.millrace.net.Handler#onWritable]):
    /// what it waited for has happened elsewhere. Any thread; after what the caller has sent through the outbox,
    /// and never from within the caller's own call.
    public void callHandler() {
        loop.returned(() -> {
            if (state != State.CLOSED && style != null) style.writable();
        });
    }

    // Connection.

    @Override
    public Output output() {
        return outgoing.output;
    }

    @Override
    public boolean write(Bytes bytes) {
        if (refusesFrames) return false;
        if (!isDirect()) return outbox().send(bytes);
        try {
            outgoing.output.write(bytes);
            return true;
        } catch (Overflow e) {
            drop(e);
            return false;
        }
    }

    /// Whether the caller may write to the output itself without overtaking what others have sent.
    private boolean isDirect() {
        var frames = outbox;
        return frames == null ? isWithCaller() : frames.isDirect();
    }

    @Override
    public boolean isFull() {
        return outgoing.isFull();
    }

    /// How many bytes may be unsent; with more, the connection is dropped. Any thread.
    public long outputLimitBytes() {
        return settings.outputLimitBytes();
    }

    @Override
    public void pause() {
        incoming.pause();
        onLoop(incoming::update);
    }

    @Override
    public void resume() {
        if (incoming.resume()) onLoop(incoming::goOn);
    }

    @Override
    public void end() {
        refuseFrames();
        onLoop(this::endNow);
    }

    private void endNow() {
        if (state != State.OPEN) return;
        state = State.ENDING;
        if (outgoing.isInFlight()) endsSlowly();
        loop.markDirty(outgoing);
    }

    @Override
    public void close() {
        refuseFrames();
        onLoop(this::closeNow);
    }

    /// Closes as [#close] does, but does not linger: the peer has announced that it sends nothing more. If it did
    /// send more, that is unread now, and the connection lingers all the same.
    public void closeWithoutLinger() {
        refuseFrames();
        onLoop(() -> {
            // A peer behind a stage has not promised anything about what the stage's own protocol sends.
            isPeerDone = stages == null;
            closeNow();
        });
    }

    private void closeNow() {
        switch (state) {
            case CONNECTING -> finish(null);
            case OPEN, ENDING -> {
                state = State.CLOSING;
                if (outgoing.isInFlight()) endsSlowly();
                incoming.update();
                loop.markDirty(outgoing);
            }
            case CLOSING, LINGERING, CLOSED -> {}
        }
    }

    @Override
    public void abort() {
        refuseFrames();
        onLoop(() -> fail(new Reset("aborted by this side")));
    }

    /// Whether the next response should be the last here, because another process now serves instead of this one.
    /// Any thread.
    public boolean isLast() {
        return origin.isLast(Transport.index(socket));
    }

    /// A drain begins: a handler that is [Departing] tells its peer in time.
    public void depart(Departures all) {
        if (style != null && isOpen()) style.departing(all);
    }

    /// The drain of its server that has begun; null without one. Any thread.
    public @Nullable Departures departures() {
        return origin.departures();
    }

    /// The server is stopping: the handler decides what that means.
    public void drain() {
        if (state == State.CONNECTING || style == null) close();
        else if (state == State.OPEN || state == State.ENDING) style.draining();
    }

    void loopClosed() {
        fail(new Reset("the event loop of this connection was closed"));
    }

    /// @return false when the loop is gone, and so is the connection
    private boolean onLoop(Runnable action) {
        if (!loop.inLoop()) return loop.returned(action);
        loop.doHere(action);
        return true;
    }

    @Override
    public void whenSent(Runnable task) {
        // Counted by the caller, which may have the output on loan; no portion ends meanwhile.
        watch(task);
    }

    /// @return false when the loop is gone, and the task will not run
    private boolean watch(Runnable task) {
        int portion = outgoing.portion();
        outgoing.watchBegins();
        return onLoop(() -> outgoing.watch(portion, task));
    }

    @Override
    public CompletionStage<@Nullable Void> written() {
        var written = new SentWatches.Written();
        if (!isDirect()) outbox().watch(written);
        else if (!watch(written)) written.completeExceptionally(gone());
        return written;
    }

    /// The exception for calls after the end.
    IOException gone() {
        return new Reset("the connection to " + Wording.of(remote()) + " is closed");
    }

    /// A number for what was written up to now, for [#hasLeft]; by the thread that has the output.
    public int portion() {
        return outgoing.portion();
    }

    /// Whether the transport has got that, so that the peer may have seen it; on the loop.
    public boolean hasLeft(int portion) {
        return outgoing.hasLeft(portion);
    }

    /// Whether it receives at once what the peer sends: not while memory is tight, or the peer does not take what
    /// was sent. On the loop.
    public boolean isReceiving() {
        return incoming.isReceiving();
    }

    /// Whether the peer's end has arrived: it sends nothing more, and what is sent to it may meet nobody. On the loop.
    public boolean hasPeerEnded() {
        return incoming.hasEnded();
    }

    /// Closes it from now on when nothing was sent or received for so long; zero for never. On the loop.
    @Override
    public void idleTimeout(Duration limit) {
        if (timeouts == null) timeouts = Timeouts.begin(this);
        timeouts.idle(ConnectionSettings.nanos(limit, "an idle timeout"));
    }

    /// Whether the peer has to take what is on its way before more can be sent; on the loop.
    public boolean isSending() {
        return outgoing.isInFlight();
    }

    /// When the last byte was received or sent, by the loop's clock; on the loop.
    public long lastMovedNanos() {
        long received = incoming.lastReceivedNanos();
        long sent = outgoing.lastSentNanos();
        return received - sent > 0 ? received : sent;
    }

    @Override
    public long receivedBytes() {
        return incoming.receivedBytes();
    }

    /// Bytes of output that the kernel has not taken; on the loop.
    public long unsentBytes() {
        return outgoing.unsent();
    }

    @Override
    public long takenBytes() {
        return sentBytes();
    }

    @Override
    public long sentBytes() {
        return outgoing.sentBytes();
    }

    /// For a thread's name, which lasts as long as the connection: does not keep the address as an object.
    String peerName() {
        return Wording.of(remote == null ? addresses.remote() : remote);
    }

    @Override
    public SocketAddress remote() {
        var known = remote;
        if (known == null) remote = known = addresses.remote();
        return known;
    }

    @Override
    public SocketAddress local() {
        return addresses.local();
    }

    @Override
    public Optional<Security> security() {
        return Optional.ofNullable(security);
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public Options options() {
        return new SocketOptionsOnLoop(loop, socket);
    }

    // The end.

    /// Both sides have ended and user code has seen everything: nothing is left to do.
    void finishIfBothEnded() {
        if (state != State.ENDING || !incoming.hasEnded() || !outgoing.hasEnded()) return;
        if (style == null || (incoming.endWasTold() && style.hasSeenAll())) finish(null);
    }

    /// Nothing is left to send: does the half-close or the close that waited for that.
    void everythingWent() {
        if (state == State.CLOSING) {
            boolean sentLately = loop.nowNanos() - outgoing.lastSentNanos() < LINGER_NANOS;
            boolean mayHaveMore = !incoming.hasEnded() && (!isPeerDone || incoming.unread() > 0);
            if (sentLately && mayHaveMore) linger();
            else finish(null);
        } else if (state == State.ENDING && !outgoing.hasEnded()) {
            outgoing.end();
            finishIfBothEnded();
        }
    }

    /// How long the peer may take nothing of what is left when this side has closed; 0 for ever.
    public long closingNanos() {
        return settings.closingNanos();
    }

    /// The connection ends, and the peer has to take the rest in time.
    void endsSlowly() {
        if (settings.closeTimeoutNanos() == 0) return;
        if (timeouts == null) timeouts = Timeouts.begin(this);
        timeouts.ending();
    }

    private void linger() {
        state = State.LINGERING;
        outgoing.end();
        incoming.input.release();
        incoming.update();
        if (timeouts != null) timeouts.cancel();
        long beganNanos = loop.nowNanos();
        long before = incoming.receivedBytes();
        deadline(beganNanos + LINGER_NANOS, () -> lingers(beganNanos, before));
    }

    /// A peer on a slow network may still be taking what was sent, and says so now and then.
    private void lingers(long beganNanos, long bytesBefore) {
        if (state != State.LINGERING) return;
        long nowNanos = loop.nowNanos();
        long untilNanos = incoming.lastReceivedNanos() + LINGER_NANOS;
        boolean isTaking = untilNanos - nowNanos > 0 && incoming.receivedBytes() - bytesBefore <= LITTLE_BYTES;
        long lastedNanos = nowNanos - beganNanos;
        if (isTaking && lastedNanos < MOST_LINGER_NANOS) {
            deadline(untilNanos, () -> lingers(beganNanos, bytesBefore));
            return;
        }
        CoreGuards.LINGER.acted(
                remote(), "the peer has not ended for " + lastedNanos / 1_000_000 + " ms after our end");
        finish(null);
    }

    /// For a state that must not last: runs the task when it has lasted too long.
    void deadline(long deadlineNanos, Runnable task) {
        deadline = loop.timers().schedule(deadlineNanos, task);
    }

    private void cancelDeadline() {
        if (deadline != null) deadline.cancel();
        deadline = null;
    }

    void failed(Failure kind, String detail) {
        fail(EndCause.of(kind, detail));
    }

    /// User code threw, which kills the connection.
    void threw(Throwable thrown) {
        fail(EndCause.of(thrown));
    }

    /// The connection dies now, with a cause.
    public void fail(IOException cause) {
        if (state == State.CLOSED) return;
        // The first failure is the reason for later ones.
        var first = failure == null ? cause : failure;
        failure = first;
        finish(first);
    }

    /// The connection dies with a cause, but first sends what its stages have written, if the peer takes it.
    void failWhenSent(IOException cause) {
        if (state == State.CLOSED) return;
        // It is unknown when a loan ends.
        if (isLent()) {
            fail(cause);
            return;
        }
        if (failure == null) failure = cause;
        refuseFrames();
        closeNow();
    }

    void finish(@Nullable IOException cause) {
        if (state == State.CLOSED) return;
        boolean wasOpen = state != State.CONNECTING;
        state = State.CLOSED;
        loop.sockets().own(socket, null);
        // The stages may have sent something before it died.
        var told = cause == null ? failure : cause;
        count(told);
        try {
            if (cause == null) loop.transport().close(socket);
            else loop.transport().abort(socket);
            if (timeouts != null) timeouts.cancel();
            cancelDeadline();
            refuseFrames();
            if (FlightEvents.areOn()) recordEnd(told);
        } finally {
            end(wasOpen, told);
        }
    }

    private void end(boolean wasOpen, @Nullable IOException cause) {
        try {
            letGo();
        } finally {
            tellClosed(wasOpen, cause);
        }
    }

    /// Tells all that wait for its end, even if the kernel or one of them throws.
    private void tellClosed(boolean wasOpen, @Nullable IOException cause) {
        try {
            if (stages != null) stages.closed();
            if (style != null) style.closed(cause);
        } finally {
            origin.closed(this, wasOpen, cause);
        }
    }

    private void letGo() {
        var frames = outbox;
        try {
            if (frames != null) frames.close();
        } catch (RuntimeException e) {
            loop.failed("connection", e);
        }
        outgoing.failWatches();
        release();
    }

    private void count(@Nullable IOException cause) {
        var totals = loop.totals();
        totals.connections.add(-1);
        totals.closed.add(1);
        if (cause != null) totals.failed.add(1);
    }

    private void recordEnd(@Nullable IOException cause) {
        new FlightEvents.Closed(
                        Wording.of(remote()), String.valueOf(cause), incoming.receivedBytes(), outgoing.sentBytes())
                .commit();
    }

    /// Returns its memory, except what is lent to another thread, which follows when the loan ends.
    void release() {
        incoming.release();
        outgoing.release();
        if (stages != null && !isLent()) stages.release();
    }

    // Used by other classes of this package.

    public boolean cameFrom(ConnectionOrigin origin) {
        return this.origin.equals(origin);
    }

    /// Logs what goes wrong with it.
    public ErrorLog errors() {
        return loop.errors();
    }

    State state() {
        return state;
    }

    /// Whether it is neither closing nor closed. On the loop, or by a thread that has the loan there.
    public boolean isOpen() {
        return state == State.OPEN || state == State.ENDING;
    }

    @Nullable
    Style style() {
        return style;
    }

    @Nullable
    Stages stages() {
        return stages;
    }

    @Nullable
    IOException failure() {
        return failure;
    }

    @Override
    public String toString() {
        return state + " connection to " + Wording.of(remote());
    }
}
