package io.millrace.http.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientExchange;
import io.millrace.http.exchange.ClientStream;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.Deadline;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Reset;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The client's side of the in-memory version: a stream with a window, which carries one exchange after the
/// other, and a server that the test drives. It asserts that an exchange keeps the order of calls in
/// [ClientStream].
public final class MemoryClientStream extends MemorySide implements ClientStream {
    public enum State {
        FREE,
        ASKED,
        ANSWERED,
        TUNNEL,
        /// Given up; the end follows.
        RESET,
        GONE
    }

    private final ClientExchange exchange;
    private final Arrivals arrivals;

    /// Whether the stream ends at once or later when it is given up.
    private final boolean endsAtOnce;

    private State state = State.FREE;
    private boolean isPaused;
    private long movedNanos;

    // Of the current exchange, or the last one.

    private Optional<OutgoingHead> asked = Optional.empty();
    private boolean isBodyToCome;
    private byte[] body = {};
    private Headers trailers = Headers.EMPTY;
    private int given;
    private boolean wasSent;
    private @Nullable Caller unread;

    /// On the carrier's loop.
    public MemoryClientStream(MemoryCarrier carrier, ClientTimeouts timeouts, int windowBytes, boolean endsAtOnce) {
        super(carrier, windowBytes);
        this.arrivals = new Arrivals(carrier.loop().pool());
        this.endsAtOnce = endsAtOnce;
        this.movedNanos = carrier.loop().nowNanos();
        this.exchange = new ClientExchange(this, timeouts, new Expiry());
    }

    private final class Expiry extends Deadline {
        Expiry() {
            super(carrier.loop());
        }

        @Override
        protected void expired() {
            exchange.expired();
        }
    }

    // The server, on the loop.

    /// Sends a caller's request.
    public void begin(Caller caller) {
        assertEquals(State.FREE, state);
        state = State.ASKED;
        asked = Optional.empty();
        forgetReceived();
        exchange.begin(caller);
    }

    /// The server takes some of the sent bytes.
    @Override
    public void take(int bytes) {
        if (hasUnsent()) movedNanos = loop().nowNanos();
        super.take(bytes);
    }

    @Override
    void goOn() {
        exchange.goOn();
    }

    /// Whether it has got the whole request.
    public boolean hasAll() {
        return asked.isPresent() && !isBodyToCome && !hasUnsent();
    }

    public Optional<OutgoingHead> asked() {
        return asked;
    }

    public void interim(int status) {
        movedNanos = loop().nowNanos();
        try {
            exchange.interim(status, Headers.EMPTY);
        } catch (Refusal e) {
            exchange.broke(e);
        }
        if (state == State.ASKED) exchange.heard(false);
    }

    /// A part of a head arrives.
    public void partOfHead() {
        movedNanos = loop().nowNanos();
        exchange.heard(true);
    }

    /// The final head, and a body to be read.
    ///
    /// @param behind trailers
    public void answer(int status, Headers fields, byte[] whole, Headers behind) {
        trailers = behind;
        movedNanos = loop().nowNanos();
        state = State.ANSWERED;
        body = exchange.isHead() ? new byte[0] : whole;
        given = 0;
        exchange.head(status, fields, body.length > 0);
        if (body.length == 0) end();
    }

    /// Whether more of the body may come.
    public boolean takesBody() {
        return state == State.ANSWERED && !isPaused;
    }

    /// More of the body arrives, and its end with the last byte.
    public void more(int bytes) {
        movedNanos = loop().nowNanos();
        int to = Math.min(body.length, given + bytes);
        var in = arrivals.receive(body, given, to);
        given = to;
        try {
            if (!in.isEmpty()) exchange.body(in);
        } catch (Exception e) {
            exchange.broke(e);
        } finally {
            arrivals.endLoan();
        }
        if (state == State.ANSWERED && given == body.length && arrivals.unread() == 0) end();
    }

    private void end() {
        if (state != State.ANSWERED) return;
        try {
            exchange.ended(trailers);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    /// The server changes the protocol.
    public void upgrade() {
        try {
            exchange.checkUpgrade(Headers.EMPTY);
            state = State.TUNNEL;
            exchange.upgrade(new Upgraded(101, Headers.EMPTY, carrier.connection(), (_, _) -> {}));
        } catch (Refusal e) {
            exchange.broke(e);
        }
    }

    public void tunnelEnds() {
        exchange.tunnelEnded();
    }

    /// The server sends something that is not a response.
    public void breakFraming() {
        exchange.broke(new Refusal(502, "nonsense"));
    }

    /// The server closes the stream.
    public void close(boolean isUnread) {
        exchange.closed(new Reset("reset by the server"), isUnread);
    }

    public State state() {
        return state;
    }

    /// Whether the server had got the whole of the last answered request.
    public boolean wasSent() {
        return wasSent;
    }

    /// The caller whose request may be sent elsewhere.
    public Optional<Caller> unread() {
        return Optional.ofNullable(unread);
    }

    // The version.

    @Override
    public void send(OutgoingHead head, Bytes whole) {
        head(head);
        write(whole);
        isBodyToCome = false;
    }

    @Override
    public void head(OutgoingHead head) {
        carrier.check(asked.isEmpty(), "a request begins once");
        carrier.check(loop().inLoop(), "all of it happens on the loop");
        asked = Optional.of(head);
        isBodyToCome = true;
    }

    @Override
    public void data(LoopOutput part) {
        carrier.check(isBodyToCome, "a body ends once");
        carrier.check(part.size() > 0, "a part is not empty");
        carrier.check(state == State.ASKED || state == State.ANSWERED, "nobody sends what nobody wants");
        write(part);
    }

    @Override
    public void end(Headers trailers) {
        carrier.check(isBodyToCome, "a body ends once");
        isBodyToCome = false;
    }

    @Override
    public void pause() {
        isPaused = true;
    }

    @Override
    public void resume() {
        isPaused = false;
    }

    @Override
    public void over(boolean isSent) {
        carrier.check(state == State.ANSWERED, "an exchange is over behind its response");
        carrier.check(!isSent || !isBodyToCome, "what was not said has not been sent");
        wasSent = isSent;
        dropUnsent();
        isPaused = false;
        state = State.FREE;
    }

    @Override
    public void reset(IOException cause) {
        carrier.check(state != State.FREE && state != State.GONE, "who is carried may give it up");
        state = State.RESET;
        // A request that was given up is not sent elsewhere, even if it was not read.
        if (endsAtOnce) exchange.closed(cause, true);
        else carrier.execute(() -> exchange.closed(cause, true));
    }

    @Override
    public void gone(@Nullable Caller mayGoElsewhere) {
        carrier.check(state != State.GONE, "a stream ends once");
        state = State.GONE;
        unread = mayGoElsewhere;
        arrivals.release();
    }

    @Override
    public boolean isSending() {
        return hasUnsent();
    }

    @Override
    public long lastMovedNanos() {
        return movedNanos;
    }

    @Override
    public boolean isStarved() {
        return false;
    }

    @Override
    public String toString() {
        return state + " " + exchange;
    }
}
