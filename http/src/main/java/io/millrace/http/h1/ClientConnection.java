package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.coding.Coding;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.exchange.Deadline;
import io.millrace.http.exchange.DecodedBody;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A connection to a server of HTTP/1.1: one exchange behind the other, none before the last is complete. The
/// loop's.
///
/// ```
///           ┌────────────── complete, and it may be used again ──────────────┐
///           ▼                                                                │
///   made ► IDLE ── send ──► HEAD ── final head ──► BODY ── last byte ────────┤
///           │               ▲ │ 1xx, a few                │ for the last time
///           │               └─┘                           ▼
///           │               └── 101 ──► GIVEN ──────────┤
///           └── end, or bytes nobody asked for ────► CLOSED ◄── end, refused, too slow, dropped ── HEAD, BODY
/// ```
/// One clock runs at a time, and none while the next move is ours: how long the server may take to begin its
/// response, once it has the request; while it takes nothing of the request, or sends nothing more of a response
/// that has begun; and how long it is kept without a request.
///
/// The body of the request goes on meanwhile, but not behind an answer that says that nobody wants it: from 300
/// on, or before `100 Continue`, if that was asked for. An exchange whose request was not complete is the last.
///
/// Bytes behind a complete response belong to nothing that was asked: the connection is dropped, so that they
/// cannot become the answer to somebody else's request. It receives while it is idle, and what arrives in the
/// turn in which the next request is written, before that has left, is no answer either. What crosses the request
/// on the network cannot be told from one.
public final class ClientConnection implements Handler {
    private static final int MOST_INTERIM = 8;

    /// Of most requests.
    private static final int HEAD_BYTES = 1 << 10;
    private static final String READER_THREW = "the reader of the response threw";

    /// A server that does not know `100 Continue` says nothing, and waits for the body (RFC 9110 section 10.1.1).
    private static final long CONTINUE_NANOS = 1_000_000_000;

    private enum State {
        IDLE,
        HEAD,
        BODY,
        /// Of another protocol, and in other hands.
        GIVEN,
        CLOSED
    }

    /// Where connections come from, and go back to.
    public interface Owner {
        /// Made with [ClientConnection#scratch], and of all connections on this loop.
        Scratch scratch();

        /// It can carry the next exchange.
        void idle(ClientConnection connection);

        /// It was idle, and cannot carry anything any more.
        void withdraw(ClientConnection connection);

        /// It has closed; called once, last.
        ///
        /// @param unanswered an exchange of which nothing is known, and that may be begun again elsewhere
        void closed(ClientConnection connection, @Nullable ClientExchange unanswered);
    }

    private final TcpConnection connection;
    private final LoopOutput output;
    private final HttpLimits limits;
    private final Owner owner;
    private final ClientTimeouts timeouts;
    private final StatusHead head;
    private final HeadReader<StatusHead> heads;
    private final Deadline deadline;
    private final Sending sending;

    private State state = State.IDLE;
    private @Nullable ClientExchange exchange;

    private @Nullable IncomingBody body;
    private DecodedBody unpacked = DecodedBody.PLAIN;
    private boolean endsWithConnection;
    private boolean mayStay;
    private long keptNanos;
    private int interim;

    private boolean hasReceived;

    /// What the head of the request is a part of, for [TcpConnection#hasLeft].
    private int asked;

    /// A byte of a response that may be final has arrived.
    private boolean isAnswered;

    /// What the clock that runs goes by.
    private long watchedNanos;

    private boolean isPaused;
    private boolean wasServersTurn;
    private boolean isReused;
    private boolean isDropped;
    private boolean hasPeerEnded;

    /// Bytes that the reader has not taken, after the last call.
    private long unread;

    /// What connections need during a call, and none of them afterwards: to look at heads in, and to write them.
    @SuppressWarnings("ArrayRecordComponent") // to be written to
    public record Scratch(byte[] bytes, WireText text) {}

    public static Scratch scratch(HttpLimits limits) {
        return new Scratch(new byte[HeadReader.sharedBytes(limits)], new WireText(HEAD_BYTES));
    }

    /// One that has just opened; on its loop.
    public ClientConnection(Connection connection, HttpLimits limits, ClientTimeouts timeouts, Owner owner) {
        this.connection = (TcpConnection) connection;
        this.output = (LoopOutput) connection.output();
        this.limits = limits;
        this.timeouts = timeouts;
        this.owner = owner;
        this.head = new StatusHead(limits);
        this.heads = new HeadReader<>(head, limits, owner.scratch().bytes());
        this.deadline = new Deadline((EventLoop) connection.loop(), this::expired);
        this.sending = new Sending(this, this.connection, output);
        this.keptNanos = limits.idleTimeout().toNanos();
        this.connection.inputLimit(limits.headBytes() + HeadReader.SPARE);
    }

    // The request.

    /// Whether it can carry an exchange.
    public boolean isIdle() {
        return state == State.IDLE;
    }

    /// Whether it would have heard what the server sent since it is idle: not while memory is tight.
    public boolean isHearing() {
        return connection.isReceiving();
    }

    /// Carries an exchange; only while it is idle.
    public void send(ClientExchange next) {
        var request = next.request();
        exchange = next;
        state = State.HEAD;
        interim = 0;
        hasReceived = false;
        isAnswered = false;
        heads.done();
        next.begun(this);
        try {
            write(request.head());
            asked = connection.portion();
            sending.begin(request);
        } catch (Overflow e) {
            overflowed(e);
        }
        watch();
    }

    private void write(OutgoingHead head) {
        var text = owner.scratch().text();
        text.clear();
        RequestWriter.write(head, text);
        text.flush(output);
    }

    /// More of the body was, or it has to come first.
    void wrote() {
        watch();
    }

    void overflowed(Overflow e) {
        drop(new Overloaded(String.valueOf(e.getMessage())));
    }

    void writerThrew(Throwable thrown) {
        threw(thrown, "the writer of the request's body threw");
    }

    // Whose move it is.

    /// Whether the server owes the next one, or did when this closed: it has the request, or takes none of it, and
    /// what it sends is read.
    public boolean isServersTurn() {
        if (state == State.CLOSED) return wasServersTurn;
        return (state == State.HEAD || state == State.BODY) && !isPaused && !awaitsNews();
    }

    /// More of the body has to come first, and the server has taken what there was.
    private boolean awaitsNews() {
        return sending.awaitsNews() && !connection.isSending();
    }

    /// It has all of the request, and has said nothing.
    private boolean awaitsFirstByte() {
        return state == State.HEAD && !isAnswered && sending.isComplete();
    }

    private void closed() {
        wasServersTurn = isServersTurn();
        state = State.CLOSED;
    }

    private EventLoop loop() {
        return (EventLoop) connection.loop();
    }

    /// The clock begins anew.
    private void watch() {
        watchedNanos = loop().nowNanos();
        long nanos = limitNanos();
        if (nanos > 0) deadline.after(nanos);
        else deadline.clear();
    }

    private long limitNanos() {
        return switch (state) {
            case HEAD -> {
                if (sending.awaitsContinue()) yield CONTINUE_NANOS;
                if (awaitsNews()) yield 0;
                yield awaitsFirstByte() ? timeouts.firstByteNanos() : timeouts.progressNanos();
            }
            case BODY -> isPaused ? 0 : timeouts.idleNanos();
            case IDLE -> keptNanos;
            case GIVEN, CLOSED -> 0;
        };
    }

    /// The clock is over, unless something has moved since. While nothing is received for want of memory, it
    /// is not the server that is silent.
    private void late() {
        long nanos = limitNanos();
        if (nanos == 0) return;
        boolean isFirst = awaitsFirstByte();
        long moved = connection.lastMovedNanos();
        long since = !isFirst && moved - watchedNanos > 0 ? moved : watchedNanos;
        long left = since + nanos - loop().nowNanos();
        if (left > 0) {
            deadline.after(left);
            return;
        }
        if (!isHearing() && !connection.isFull()) {
            watch();
            return;
        }
        boolean isOfFirstByte = isFirst || timeouts.idleNanos() == 0;
        var guard = isOfFirstByte ? Guard.HTTP_CLIENT_FIRST_BYTE : Guard.HTTP_CLIENT_PROGRESS;
        var what = isFirst
                ? "no byte of a response to "
                : state == State.BODY || isAnswered
                        ? "nothing more of the response to "
                        : "nothing taken of the body of ";
        var detail = what + exchange().request() + " for " + nanos / 1_000_000 + " ms (" + guard.label() + ")";
        guard.acted(connection.remote(), detail);
        drop(new TimedOut(detail));
    }

    /// There is room, or the body of the request goes on.
    @Override
    public void onWritable() {
        sending.heardNews();
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
        if (state == State.HEAD && !hasReceived && !connection.hasLeft(asked)) {
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
        var detail = "something before it got " + exchange().request();
        unasked(detail);
        connection.fail(new ProtocolError(connection.remote() + " sent " + detail));
    }

    private void unasked(String detail) {
        Guard.HTTP_CLIENT_UNASKED.acted(connection.remote(), detail);
    }

    private void readHead(LoopInput in) {
        hasReceived = true;
        heads.open(in, false);
        boolean isAskedFor = false;
        boolean isFinal = false;
        try {
            while (!isFinal && heads.next(in)) {
                isFinal = !isInterim();
                isAskedFor |= head.status() == 100;
            }
        } catch (Refusal e) {
            refuse(e);
        } finally {
            heads.close(in);
        }
        if (state == State.CLOSED) return;
        isAnswered = isFinal || heads.isPartial();
        boolean isRefused = isFinal && (head.status() >= 300 || (sending.awaitsContinue() && !isAskedFor));
        if (isRefused) sending.cut();
        else if (isAskedFor) sending.continued();
        if (state == State.HEAD && !isFinal) watch();
        if (state == State.HEAD && isFinal && head.status() == 101) upgraded();
        else if (state == State.HEAD && isFinal) gotHead(in);
    }

    /// Whether this head is followed by another one.
    private boolean isInterim() throws Refusal {
        if (head.status() >= 200) return false;
        if (head.status() == 101) {
            checkUpgrade();
            return false;
        }
        if (++interim > MOST_INTERIM) throw new Refusal(502, "more than " + MOST_INTERIM + " interim responses");
        if (head.status() != 100) showInterim();
        heads.done();
        return true;
    }

    private void checkUpgrade() throws Refusal {
        if (head.isOld) throw new Refusal(502, "101 in HTTP/1.0");
        var why = exchange().upgradeRefusal(head.headers());
        if (why.isPresent()) throw new Refusal(502, why.get());
    }

    private void showInterim() {
        try {
            exchange().interim(BuiltResponse.received(head.status(), head.headers(), Bytes.EMPTY));
        } catch (Exception e) {
            threw(e, READER_THREW);
        }
    }

    /// What follows is somebody else's, who takes it when he is there. It is a connection and an exchange of ours
    /// until it ends.
    private void upgraded() {
        state = State.GIVEN;
        deadline.cancel();
        sending.release();
        connection.pause();
        exchange().upgraded(new Upgraded(101, head.headers(), connection, (_, _) -> tunnelClosed()));
    }

    /// Told by who has taken it over, or by the connection itself where nobody had yet.
    private void tunnelClosed() {
        if (state == State.CLOSED) return;
        state = State.CLOSED;
        var carried = exchange();
        exchange = null;
        owner.closed(this, null);
        carried.end();
    }

    private void gotHead(LoopInput in) {
        var carried = exchange();
        var fields = head.headers();
        keptNanos = KeepAlive.nanos(fields, limits.idleTimeout().toNanos());
        mayStay = head.keepsAlive() && keptNanos > 0;
        long length = head.mayHaveBody() && !carried.request().isHead() ? head.contentLength() : 0;
        var decoding = length == 0 ? Optional.<BodyDecoding>empty() : decoding(carried, fields);
        unpacked = DecodedBody.of(decoding, output.source());
        try {
            var shown = decoding.isPresent() ? BodyDecoding.withoutFields(fields) : fields;
            carried.head(BuiltResponse.received(head.status(), shown, Bytes.EMPTY));
        } catch (Exception e) {
            threw(e, READER_THREW);
        }
        if (state == State.CLOSED) return;
        if (length == 0) complete(in.remaining() > 0);
        else expectBody(length);
    }

    /// What was asked for, and nothing else: another coding is shown to the caller as it is.
    private static Optional<BodyDecoding> decoding(ClientExchange carried, Headers fields) {
        var limit = carried.request().decoding();
        var lines = fields.all("Content-Encoding");
        if (limit.isEmpty() || lines.size() != 1) return Optional.empty();
        return Coding.of(lines.getFirst())
                .filter(coding -> coding == Coding.GZIP)
                .map(coding -> new BodyDecoding(coding, limit.get()));
    }

    private void expectBody(long length) {
        endsWithConnection = length == StatusHead.UNTIL_END;
        body = IncomingBody.ofResponse(endsWithConnection ? Long.MAX_VALUE : length, limits);
        state = State.BODY;
        watch();
    }

    private void readBody(LoopInput in) {
        var arriving = body;
        if (arriving == null) return;
        boolean isComplete = false;
        try {
            do isComplete = arriving.feed(in, this::give, output.source());
            while (!isComplete && state == State.BODY && arriving.hasEnoughForNow() && connection.isReading());
            if (isComplete && state == State.BODY) {
                unpacked.end(output.source());
                var trailers = arriving.trailers();
                if (trailers.size() > 0) exchange().trailers(trailers);
            }
        } catch (Refusal e) {
            refuse(e);
        } catch (Exception e) {
            threw(e, READER_THREW);
        }
        if (isComplete && state == State.BODY) complete(in.remaining() > 0);
    }

    private void give(Input part) throws Exception {
        unpacked.read(part, exchange()::body, output.source());
    }

    private ClientExchange exchange() {
        var carried = exchange;
        if (carried == null) throw new IllegalStateException("there is no exchange");
        return carried;
    }

    // The end of an exchange.

    /// @param hasMore whether something follows that nobody asked for
    private void complete(boolean hasMore) {
        var done = exchange();
        exchange = null;
        releaseBody();
        sending.cut();
        if (hasMore) unasked("bytes behind the response to " + done.request());
        if (hasMore || sending.wasCut()) {
            // The peer has answered without hearing us out: it will not read the rest.
            state = State.CLOSED;
            connection.abort();
        } else if (!mayStay || hasPeerEnded) {
            state = State.CLOSED;
            connection.close();
        } else {
            rest();
        }
        done.end();
    }

    /// It can carry the next exchange, and hears when the peer ends.
    public void rest() {
        state = State.IDLE;
        isReused = true;
        isPaused = false;
        connection.resume();
        watch();
        owner.idle(this);
    }

    private void withdraw() {
        state = State.CLOSED;
        owner.withdraw(this);
    }

    private void refuse(Refusal refusal) {
        var detail = connection.remote() + " sent " + refusal.getMessage() + " in answer to "
                + exchange().request();
        var guard = refusal.guard();
        if (guard == null) {
            drop(new ProtocolError(detail));
            return;
        }
        switch (guard) {
            case HTTP_HEAD -> tooLarge(Guard.HTTP_CLIENT_HEAD, detail + ": raise HttpLimits.withHeadBytes");
            case HTTP_FIELDS -> tooLarge(Guard.HTTP_CLIENT_FIELDS, detail + ": raise HttpLimits.withFields");
            default -> {
                guard.acted(connection.remote(), detail);
                drop(new Overloaded(detail));
            }
        }
    }

    /// A limit of what can be a response at all.
    private void tooLarge(Guard guard, String detail) {
        guard.acted(connection.remote(), detail);
        drop(new ProtocolError(detail + " (" + guard.label() + ")"));
    }

    /// User code did, and gets no more of it.
    private void threw(Throwable thrown, String who) {
        var carried = exchange();
        exchange = null;
        drop(new Reset(who));
        carried.failed(thrown);
    }

    private void releaseBody() {
        if (body != null) body.release(output.source());
        body = null;
        unpacked.release(output.source());
        unpacked = DecodedBody.PLAIN;
    }

    private void expired() {
        switch (state) {
            case IDLE -> end();
            case HEAD -> {
                if (sending.awaitsContinue()) hasWaited();
                else late();
            }
            case BODY -> late();
            case GIVEN, CLOSED -> {}
        }
    }

    private void hasWaited() {
        Guard.HTTP_CLIENT_CONTINUE.acted(
                connection.remote(),
                "no 100 Continue for " + exchange().request() + " within " + CONTINUE_NANOS / 1_000_000
                        + " ms: its body is sent unasked");
        sending.continued();
    }

    // What the exchange may ask for.

    /// Reads no more of the response.
    public void pause() {
        isPaused = true;
        connection.pause();
        watch();
    }

    /// Reads on.
    public void resume() {
        if (!isPaused) return;
        isPaused = false;
        connection.resume();
        watch();
    }

    /// Ends it in order; only while it is idle.
    public void end() {
        withdraw();
        connection.close();
    }

    /// Drops it now; its exchange fails with the cause, and is not begun again.
    public void drop(IOException cause) {
        isDropped = true;
        if (state == State.IDLE) withdraw();
        if (state != State.GIVEN) closed();
        connection.fail(cause);
    }

    // The end.

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
                        + exchange().request()));
            case BODY -> endOfBody();
            // Whoever takes over hears of it.
            case GIVEN -> {}
            case CLOSED -> conn.close();
        }
    }

    private void endOfBody() {
        if (!endsWithConnection) {
            connection.fail(new Reset(connection.remote() + " ended in the body of the response to "
                    + exchange().request()));
        } else if (unread > 0) {
            threw(
                    new IllegalStateException(
                            "the end of a response's body was left unread: read all of it, or skip it"),
                    READER_THREW);
        } else {
            endDecoding();
        }
    }

    private void endDecoding() {
        try {
            unpacked.end(output.source());
            complete(false);
        } catch (Refusal e) {
            refuse(e);
        } catch (RuntimeException e) {
            threw(e, READER_THREW);
        }
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        if (state == State.GIVEN) {
            tunnelClosed();
            return;
        }
        closed();
        releaseBody();
        sending.release();
        var carried = exchange;
        exchange = null;
        boolean mayRepeat = carried != null
                && isReused
                && !hasReceived
                && !isDropped
                && !carried.isOver()
                && !carried.failsOnStaleConnection()
                && carried.request().isIdempotent();
        owner.closed(this, mayRepeat ? carried : null);
        if (carried != null && !mayRepeat) {
            carried.failed(cause != null ? cause : new Reset(connection.remote() + " closed the connection"));
        }
        deadline.cancel();
    }

    @Override
    public String toString() {
        return state + " " + connection;
    }
}
