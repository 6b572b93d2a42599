package io.millrace.http.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.exchange.Serving;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Takeover;
import io.millrace.loop.ErrorLog;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Reset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An HTTP version in memory: many streams of one connection at once, each with a window, and a peer that the
/// test drives. It asserts that an exchange keeps the order of calls in [ServerStream].
public final class MemoryStream extends MemorySide implements ServerStream {
    public enum State {
        OPEN,
        OVER,
        RESET,
        TUNNEL
    }

    private final ServerExchange exchange;
    private final MemoryRequest request;
    private final byte[] body;

    /// Made on the loop.
    private @Nullable Arrivals arrivals;

    /// Whether the exchange is called as if user code might block there, and how often that ends the call.
    private final boolean mayWait;

    private int sends;
    private boolean isInCall;

    // The request, as far as it has arrived.

    private boolean hasBegun;
    private boolean hasFollowed;
    private int given;
    private boolean isBodyEnded;
    private boolean isBodyLeft;

    // What the peer has got.

    private State state = State.OPEN;
    private final List<Integer> interims = new ArrayList<>();
    private Optional<BuiltResponse> head = Optional.empty();
    private boolean isBodyToCome;
    private boolean isEnded;

    MemoryStream(
            MemoryCarrier carrier,
            Serving serving,
            MemoryRequest request,
            byte[] body,
            int windowBytes,
            boolean mayWait) {
        super(carrier, windowBytes);
        this.request = request;
        this.body = body;
        this.mayWait = mayWait;
        this.exchange = new ServerExchange(this, serving);
        request.carriedBy(this);
    }

    // The peer, on the loop.

    /// The head arrives, with or without the body's length.
    public void begin(boolean isLengthKnown, boolean isWholeThere) {
        hasBegun = true;
        call(() -> {
            exchange.begin(request);
            if (body.length == 0 && isLengthKnown) {
                isBodyEnded = true;
                exchange.handle();
                return;
            }
            assertTrue(exchange.announce(isLengthKnown ? body.length : Body.UNKNOWN, false), "nobody leaves the loop");
            if (state != State.OPEN) return;
            if (isLengthKnown && isWholeThere && exchange.takesWhole()) {
                given = body.length;
                isBodyEnded = true;
                exchange.whole(arrivals().receive(body, 0, body.length));
                arrivals().endLoan();
            } else {
                hasFollowed = true;
                exchange.follow();
            }
        });
    }

    public boolean hasBegun() {
        return hasBegun;
    }

    /// Whether more of the request's body may come.
    public boolean takesBody() {
        return state == State.OPEN
                && hasFollowed
                && !isBodyEnded
                && !isBodyLeft
                && exchange.demand() == ServerExchange.Demand.WANTED;
    }

    /// More of the body arrives, and its end with the last byte.
    public void more(int bytes) {
        call(() -> {
            int to = Math.min(body.length, given + bytes);
            var in = arrivals().receive(body, given, to);
            given = to;
            try {
                if (!in.isEmpty()) exchange.body(in);
            } finally {
                arrivals().endLoan();
            }
            if (given < body.length || arrivals().unread() > 0) {
                exchange.bodyGoesOn();
                return;
            }
            isBodyEnded = true;
            exchange.bodyEnded(Headers.EMPTY);
        });
    }

    @Override
    void goOn() {
        if (state == State.OPEN) call(exchange::goOn);
    }

    /// The peer gives the exchange up.
    public void cancel() {
        state = State.RESET;
        exchange.reset(new Reset("cancelled by the peer"));
        release();
    }

    /// The tunnel ends.
    public void tunnelEnds(long receivedBytes, long sentBytes) {
        assertEquals(State.TUNNEL, state);
        exchange.tunnelBegins().ended(receivedBytes, sentBytes, null);
    }

    /// The framing of its body is wrong.
    public void breakBody() {
        call(() -> {
            throw new Refusal(400, "a broken body");
        });
    }

    private interface Call {
        void run() throws Exception;
    }

    private void call(Call up) {
        assertFalse(isInCall, "calls up come one after the other");
        isInCall = true;
        try {
            up.run();
        } catch (Exception e) {
            exchange.broke(e);
        } finally {
            isInCall = false;
        }
        if (state == State.OPEN) assertTrue(request.isKept(), "who answers later keeps the head");
    }

    public State state() {
        return state;
    }

    public int status() {
        return head.map(BuiltResponse::status).orElse(0);
    }

    public Headers headers() {
        return head.map(BuiltResponse::headers).orElse(Headers.EMPTY);
    }

    public boolean isEnded() {
        return isEnded;
    }

    public List<Integer> interims() {
        return interims;
    }

    /// Releases the version's own memory; may be called several times.
    void release() {
        if (arrivals != null) arrivals.release();
    }

    private Arrivals arrivals() {
        if (arrivals == null) arrivals = new Arrivals(loop().pool());
        return arrivals;
    }

    // The version.

    private void assertCalled() {
        assertTrue(isInCall, "calls down come from within calls up");
        assertEquals(State.OPEN, state);
    }

    @Override
    public void interim(int status, Headers fields) {
        assertCalled();
        assertTrue(head.isEmpty(), "interim responses come first");
        interims.add(status);
    }

    @Override
    public void answer(BuiltResponse response, Bytes whole, boolean hasBody) {
        head(response, whole.length(), hasBody);
        if (hasBody) write(whole);
        if (hasBody) end(Headers.EMPTY);
    }

    @Override
    public void head(BuiltResponse response, long length, boolean hasBody) {
        assertCalled();
        assertTrue(head.isEmpty(), "a response begins once");
        head = Optional.of(response);
        isBodyToCome = hasBody;
        isEnded = !hasBody;
    }

    @Override
    public void data(LoopOutput part) {
        assertCalled();
        assertTrue(isBodyToCome, "a body is said with the head, and ends once");
        assertTrue(part.size() > 0, "a part is not empty");
        write(part);
    }

    @Override
    public void end(Headers trailers) {
        assertCalled();
        assertTrue(isBodyToCome, "a body is said with the head, and ends once");
        isBodyToCome = false;
        isEnded = true;
    }

    @Override
    public void upgrade(Takeover to) {
        assertCalled();
        state = State.TUNNEL;
    }

    @Override
    public void endKeepAlive() {
        assertCalled();
    }

    @Override
    public void over() {
        assertCalled();
        assertTrue(isEnded, "the response of an exchange that is over is complete");
        state = State.OVER;
        release();
    }

    @Override
    public void reset(boolean takesNothing, @Nullable IOException cause) {
        assertCalled();
        state = State.RESET;
        release();
    }

    @Override
    public void refuses() {
        assertCalled();
    }

    @Override
    public void leaveBody() {
        assertCalled();
        isBodyLeft = true;
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public String protocol() {
        return "memory";
    }

    @Override
    public boolean isHead() {
        return request.method().equals("HEAD");
    }

    @Override
    public long unsentLimitBytes() {
        return 1 << 20;
    }

    @Override
    public boolean mayWait() {
        return mayWait;
    }

    @Override
    public boolean sendMeanwhile() {
        return sends++ % 3 > 0;
    }

    @Override
    public boolean isInCall() {
        return isInCall && !Thread.currentThread().isVirtual();
    }

    @Override
    public boolean mayLeaveCall() {
        return false;
    }

    @Override
    public void leaveCall() {
        throw new AssertionError("its calls are on the loop, where nobody waits");
    }

    @Override
    public boolean isLent() {
        return false;
    }

    @Override
    public ErrorLog errors() {
        return carrier.connection().errors();
    }

    @Override
    public String toString() {
        return request + " " + state;
    }
}
