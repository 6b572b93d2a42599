package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientExchange;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.exchange.ConnectionOwner;
import io.millrace.http.exchange.OtherVersion;
import io.millrace.http.exchange.PooledConnection;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.Deadline;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A client's connection to an HTTP/1.1 server: one exchange after the other, each begins when the last is
/// complete. On its loop only.
///
/// ```
///           ┌────────────── complete, and it may be used again ──────────────┐
///           ▼                                                                │
///   made ► IDLE ── send ──► HEAD ── final head ──► BODY ── last byte ────────┤
///           │               ▲ │ 1xx                     │ for the last time
///           │               └─┘                           ▼
///           │               └── 101 ──► GIVEN ──────────┤
///           └── end, or unrequested bytes ────────► CLOSED ◄── end, broken off, dropped ── HEAD, BODY
/// ```
/// The exchange interprets responses. This class frames them, and decides how long the connection is kept without
/// a request. If an exchange's request was not complete, the connection is not used again.
///
/// Bytes after a complete response answer no request: the connection is dropped, so that they cannot become the
/// response to someone else's request. It receives while it is idle; bytes that arrive in the turn in which the
/// next request is written, before that is sent, are no response either. Bytes that cross the request on the
/// network look like a response to it.
public final class ClientConnection implements PooledConnection {
    /// Enough for most requests.
    private static final int HEAD_BYTES = 1 << 10;

    private enum State {
        IDLE,
        HEAD,
        BODY,
        /// Taken over for another protocol.
        GIVEN,
        CLOSED
    }

    private final TcpConnection connection;
    private final HttpLimits limits;
    private final Scratch scratch;
    private final ConnectionOwner owner;
    private final StatusHead head;
    private final HeadReader<StatusHead> heads;
    private final Deadline deadline;
    private final ClientConnectionStream stream;
    private final ClientExchange exchange;

    private State state = State.IDLE;
    private @Nullable IncomingBody body;
    private boolean endsWithConnection;
    private boolean mayStay;
    private long keptNanos;
    private boolean hasReceived;
    private boolean isReused;
    private boolean hasPeerEnded;

    /// Bytes that the reader left after the last call; after a response, bytes that answer no request.
    private long unread;

    /// Buffers that connections use during a call: to parse heads in, and to write them.
    @SuppressWarnings("ArrayRecordComponent") // to be written to
    public record Scratch(byte[] bytes, WireText text) {}

    public static Scratch scratch(HttpLimits limits) {
        return new Scratch(new byte[HeadReader.sharedBytes(limits)], new WireText(HEAD_BYTES));
    }

    /// A connection that has just opened; on its loop.
    ///
    /// @param scratch shared by all connections on this loop
    public ClientConnection(
            Connection connection, HttpLimits limits, ClientTimeouts timeouts, Scratch scratch, ConnectionOwner owner) {
        this.connection = TcpConnection.of(connection);
        this.scratch = scratch;
        this.limits = limits;
        this.owner = owner;
        this.head = new StatusHead(limits);
        this.heads = new HeadReader<>(head, limits, scratch.bytes());
        this.deadline = new Expiry(EventLoop.of(connection.loop()));
        this.stream = new ClientConnectionStream(this, this.connection);
        this.exchange = new ClientExchange(stream, timeouts, deadline);
        this.keptNanos = limits.idleTimeout().toNanos();
        this.connection.inputLimit(limits.headBytes() + HeadReader.SPARE);
    }

    // For the owner.

    @Override
    public boolean hasRoom() {
        return state == State.IDLE;
    }

    @Override
    public boolean permitsNone() {
        return false;
    }

    @Override
    public boolean isIdle() {
        return state == State.IDLE;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    /// Whether it has received everything that the server sent since it became idle: not while memory is tight.
    @Override
    public boolean isHearing() {
        return connection.isReceiving();
    }

    @Override
    public void send(Caller next) {
        state = State.HEAD;
        hasReceived = false;
        heads.done();
        exchange.begin(next);
    }

    /// Waits for the next exchange, and for the peer's end.
    @Override
    public void rest() {
        state = State.IDLE;
        isReused = true;
        connection.resume();
        if (keptNanos > 0) deadline.after(keptNanos);
        owner.idle(this);
    }

    /// Closes it in order; only while it is idle.
    @Override
    public void end() {
        withdraw();
        connection.close();
    }

    @Override
    public void drop(IOException cause) {
        if (state == State.IDLE) withdraw();
        exchange.drop(cause);
        connection.fail(cause);
    }

    private void withdraw() {
        state = State.CLOSED;
        owner.withdraw(this);
    }

    // The response.

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        if (state == State.IDLE) {
            withdraw();
            unasked(in.remaining() + " bytes on an idle connection");
            connection.abort();
        }
        if (state == State.HEAD && !hasReceived && OtherVersion.isFromServer(in)) {
            hasReceived = true;
            exchange.speaksOnlyHttp2();
            in.skip(in.remaining());
        } else if (state == State.HEAD && !hasReceived && !stream.hasAsked()) {
            refuseUnasked();
            in.skip(in.remaining());
        } else {
            read(in);
        }
        unread = in.remaining();
    }

    private void read(LoopInput in) {
        if (state == State.HEAD) readHead(in);
        if (state == State.BODY) readBody(in);
        if (state == State.CLOSED) in.skip(in.remaining());
    }

    /// The request has not been sent, so it may be sent on another connection.
    private void refuseUnasked() {
        var detail = "bytes before it got " + exchange.request();
        unasked(detail);
        connection.fail(new ProtocolError(connection.remote() + " sent " + detail));
    }

    private void unasked(String detail) {
        HttpGuards.CLIENT_UNASKED.acted(connection.remote(), detail);
    }

    private void readHead(LoopInput in) {
        hasReceived = true;
        boolean isFinal = false;
        heads.open(in, false);
        try {
            while (!isFinal && state == State.HEAD && heads.next(in)) isFinal = !isInterim();
        } catch (Refusal e) {
            exchange.broke(e);
        } finally {
            heads.close(in);
        }
        if (state != State.HEAD) return;
        if (!isFinal) exchange.heard(heads.isPartial());
        else if (head.status() == 101) upgraded();
        else gotHead(in);
    }

    /// Whether another head follows this one.
    private boolean isInterim() throws Refusal {
        if (head.status() >= 200) return false;
        if (head.status() == 101) {
            if (head.isOld) throw new Refusal(502, "101 in HTTP/1.0");
            exchange.checkUpgrade(head.headers());
            return false;
        }
        exchange.interim(head.status(), head.status() == 100 ? Headers.EMPTY : head.headers());
        heads.done();
        return true;
    }

    /// Another protocol takes over what follows, when its handler is there. This class keeps the connection until
    /// it ends.
    private void upgraded() {
        state = State.GIVEN;
        deadline.stop();
        connection.pause();
        exchange.upgrade(new Upgraded(101, head.headers(), connection, (_, _) -> exchange.tunnelEnded()));
    }

    private void gotHead(LoopInput in) {
        var fields = head.headers();
        keptNanos = KeepAlive.nanos(fields, limits.idleTimeout().toNanos());
        mayStay = head.keepsAlive() && keptNanos > 0;
        long length = head.mayHaveBody() && !exchange.isHead() ? head.contentLength() : 0;
        endsWithConnection = length == StatusHead.UNTIL_END;
        if (length != 0) body = IncomingBody.ofResponse(endsWithConnection ? Long.MAX_VALUE : length, limits);
        state = State.BODY;
        exchange.head(head.status(), fields, length != 0);
        if (state == State.BODY && length == 0) ended(Headers.EMPTY, in.remaining());
    }

    private void readBody(LoopInput in) {
        var arriving = body;
        if (arriving == null) return;
        boolean isComplete = false;
        try {
            do isComplete = arriving.feed(in, exchange::body, stream.source());
            while (!isComplete && state == State.BODY && arriving.hasEnoughForNow() && connection.isReading());
        } catch (Exception e) {
            exchange.broke(e);
        }
        if (isComplete && state == State.BODY) ended(arriving.trailers(), in.remaining());
    }

    /// @param behind bytes after the response, which answer no request
    private void ended(Headers trailers, long behind) {
        unread = behind;
        if (behind > 0) unasked("bytes after the response to " + exchange.request());
        try {
            exchange.ended(trailers);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    // For its stream.

    WireText text() {
        return scratch.text();
    }

    void exchangeIsOver(boolean isSent) {
        releaseBody();
        if (unread > 0 || !isSent) {
            // The peer has answered before the end of the request: it will not read the rest.
            state = State.CLOSED;
            connection.abort();
        } else if (!mayStay || hasPeerEnded) {
            state = State.CLOSED;
            connection.close();
        } else {
            rest();
        }
    }

    void exchangeIsDropped() {
        if (state != State.GIVEN) state = State.CLOSED;
    }

    void isGone(@Nullable Caller unread) {
        state = State.CLOSED;
        owner.closed(this, unread);
    }

    private void releaseBody() {
        if (body != null) body.release(stream.source());
        body = null;
    }

    // Ending.

    private final class Expiry extends Deadline {
        Expiry(EventLoop loop) {
            super(loop);
        }

        @Override
        protected void expired() {
            if (state == State.IDLE) end();
            else exchange.expired();
        }
    }

    /// There is room again, or more of the request's body.
    @Override
    public void onWritable() {
        exchange.goOn();
    }

    @Override
    public void onEnd(Connection conn) {
        hasPeerEnded = true;
        switch (state) {
            case IDLE -> {
                withdraw();
                conn.close();
            }
            case HEAD ->
                connection.fail(new Reset(connection.remote() + " ended "
                        + (hasReceived ? "in the head of" : "without") + " a response to "
                        + exchange.request()));
            case BODY -> endOfBody();
            // The protocol's handler reports it.
            case GIVEN -> {}
            case CLOSED -> conn.close();
        }
    }

    private void endOfBody() {
        if (!endsWithConnection) {
            connection.fail(
                    new Reset(connection.remote() + " ended in the body of the response to " + exchange.request()));
        } else if (unread > 0) {
            exchange.broke(new IllegalStateException(
                    "the end of a response's body was left unread: read all of it, or skip it"));
        } else {
            ended(Headers.EMPTY, 0);
        }
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        if (state == State.GIVEN) {
            exchange.tunnelEnded();
            return;
        }
        releaseBody();
        exchange.closed(cause, isReused && !hasReceived);
        deadline.stop();
    }

    @Override
    public String toString() {
        return state + " " + connection;
    }
}
