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
import io.millrace.net.Guard;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request and its response, as a client knows them in every version: how the body is sent, what a response
/// means, whose move it is and how long that may take, and what is told to who has asked. A version calls it as
/// [ClientStream] says, and may use it for the next request when one is over. The loop's.
///
/// ```
///   NONE ── begin ──► HEAD ── final head ──► BODY ── ended ──► NONE
///                     ▲ │ 1xx, a few
///                     └─┤
///                       ├── 101 ──► TUNNEL ── tunnelEnded ──► NONE
///   HEAD, BODY, TUNNEL ── closed ──► NONE
///   HEAD, BODY ── given up, refused, too slow ──► DROPPED ── closed ──► NONE
/// ```
/// One clock runs at a time, and none while the next move is ours: how long the server may take to begin its
/// response, once it has the request; and while it takes nothing of the request, or sends nothing more of a response
/// that has begun.
///
/// The body of the request goes on meanwhile, but not behind an answer that says that nobody wants it: from 300
/// on, or before `100 Continue`, if that was asked for.
public final class ClientExchange {
    private static final int MOST_INTERIM = 8;
    private static final String READER_THREW = "the reader of the response threw";

    /// A server that does not know `100 Continue` says nothing, and waits for the body (RFC 9110 section 10.1.1).
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

    /// What the clock that runs goes by.
    private long watchedNanos;

    /// One that has not begun.
    ///
    /// @param deadline this one's between [#begin] and its end; who made it calls [#expired] then
    public ClientExchange(ClientStream stream, ClientTimeouts timeouts, Deadline deadline) {
        this.stream = stream;
        this.timeouts = timeouts;
        this.deadline = deadline;
        this.sending = new Sending(this, stream);
    }

    // From who has something to ask.

    /// The stream is this caller's from now on.
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

    /// Reads no more of the response.
    public void pause() {
        isPaused = true;
        stream.pause();
        watch();
    }

    /// Reads on.
    public void resume() {
        if (!isPaused) return;
        isPaused = false;
        stream.resume();
        watch();
    }

    /// Nobody wants it any more; it fails with the cause, and is not begun again. As often as one likes.
    public void drop(IOException cause) {
        if (state == State.NONE || state == State.DROPPED) return;
        if (isUnderWay()) {
            wasServersTurn = isServersTurn();
            state = State.DROPPED;
            deadline.clear();
        }
        stream.reset(cause);
    }

    /// Whether the server owes the next move, or did when this ended: it has the request, or takes none of it, and
    /// what it sends is read.
    public boolean isServersTurn() {
        return switch (state) {
            case HEAD, BODY -> !isPaused && !awaitsNews();
            case TUNNEL -> false;
            case NONE, DROPPED -> wasServersTurn;
        };
    }

    // From a version: the response.

    /// Whether more of a response is awaited.
    public boolean isUnderWay() {
        return state == State.HEAD || state == State.BODY;
    }

    /// Whether its response has no body, whatever that says (RFC 9110 section 9.3.2).
    public boolean isHead() {
        return request().isHead();
    }

    /// What was asked; while it is under way.
    public OutgoingRequest request() {
        return caller().request();
    }

    /// An interim response, 100 among them.
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

    /// Something has arrived, and a final head is not among it.
    ///
    /// @param isPartial whether the beginning of a head is
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
        // Who hears of that may give up.
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

    /// What was asked for, and nothing else: another coding is shown to the caller as it is.
    private Optional<BodyDecoding> decoding(Headers fields) {
        var limit = request().decoding();
        var lines = fields.all("Content-Encoding");
        if (limit.isEmpty() || lines.size() != 1) return Optional.empty();
        return Coding.of(lines.getFirst())
                .filter(coding -> coding == Coding.GZIP)
                .map(coding -> new BodyDecoding(coding, limit.get()));
    }

    /// More of the body.
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

    /// What [#body] or [#ended] threw, or what arrived instead of a response.
    public void broke(Exception thrown) {
        if (thrown instanceof Refusal refusal) refuse(refusal);
        else threw(thrown, READER_THREW);
    }

    /// The server changes the protocol. Next is [#upgrade].
    ///
    /// @throws Refusal when nobody has asked for it
    public void checkUpgrade(Headers answer) throws Refusal {
        var why = caller().upgradeRefusal(answer);
        if (why.isPresent()) throw new Refusal(502, why.get());
    }

    /// What follows is somebody else's, who takes it when he is there. It is an exchange of ours until
    /// [#tunnelEnded].
    public void upgrade(Upgraded to) {
        check(state == State.HEAD, "a change of protocol", state);
        state = State.TUNNEL;
        deadline.clear();
        sending.cut();
        if (state == State.TUNNEL) caller().upgraded(to);
    }

    /// The tunnel that it has become has ended.
    public void tunnelEnded() {
        if (state != State.TUNNEL) return;
        var carried = caller();
        leave();
        stream.gone(null);
        carried.end();
    }

    /// There is room, or the body of the request goes on.
    public void goOn() {
        sending.heardNews();
    }

    /// What carries it has ended, also while there is none.
    ///
    /// @param cause null for an end in order
    /// @param isUnread whether the server has perhaps read nothing of it, and has said nothing
    public void closed(@Nullable IOException cause, boolean isUnread) {
        wasServersTurn = isServersTurn();
        // Who has given up is not sent elsewhere.
        boolean mayBeUnread = isUnread && state == State.HEAD;
        // Nobody, where a caller was told already.
        var carried = caller;
        leave();
        sending.cut();
        boolean mayRepeat = carried != null && mayBeUnread && mayRepeat(carried);
        stream.gone(mayRepeat ? carried : null);
        if (carried == null || mayRepeat) return;
        carried.failed(cause != null ? cause : new Reset(stream.remote() + " closed the connection"));
    }

    private static boolean mayRepeat(Caller carried) {
        return !carried.isOver()
                && !carried.failsOnStaleConnection()
                && carried.request().isIdempotent();
    }

    /// Nobody is carried any more.
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

    /// A limit of what can be a response at all.
    private void tooLarge(Guard guard, String detail) {
        guard.acted(stream.remote(), detail);
        drop(new ProtocolError(detail + " (" + guard.name() + ")"));
    }

    /// User code did, and gets no more of it; unless it has given up before.
    private void threw(Throwable thrown, String who) {
        if (!isUnderWay()) return;
        var carried = caller();
        caller = null;
        drop(new Reset(who));
        carried.failed(thrown);
    }

    // Whose move it is.

    /// More of the body was written, or it has to come first.
    void wrote() {
        watch();
    }

    void overflowed(Overflow e) {
        if (isUnderWay()) drop(new Overloaded(String.valueOf(e.getMessage())));
    }

    void writerThrew(Throwable thrown) {
        threw(thrown, "the writer of the request's body threw");
    }

    /// More of the body has to come first, and the server has taken what there was.
    private boolean awaitsNews() {
        return sending.awaitsNews() && !stream.isSending();
    }

    /// It has all of the request, and has said nothing.
    private boolean awaitsFirstByte() {
        return state == State.HEAD && !isAnswered && sending.isComplete();
    }

    /// The clock begins anew.
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

    /// The clock is over, unless something has moved since.
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

    /// While nothing is received for want of memory, it is not the server that is silent.
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
        return state + " " + (caller == null ? "nobody" : caller.request());
    }
}
