package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.coding.Coding;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.Deadline;
import io.millrace.net.Guard;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request and its response, as a client sees them in every HTTP version: how the body is sent, what a
/// response means, whose turn it is and how long that may take, and what the caller is told. A version calls it
/// as [ClientStream] describes, and may reuse it for the next request. On its loop only.
///
/// ```
///   NONE ── begin ──► HEAD ── final head ──► BODY ── ended ──► NONE
///                     ▲ │ 1xx, a few
///                     └─┤
///                       ├── 101 ──► TUNNEL ── tunnelEnded ──► NONE
///   HEAD, BODY, TUNNEL ── closed ──► NONE
///   HEAD, BODY ── given up, refused, too slow ──► DROPPED ── closed ──► NONE
/// ```
/// At most one timer runs, and none while the client must act: the time until the server begins its response,
/// once it has the request; and the time in which it takes nothing of the request, or sends nothing more of a
/// response that has begun.
///
/// The body of the request goes on during the response, but not after one that makes it pointless: status 300 or
/// more, or before `100 Continue`, if that was asked for.
public final class ClientExchange {
    private static final int MOST_INTERIM = 8;
    private static final String READER_THREW = "the reader of the response threw";

    /// A server that does not support `100 Continue` sends nothing, and waits for the body (RFC 9110 section
    /// 10.1.1).
    private static final long CONTINUE_NANOS = 1_000_000_000;

    private enum State {
        NONE,
        HEAD,
        BODY,
        TUNNEL,
        DROPPED
    }

    private final ClientStream stream;
    private final ClientTimeouts timeouts;
    private final Deadline deadline;
    private final Sending sending;

    private State state = State.NONE;
    private @Nullable Caller caller;
    private DecodedBody decoded = DecodedBody.PLAIN;
    private int interim;

    /// A byte of a response that may be final has arrived.
    private boolean isAnswered;

    private boolean isPaused;
    private boolean wasServersTurn;

    /// The time from which the running timer counts.
    private long watchedNanos;

    /// An exchange that has not begun.
    ///
    /// @param deadline used by this exchange between [#begin] and its end; its owner calls [#expired] when it is
    ///     over
    public ClientExchange(ClientStream stream, ClientTimeouts timeouts, Deadline deadline) {
        this.stream = stream;
        this.timeouts = timeouts;
        this.deadline = deadline;
        this.sending = new Sending(this, stream);
    }

    // For the caller.

    /// The stream carries this caller's request from now on.
    public void begin(Caller next) {
        check(state == State.NONE, "a request", state);
        caller = next;
        state = State.HEAD;
        interim = 0;
        isAnswered = false;
        isPaused = false;
        wasServersTurn = false;
        next.begun(this);
        try {
            sending.begin(next.request());
        } catch (Overflow e) {
            overflowed(e);
        }
        watch();
    }

    /// Stops reading the response.
    public void pause() {
        isPaused = true;
        stream.pause();
        watch();
    }

    /// Goes on reading.
    public void resume() {
        if (!isPaused) return;
        isPaused = false;
        stream.resume();
        watch();
    }

    /// Gives the request up; it fails with the cause, and is not repeated. May be called several times.
    public void drop(IOException cause) {
        if (state == State.NONE || state == State.DROPPED) return;
        if (isUnderWay()) {
            wasServersTurn = isServersTurn();
            state = State.DROPPED;
            deadline.clear();
        }
        stream.reset(cause);
    }

    /// Whether it is the server's turn, or was when this ended: it has the request, or takes nothing of it, and
    /// its output is read.
    public boolean isServersTurn() {
        return switch (state) {
            case HEAD, BODY -> !isPaused && !awaitsNews();
            case TUNNEL -> false;
            case NONE, DROPPED -> wasServersTurn;
        };
    }

    // For a version: the response.

    /// Whether more of a response is expected.
    public boolean isUnderWay() {
        return state == State.HEAD || state == State.BODY;
    }

    /// Whether its response has no body, whatever its fields say (RFC 9110 section 9.3.2).
    public boolean isHead() {
        return request().isHead();
    }

    /// The request, while it is in progress.
    public OutgoingRequest request() {
        return caller().request();
    }

    /// An interim response, 100 included.
    ///
    /// @throws Refusal when there are too many
    public void interim(int status, Headers fields) throws Refusal {
        check(state == State.HEAD, "an interim response", state);
        if (++interim > MOST_INTERIM) throw new Refusal(502, "more than " + MOST_INTERIM + " interim responses");
        if (status == 100) {
            sending.continued();
            return;
        }
        try {
            caller().interim(BuiltResponse.received(status, fields, Bytes.EMPTY));
        } catch (Exception e) {
            threw(e, READER_THREW);
        }
    }

    /// Bytes have arrived, without a final head.
    ///
    /// @param isPartial whether they end in the middle of a head
    public void heard(boolean isPartial) {
        isAnswered = isPartial;
        watch();
    }

    /// The final head. Next is [#body] or [#ended], while it [#isUnderWay].
    public void head(int status, Headers fields, boolean hasBody) {
        check(state == State.HEAD, "the head of a response", state);
        state = State.BODY;
        isAnswered = true;
        if (status >= 300 || sending.awaitsContinue()) sending.cut();
        // The caller may give up in that call.
        if (state != State.BODY) return;
        var decoding = hasBody ? decoding(fields) : Optional.<BodyDecoding>empty();
        decoded = DecodedBody.of(decoding, stream.source());
        try {
            var shown = decoding.isPresent() ? BodyDecoding.withoutFields(fields) : fields;
            caller().head(BuiltResponse.received(status, shown, Bytes.EMPTY));
        } catch (Exception e) {
            threw(e, READER_THREW);
        }
        if (hasBody) watch();
    }

    /// Decodes only what was asked for; another coding reaches the caller unchanged.
    private Optional<BodyDecoding> decoding(Headers fields) {
        var limit = request().decoding();
        var lines = fields.all("Content-Encoding");
        if (limit.isEmpty() || lines.size() != 1) return Optional.empty();
        return Coding.of(lines.getFirst())
                .filter(coding -> coding == Coding.GZIP)
                .map(coding -> new BodyDecoding(coding, limit.get()));
    }

    /// A part of the body.
    public void body(Input part) throws Exception {
        check(state == State.BODY, "a part of a body", state);
        decoded.read(part, caller()::body, stream.source());
    }

    /// The response is complete, and all of its body was taken.
    public void ended(Headers trailers) throws Exception {
        check(state == State.BODY, "the end of a response", state);
        decoded.end(stream.source());
        if (trailers.size() > 0) caller().trailers(trailers);
        if (state != State.BODY) return;
        var done = caller();
        leave();
        sending.cut();
        stream.over(!sending.wasCut());
        done.end();
    }

    /// What [#body] or [#ended] threw, or a malformed response.
    public void broke(Throwable thrown) {
        if (thrown instanceof Refusal refusal) refuse(refusal);
        else threw(thrown, READER_THREW);
    }

    /// The server changes the protocol. Next is [#upgrade].
    ///
    /// @throws Refusal if it was not asked for
    public void checkUpgrade(Headers answer) throws Refusal {
        var why = caller().upgradeRefusal(answer);
        if (why.isPresent()) throw new Refusal(502, why.get());
    }

    /// Another protocol takes over, when its handler is there. The exchange lasts until [#tunnelEnded].
    public void upgrade(Upgraded to) {
        check(state == State.HEAD, "a change of protocol", state);
        state = State.TUNNEL;
        deadline.clear();
        sending.cut();
        if (state == State.TUNNEL) caller().upgraded(to);
    }

    /// The tunnel has ended.
    public void tunnelEnded() {
        if (state != State.TUNNEL) return;
        var carried = caller();
        leave();
        stream.gone(null);
        carried.end();
    }

    /// The server has answered, and takes no more of the request.
    public void stopSending() {
        sending.cut();
    }

    /// There is room again, or more of the request's body.
    public void goOn() {
        sending.heardNews();
    }

    /// The stream has ended; also without an exchange.
    ///
    /// @param cause null for a regular end
    /// @param isUnread whether the server has perhaps read nothing of the request, and has sent nothing
    public void closed(@Nullable IOException cause, boolean isUnread) {
        boolean isSafe = caller != null && request().isIdempotent();
        ends(cause, isUnread, isSafe);
    }

    /// Frames of HTTP/2 have arrived in answer to a request of HTTP/1.1.
    public void speaksOnlyHttp2() {
        if (!isUnderWay()) return;
        caller().speaksOnlyHttp2();
        drop(new ProtocolError(stream.remote() + " speaks HTTP/2, and got " + request()
                + " in HTTP/1.1: let the client speak HTTP/2 (ClientSettings.version, or protocol: h2 of a proxy's"
                + " upstream)"));
    }

    /// The stream has ended, and the server has said that it has not processed the request: it may be sent elsewhere
    /// whatever its method, unless its body was written already.
    public void refused(IOException cause) {
        boolean isSafe = caller != null && request().upload().isEmpty();
        if (caller != null && state == State.HEAD) caller.refused();
        ends(cause, true, isSafe);
    }

    /// The same, because the server takes the request only in HTTP/1.1.
    public void fallsBack(IOException cause) {
        if (caller != null && state == State.HEAD) caller.fallsBack();
        refused(cause);
    }

    private void ends(@Nullable IOException cause, boolean isUnread, boolean isSafe) {
        // A request that was given up is not sent elsewhere.
        boolean mayBeUnread = isUnread && state == State.HEAD;
        // A server that is silent is not there, whoever was to send next.
        wasServersTurn = isServersTurn() || (isUnderWay() && cause instanceof TimedOut);
        // Null if the caller was told already.
        var carried = caller;
        leave();
        sending.cut();
        boolean isRepeated =
                carried != null && mayBeUnread && !carried.isOver() && !carried.failsOnStaleConnection() && isSafe;
        if (carried != null && isRepeated) carried.givenBack();
        stream.gone(isRepeated ? carried : null);
        if (carried == null || isRepeated) return;
        carried.failed(cause != null ? cause : new Reset(stream.remote() + " closed the connection"));
    }

    /// The exchange is over.
    private void leave() {
        caller = null;
        state = State.NONE;
        deadline.clear();
        decoded.release(stream.source());
        decoded = DecodedBody.PLAIN;
    }

    private void refuse(Refusal refusal) {
        if (!isUnderWay()) return;
        var detail = stream.remote() + " sent " + refusal.getMessage() + " in answer to " + request();
        var guard = refusal.guard();
        if (guard == null) {
            drop(new ProtocolError(detail));
            return;
        }
        if (guard.equals(HttpGuards.HEAD)) {
            tooLarge(HttpGuards.CLIENT_HEAD, detail + ": raise HttpLimits.headBytes");
        } else if (guard.equals(HttpGuards.FIELDS)) {
            tooLarge(HttpGuards.CLIENT_FIELDS, detail + ": raise HttpLimits.fields");
        } else {
            guard.acted(stream.remote(), detail);
            drop(new Overloaded(detail));
        }
    }

    /// A limit on the size of a response's head.
    private void tooLarge(Guard guard, String detail) {
        guard.acted(stream.remote(), detail);
        drop(new ProtocolError(detail + " (" + guard.name() + ")"));
    }

    /// User code threw, and is not called any more; ignored if it has given up before.
    private void threw(Throwable thrown, String who) {
        if (!isUnderWay()) return;
        var carried = caller();
        caller = null;
        drop(new Reset(who));
        carried.failed(thrown);
    }

    // Turns.

    /// More of the body was written, or must be produced first.
    void wrote() {
        watch();
    }

    void overflowed(Overflow e) {
        if (isUnderWay()) drop(new Overloaded(String.valueOf(e.getMessage())));
    }

    void writerThrew(Throwable thrown) {
        threw(thrown, "the writer of the request's body threw");
    }

    /// More of the body must be produced first, and the server has taken what there was.
    private boolean awaitsNews() {
        return sending.awaitsNews() && !stream.isSending();
    }

    /// The server has the whole request, and has sent nothing.
    private boolean awaitsFirstByte() {
        return state == State.HEAD && !isAnswered && sending.isComplete();
    }

    /// Restarts the timer.
    private void watch() {
        if (!isUnderWay()) return;
        watchedNanos = stream.loop().nowNanos();
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
            case NONE, TUNNEL, DROPPED -> 0;
        };
    }

    /// The timer is over, unless something has moved since.
    public void expired() {
        if (state == State.HEAD && sending.awaitsContinue()) hasWaited();
        else if (isUnderWay()) late();
    }

    private void hasWaited() {
        HttpGuards.CLIENT_CONTINUE.acted(
                stream.remote(),
                "no 100 Continue for " + request() + " within " + CONTINUE_NANOS / 1_000_000
                        + " ms: its body is sent unasked");
        sending.continued();
    }

    /// If nothing is received because memory is tight, the server is not to blame.
    private void late() {
        long nanos = limitNanos();
        if (nanos == 0) return;
        boolean isFirst = awaitsFirstByte();
        long moved = stream.lastMovedNanos();
        long since = !isFirst && moved - watchedNanos > 0 ? moved : watchedNanos;
        long left = since + nanos - stream.loop().nowNanos();
        if (left > 0) {
            deadline.after(left);
            return;
        }
        if (stream.isStarved()) {
            watch();
            return;
        }
        boolean isOfFirstByte = isFirst || timeouts.idleNanos() == 0;
        var guard = isOfFirstByte ? HttpGuards.CLIENT_FIRST_BYTE : HttpGuards.CLIENT_PROGRESS;
        var what = isFirst
                ? "no byte of a response to "
                : isAnswered ? "nothing more of the response to " : "nothing taken of the body of ";
        var detail = what + request() + " for " + nanos / 1_000_000 + " ms (" + guard.name() + ")";
        guard.acted(stream.remote(), detail);
        drop(new TimedOut(detail));
    }

    private Caller caller() {
        var carried = caller;
        if (carried == null) throw new IllegalStateException("there is no exchange");
        return carried;
    }

    private static void check(boolean isRight, String what, State state) {
        if (!isRight) throw new IllegalStateException(what + " in the state " + state + " of an exchange");
    }

    @Override
    public String toString() {
        return state + " " + (caller == null ? "no caller" : caller.request());
    }
}
