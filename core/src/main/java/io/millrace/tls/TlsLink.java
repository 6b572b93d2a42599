package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.loop.Wording;
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

/// TLS on one connection: an engine of the JDK, which is shown whole records only, on the heap, where it is fastest.
/// The
/// arrays are the loop's; nothing of a record stays between two calls.
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

    /// What a peer may send in a row that has nothing for the handler: key updates, tickets, empty records.
    private static final int MOST_IDLE_RECORDS = 64;

    private final Stage.Context context;
    private final EventLoop loop;
    private final Side side;
    private final Loop.Timer deadline;

    /// A server has it when it knows whom it is asked for.
    private @Nullable SSLEngine engine;

    private Optional<Security> security = Optional.empty();

    /// Tasks of the handshake are under way elsewhere; until they are over nobody else touches the engine.
    private boolean isComputing;

    private boolean isReady;
    private boolean inputHasEnded;
    private boolean isDead;
    private int idleRecords;

    /// What is different for servers and clients.
    interface Side {
        /// Where the engine of a server comes from.
        ///
        /// @return nothing when more has to arrive first
        /// @throws Refusal when there is none for this client
        Optional<SSLEngine> engine(Input in) throws Refusal, SSLException;

        /// The handshake is over.
        ///
        /// @return what is to be known of it
        /// @throws SSLException for a peer that is not who it should be
        Security finished(SSLEngine engine) throws SSLException;
    }

    /// What ends a handshake before there is an engine that could say so.
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;
        private final int alert;

        Refusal(int alert, String message) {
            super(message, null, false, false);
            this.alert = alert;
        }
    }

    /// @param engine of a client; a server's comes from its [Side]
    TlsLink(Stage.Context context, Side side, Duration limit, @Nullable SSLEngine engine) {
        this.context = context;
        this.loop = (EventLoop) context.connection().loop();
        this.side = side;
        this.deadline = loop.after(limit, () -> tookTooLong(limit));
        this.engine = engine;
    }

    private void tookTooLong(Duration limit) {
        if (isReady || isDead) return;
        var detail = "no TLS handshake within " + Wording.of(limit) + " (tls.timeout)";
        Guard.TLS_TIMEOUT.acted(context.connection().remote(), detail);
        isDead = true;
        context.fail(new TimedOut(detail));
    }

    /// A client speaks first.
    @Override
    public void open(Output wire) throws IOException {
        var its = engine;
        if (its == null) return;
        its.beginHandshake();
        wrapWhatIsNeeded(its, wire);
    }

    @Override
    public boolean isReady() {
        return isReady;
    }

    @Override
    public Optional<Security> security() {
        return security;
    }

    // From the wire.

    @Override
    public void receive(Input in, Output app, Output wire) throws IOException {
        isComputing = false;
        try {
            var its = engine == null ? begin(in) : engine;
            if (its != null) goOn(its, in, app, wire);
        } catch (Refusal e) {
            var alert = Records.alert(e.alert);
            wire.write(alert, 0, alert.length);
            die(e.getMessage());
        } catch (SSLException e) {
            sayWhy(wire);
            die(e.getMessage());
        }
        if (isDead || inputHasEnded) in.skip(in.remaining());
    }

    private @Nullable SSLEngine begin(Input in) throws Refusal, SSLException {
        if (isDead) return null;
        engine = side.engine(in).orElse(null);
        return engine;
    }

    private void goOn(SSLEngine its, Input in, Output app, Output wire) throws IOException {
        boolean moves = true;
        while (moves && !isDead && !inputHasEnded) {
            moves = switch (its.getHandshakeStatus()) {
                case NEED_TASK -> compute(its);
                case NEED_WRAP -> wrap(its, NOTHING, wire) > 0;
                default -> unwrap(its, in, app);
            };
        }
        // Its own end, which TLS 1.2 wants answered.
        if (inputHasEnded) wrapWhatIsNeeded(its, wire);
    }

    /// Half a millisecond and more, for which other connections do not wait.
    ///
    /// @return false, because nothing more can be done now
    private boolean compute(SSLEngine its) {
        isComputing = true;
        context.pause();
        boolean isTaken = loop.host().compute(() -> {
            try {
                for (var task = its.getDelegatedTask(); task != null; task = its.getDelegatedTask()) task.run();
            } finally {
                context.resume();
            }
        });
        if (!isTaken) {
            isDead = true;
            context.fail(new Overloaded("too many TLS handshakes wait (tls.handshakes)"));
        }
        return false;
    }

    /// Shows the engine the next record, if there is a whole one.
    ///
    /// @return whether there was
    private boolean unwrap(SSLEngine its, Input in, Output app) throws IOException {
        int length = nextRecord(in);
        if (length == 0) return false;
        var arrays = loop.heapArrays();
        var record = arrays.in(in, length);
        in.skip(length);
        var result = its.unwrap(record, arrays.out());
        countIdle(arrays.move(app));
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) finished(its);
        if (result.getStatus() == Status.CLOSED) {
            inputHasEnded = true;
            context.ended();
        }
        return true;
    }

    /// How long the next record is, with its header; 0 while it is not there.
    private int nextRecord(Input in) throws SSLException {
        if (in.remaining() < Records.HEADER) return 0;
        int length = Records.HEADER + (in.peekShort(3) & 0xffff);
        if (length > Records.MOST_BYTES) throw new SSLException("a TLS record of " + length + " bytes");
        if (in.remaining() < length) return 0;
        // In TLS 1.3 it would say of itself that it is application data.
        if (isReady && in.peekByte(0) == Records.HANDSHAKE) throw new SSLException("renegotiation is not done here");
        return length;
    }

    private void countIdle(int bytes) throws SSLException {
        if (bytes > 0 || !isReady) idleRecords = 0;
        else if (++idleRecords > MOST_IDLE_RECORDS) {
            Guard.TLS_RECORDS.acted(context.connection().remote(), idleRecords + " TLS records in a row without data");
            throw new SSLException(idleRecords + " records in a row without data (tls.records)");
        }
    }

    private void finished(SSLEngine its) throws SSLException {
        security = Optional.of(side.finished(its));
        isReady = true;
        deadline.cancel();
    }

    /// The alert that the engine has for the peer.
    private void sayWhy(Output wire) {
        var its = engine;
        try {
            if (its == null) return;
            its.closeOutbound();
            wrapWhatIsNeeded(its, wire);
        } catch (IOException _) {
            // it has none
        }
    }

    private void die(@Nullable String why) {
        isDead = true;
        deadline.cancel();
        context.close(new TlsError(Wording.of(context.connection().remote()) + ": " + why));
    }

    /// The peer has closed the connection.
    @Override
    public void ended() throws IOException {
        if (inputHasEnded || isDead) return;
        throw new TlsError(Wording.of(context.connection().remote())
                + (isReady
                        ? " closed the connection without an end of TLS (close_notify): what it sent may be cut"
                        : " closed the connection during the TLS handshake"));
    }

    // To the wire.

    @Override
    public void send(Input in, Output wire) throws IOException {
        var its = engine;
        if (isDead || its == null || its.isOutboundDone()) {
            in.skip(in.remaining());
            return;
        }
        if (!isReady || isComputing) return;
        while (!in.isEmpty()) {
            int length = (int) Math.min(in.remaining(), Records.MOST_PLAIN);
            var plain = loop.heapArrays().in(in, length);
            if (wrap(its, plain, wire) == 0) return;
            in.skip(plain.position());
        }
    }

    /// @return how many bytes that made
    private int wrap(SSLEngine its, ByteBuffer plain, Output wire) throws IOException {
        var arrays = loop.heapArrays();
        SSLEngineResult result = its.wrap(plain, arrays.out());
        int length = arrays.move(wire);
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) finished(its);
        return length;
    }

    private void wrapWhatIsNeeded(SSLEngine its, Output wire) throws IOException {
        while (its.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && wrap(its, NOTHING, wire) > 0) {
            // until nothing is
        }
    }

    @Override
    public void end(Output wire) throws IOException {
        var its = engine;
        if (its == null || isDead || isComputing) return;
        its.closeOutbound();
        wrapWhatIsNeeded(its, wire);
    }

    @Override
    public void closed() {
        isDead = true;
        deadline.cancel();
    }
}
