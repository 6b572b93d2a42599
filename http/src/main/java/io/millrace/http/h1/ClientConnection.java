package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientExchange;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.exchange.Deadline;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A connection to a server of HTTP/1.1: one exchange behind the other, none before the last is complete. The
/// loop's.
///
/// ```
///           ┌────────────── complete, and it may be used again ──────────────┐
///           ▼                                                                │
///   made ► IDLE ── send ──► HEAD ── final head ──► BODY ── last byte ────────┤
///           │               ▲ │ 1xx                     │ for the last time
///           │               └─┘                           ▼
///           │               └── 101 ──► GIVEN ──────────┤
///           └── end, or bytes nobody asked for ────► CLOSED ◄── end, broken off, dropped ── HEAD, BODY
/// ```
/// What a response means is its exchange's business. Here is how it is framed, and how long the connection is kept
/// without a request. An exchange whose request was not complete is the last.
///
/// Bytes behind a complete response belong to nothing that was asked: the connection is dropped, so that they
/// cannot become the answer to somebody else's request. It receives while it is idle, and what arrives in the
/// turn in which the next request is written, before that has left, is no answer either. What crosses the request
/// on the network cannot be told from one.
public final class ClientConnection implements Handler {
    /// Of most requests.
    private static final int HEAD_BYTES = 1 << 10;

    private enum State {
        IDLE,
        HEAD,
        BODY,
        /// Of another protocol, and in other hands.
        GIVEN,
        CLOSED
    }

    /// Where connections come from, and go back to.
    public interface ConnectionOwner {
        /// Made with [ClientConnection#scratch], and of all connections on this loop.
        Scratch scratch();

        /// It can carry the next exchange.
        void idle(ClientConnection connection);

        /// It was idle, and cannot carry anything any more.
        void withdraw(ClientConnection connection);

        /// It has closed; called once, last.
        ///
        /// @param unread whose request nobody has read, so that it may be sent again elsewhere
        void closed(ClientConnection connection, @Nullable Caller unread);
    }

    private final TcpConnection connection;
    private final HttpLimits limits;
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

    /// Bytes that the reader has not taken, after the last call; and behind a response, what nobody asked for.
    private long unread;

    /// What connections need during a call, and none of them afterwards: to look at heads in, and to write them.
    @SuppressWarnings("ArrayRecordComponent") // to be written to
    public record Scratch(byte[] bytes, WireText text) {}

    public static Scratch scratch(HttpLimits limits) {
        return new Scratch(new byte[HeadReader.sharedBytes(limits)], new WireText(HEAD_BYTES));
    }

    /// One that has just opened; on its loop.
    public ClientConnection(Connection connection, HttpLimits limits, ClientTimeouts timeouts, ConnectionOwner owner) {
        this.connection = TcpConnection.of(connection);
        this.limits = limits;
        this.owner = owner;
        this.head = new StatusHead(limits);
        this.heads = new HeadReader<>(head, limits, owner.scratch().bytes());
        this.deadline = new Deadline(EventLoop.of(connection.loop()), this::expired);
        this.stream = new ClientConnectionStream(this, this.connection);
        this.exchange = new ClientExchange(stream, timeouts, deadline);
        this.keptNanos = limits.idleTimeout().toNanos();
        this.connection.inputLimit(limits.headBytes() + HeadReader.SPARE);
    }

    // From its owner.

    /// Whether it can carry an exchange.
    public boolean isIdle() {
        return state == State.IDLE;
    }

    /// Whether it would have heard what the server sent since it is idle: not while memory is tight.
    public boolean isHearing() {
        return connection.isReceiving();
    }

    /// Carries an exchange; only while it is idle.
    public void send(Caller next) {
        state = State.HEAD;
        hasReceived = false;
        heads.done();
        exchange.begin(next);
    }

    /// It can carry the next exchange, and hears when the peer ends.
    public void rest() {
        state = State.IDLE;
        isReused = true;
        connection.resume();
        if (keptNanos > 0) deadline.after(keptNanos);
        owner.idle(this);
    }

    /// Ends it in order; only while it is idle.
    public void end() {
        withdraw();
        connection.close();
    }

    /// Drops it now; its exchange fails with the cause, and is not begun again.
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
        if (state == State.HEAD && !hasReceived && !stream.hasAsked()) {
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

    /// The request has not been sent, so it may go elsewhere.
    private void refuseUnasked() {
        var detail = "something before it got " + exchange.request();
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

    /// Whether this head is followed by another one.
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

    /// What follows is somebody else's, who takes it when he is there. It is a connection of ours until it ends.
    private void upgraded() {
        state = State.GIVEN;
        deadline.cancel();
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

    /// @param behind bytes that follow, which nobody asked for
    private void ended(Headers trailers, long behind) {
        unread = behind;
        if (behind > 0) unasked("bytes behind the response to " + exchange.request());
        try {
            exchange.ended(trailers);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    // From its stream.

    WireText text() {
        return owner.scratch().text();
    }

    void exchangeIsOver(boolean isSent) {
        releaseBody();
        if (unread > 0 || !isSent) {
            // The peer has answered without hearing us out: it will not read the rest.
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

    // The end.

    private void expired() {
        if (state == State.IDLE) end();
        else exchange.expired();
    }

    /// There is room, or the body of the request goes on.
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
            // Whoever takes over hears of it.
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
        deadline.cancel();
    }

    @Override
    public String toString() {
        return state + " " + connection;
    }
}
