package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Wording;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Loop;
import io.millrace.net.Overloaded;
import io.millrace.net.Security;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import io.millrace.net.TlsError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// TLS on one connection: an engine of the JDK, which gets only whole records, on the heap, where it is fastest.
/// The arrays are the loop's; no part of a record stays there between two calls. The engine itself copies plain
/// text: it writes into slabs, and reads from them.
///
/// ```
///   BEGINNING ─ engine ─► HANDSHAKE ─► READY ─ close_notify ─► the input has ended
///      │                   │    ▲        └ end ─► the output has ended
///      │                   ▼    │
///      │                 tasks, elsewhere; the stage is paused
///      └──────── error ─► alert, and the connection is closed
/// ```
final class TlsLink implements Stage.Link {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /// Copying less than this is cheaper than a slab of its own.
    private static final int LEAST_DIRECT = 4 << 10;

    /// How many records without data for the handler a peer may send: key updates, tickets, empty ones. This much
    /// data allows one more.
    private static final int MOST_IDLE_RECORDS = 64;

    private static final int IDLE_RECORD_BYTES = 16 << 10;

    private final Stage.Context context;
    private final EventLoop loop;
    private final Side side;

    /// Of the handshake, until that is over.
    private Loop.@Nullable Timer deadline;

    /// A server has it once it knows which server name the client asks for.
    private @Nullable SSLEngine engine;

    /// Whether the engine is the JDK's, which keeps no buffer after a call, and may use slabs' memory.
    private boolean isOfJdk;

    private Optional<Security> security = Optional.empty();

    /// The handshake's tasks run on another thread; until they end, no other code touches the engine.
    private boolean isComputing;

    /// What they threw, which the engine does not know. Written by the thread that runs them.
    private volatile @Nullable Throwable thrown;

    private boolean isReady;
    private boolean inputHasEnded;
    private boolean outputHasEnded;
    private boolean isDead;
    private int idleRecords;
    private long dataBytes;

    /// The differences between servers and clients.
    interface Side {
        /// Makes a server's engine.
        ///
        /// @return empty when more has to arrive first
        /// @throws HandshakeRefusal when this client is refused
        Optional<SSLEngine> engine(Input in) throws HandshakeRefusal, SSLException;

        /// Called when the handshake is over.
        ///
        /// @return what the connection reports about it
        /// @throws SSLException for a peer with the wrong identity
        Security finished(SSLEngine engine) throws SSLException;
    }

    /// Ends a handshake before there is an engine that could send an alert.
    static final class HandshakeRefusal extends Exception {
        private static final long serialVersionUID = 1;
        private final int alert;

        HandshakeRefusal(int alert, String message) {
            super(message, null, false, false);
            this.alert = alert;
        }
    }

    /// A violation that the engine has not seen, and has no alert for. Its `close_notify` would mean that all is
    /// well.
    private static final class Violation extends Exception {
        private static final long serialVersionUID = 1;

        Violation(String message) {
            super(message, null, false, false);
        }
    }

    /// @param engine a client's; a server's comes from its [Side]
    TlsLink(Stage.Context context, Side side, Duration limit, @Nullable SSLEngine engine) {
        this.context = context;
        this.loop = EventLoop.of(context.connection().loop());
        this.side = side;
        this.deadline = loop.after(limit, () -> tookTooLong(limit));
        if (engine != null) use(engine);
    }

    private void use(SSLEngine its) {
        engine = its;
        isOfJdk = its.getClass().getModule() == Object.class.getModule();
    }

    private void tookTooLong(Duration limit) {
        if (isReady || isDead) return;
        var detail = "no TLS handshake within " + Wording.of(limit) + " (tls.timeout)";
        CoreGuards.TLS_TIMEOUT.acted(context.connection().remote(), detail);
        isDead = true;
        context.fail(new TimedOut(detail));
    }

    /// A client sends first.
    @Override
    public void open(Output wire) throws IOException {
        var its = engine;
        if (its == null) return;
        try {
            its.beginHandshake();
            wrapWhatIsNeeded(its, wire);
        } catch (SSLException e) {
            throw error(e.getMessage());
        }
    }

    @Override
    public boolean isReady() {
        return isReady;
    }

    @Override
    public Optional<Security> security() {
        return security;
    }

    private TlsError error(@Nullable String why) {
        return new TlsError(Wording.of(context.connection().remote()) + ": " + why);
    }

    // From the wire.

    @Override
    public void receive(Input in, Output app, Output wire) throws IOException {
        isComputing = false;
        try {
            var its = engine == null ? begin(in) : engine;
            if (its != null) goOn(its, in, app, wire);
        } catch (HandshakeRefusal e) {
            var alert = Records.alert(e.alert);
            wire.write(alert, 0, alert.length);
            die(e.getMessage());
        } catch (SSLException e) {
            sayWhy(wire);
            die(e.getMessage());
        } catch (Violation e) {
            isDead = true;
            context.fail(error(e.getMessage()));
        }
        if (isDead || inputHasEnded) in.skip(in.remaining());
    }

    private @Nullable SSLEngine begin(Input in) throws HandshakeRefusal, SSLException {
        if (isDead) return null;
        side.engine(in).ifPresent(this::use);
        return engine;
    }

    private void goOn(SSLEngine its, Input in, Output app, Output wire) throws IOException, Violation {
        var failed = thrown;
        if (failed != null) throw new Violation("the handshake failed: " + failed);
        boolean moves = true;
        while (moves && !isDead && !inputHasEnded) {
            moves = switch (its.getHandshakeStatus()) {
                case NEED_TASK -> compute(its);
                case NEED_WRAP -> wrap(its, wire);
                case NOT_HANDSHAKING, FINISHED -> isFinished(its) && unwrap(its, in, app);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap(its, in, app);
            };
        }
        // Its own end: TLS 1.2 requires an answer.
        if (inputHasEnded) wrapWhatIsNeeded(its, wire);
    }

    /// Some handshakes end without a result of the engine that says so.
    private boolean isFinished(SSLEngine its) throws SSLException {
        if (!isReady) finished(its);
        return true;
    }

    /// Runs the engine's tasks on another thread: they take half a millisecond and more, and other connections must
    /// not wait.
    ///
    /// @return false, because nothing more can be done now
    private boolean compute(SSLEngine its) {
        isComputing = true;
        context.pause();
        if (loop.host().compute(() -> runTasks(its))) return false;
        isDead = true;
        context.fail(new Overloaded("too many TLS handshakes wait (tls.handshakes)"));
        return false;
    }

    /// On a thread that computes.
    private void runTasks(SSLEngine its) {
        try {
            var task = its.getDelegatedTask();
            if (task == null) throw new IllegalStateException("the engine asks to run a task, and has none");
            for (; task != null; task = its.getDelegatedTask()) task.run();
        } catch (Throwable e) {
            thrown = e;
        } finally {
            context.resume();
        }
    }

    /// Gives the engine the next record, if it is complete.
    ///
    /// @return whether it was
    private boolean unwrap(SSLEngine its, Input in, Output app) throws IOException, Violation {
        int length = nextRecord(in);
        if (length == 0) return false;
        var arrays = loop.heapArrays();
        var record = arrays.in(in, length);
        in.skip(length);
        var result = isOfJdk && length >= LEAST_DIRECT ? unwrapInto(app, its, record) : null;
        if (result == null) {
            result = checked(its.unwrap(record, arrays.out()));
            count(arrays.move(app));
        }
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) finished(its);
        if (result.getStatus() == Status.CLOSED) {
            inputHasEnded = true;
            context.ended();
        }
        return true;
    }

    /// Decrypts in place, which saves a copy.
    ///
    /// @return null when there is no room in one place
    private @Nullable SSLEngineResult unwrapInto(Output app, SSLEngine its, ByteBuffer record)
            throws IOException, Violation {
        var filling = new Unwrapping(its, record);
        int length = ((LoopOutput) app).fill(record.limit(), filling);
        if (length < 0) return null;
        count(length);
        return filling.result;
    }

    private static final class Unwrapping implements LoopOutput.Filler {
        private final SSLEngine engine;
        private final ByteBuffer record;
        private @Nullable SSLEngineResult result;

        Unwrapping(SSLEngine engine, ByteBuffer record) {
            this.engine = engine;
            this.record = record;
        }

        @Override
        public void fill(ByteBuffer room) throws IOException {
            result = checked(engine.unwrap(record, room));
        }
    }

    /// The next record's length, with its header; 0 while it is incomplete.
    private int nextRecord(Input in) throws Violation {
        if (in.remaining() < Records.HEADER) return 0;
        int length = Records.HEADER + (in.peekShort(3) & 0xffff);
        if (length > Records.MOST_BYTES) throw new Violation("a TLS record of " + length + " bytes");
        if (in.remaining() < length) return 0;
        // In TLS 1.3 its type would be application data.
        if (isReady && in.peekByte(0) == Records.HANDSHAKE) throw new Violation("TLS renegotiation is not supported");
        return length;
    }

    private void count(int bytes) throws Violation {
        if (!isReady) return;
        if (bytes == 0) idleRecords++;
        for (dataBytes += bytes; dataBytes >= IDLE_RECORD_BYTES; dataBytes -= IDLE_RECORD_BYTES)
            if (idleRecords > 0) idleRecords--;
        if (idleRecords <= MOST_IDLE_RECORDS) return;
        var detail = "more than " + MOST_IDLE_RECORDS + " TLS records without data (tls.records)";
        CoreGuards.TLS_RECORDS.acted(context.connection().remote(), detail);
        throw new Violation(detail);
    }

    private void finished(SSLEngine its) throws SSLException {
        security = Optional.of(side.finished(its));
        isReady = true;
        stopClock();
    }

    private void stopClock() {
        if (deadline != null) deadline.cancel();
        deadline = null;
    }

    /// Sends the engine's alert to the peer. During the handshake an end would suffice; later it would mean that
    /// everything has arrived.
    private void sayWhy(Output wire) {
        var its = engine;
        try {
            if (its == null) return;
            if (!isReady) its.closeOutbound();
            wrapWhatIsNeeded(its, wire);
        } catch (IOException _) {
            // the engine has none
        }
    }

    private void die(@Nullable String why) {
        isDead = true;
        stopClock();
        context.close(error(why));
    }

    /// The peer has closed the connection.
    @Override
    public void ended() throws IOException {
        if (inputHasEnded || isDead) return;
        throw error(
                isReady
                        ? "the connection was closed without TLS's end (close_notify): the data may be truncated"
                        : "the connection was closed during the TLS handshake");
    }

    // To the wire.

    @Override
    public void send(Input in, Output wire) throws IOException {
        var its = engine;
        if (isDead || its == null || outputHasEnded) {
            in.skip(in.remaining());
            return;
        }
        if (!isReady || isComputing) return;
        try {
            while (!in.isEmpty()) sendNext(its, in, wire);
        } catch (SSLException e) {
            throw error(e.getMessage());
        }
    }

    private void sendNext(SSLEngine its, Input in, Output wire) throws IOException {
        int length = (int) Math.min(in.remaining(), Records.MOST_PLAIN);
        var arrays = loop.heapArrays();
        int count = isOfJdk ? arrays.show(in, length) : arrays.copy(in, length);
        SSLEngineResult result;
        try {
            result = checked(its.wrap(arrays.parts(), 0, count, arrays.out()));
        } finally {
            arrays.forgetParts();
        }
        // First, so that the slab which is free now takes the record.
        in.skip(result.bytesConsumed());
        // In TLS 1.2 both sides end together.
        if (!wrapped(its, result, wire)) throw error("TLS has ended, and takes nothing more");
    }

    /// Sends what the engine itself has to send.
    ///
    /// @return whether that made progress
    private boolean wrap(SSLEngine its, Output wire) throws IOException {
        return wrapped(its, checked(its.wrap(NOTHING, loop.heapArrays().out())), wire);
    }

    private boolean wrapped(SSLEngine its, SSLEngineResult result, Output wire) throws IOException {
        int length = loop.heapArrays().move(wire);
        boolean isFinished = result.getHandshakeStatus() == HandshakeStatus.FINISHED;
        if (isFinished) finished(its);
        return length > 0 || isFinished;
    }

    private static SSLEngineResult checked(SSLEngineResult result) throws SSLException {
        if (result.getStatus() == Status.OK || result.getStatus() == Status.CLOSED) return result;
        throw new SSLException("the engine says " + result.getStatus());
    }

    private void wrapWhatIsNeeded(SSLEngine its, Output wire) throws IOException {
        while (its.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && wrap(its, wire)) {
            // until there is nothing
        }
    }

    @Override
    public void end(Output wire) throws IOException {
        var its = engine;
        outputHasEnded = true;
        if (its == null || isDead || isComputing) return;
        try {
            its.closeOutbound();
            wrapWhatIsNeeded(its, wire);
        } catch (SSLException e) {
            throw error(e.getMessage());
        }
    }

    @Override
    public void closed() {
        isDead = true;
        stopClock();
    }
}
