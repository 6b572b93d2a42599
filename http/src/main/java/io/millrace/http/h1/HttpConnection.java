package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.exchange.OtherVersion;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.http.exchange.ServerExchange.Demand;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Takeover;
import io.millrace.loop.Expendable;
import io.millrace.loop.LoopThreads;
import io.millrace.loop.StreamCalls;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A connection that serves HTTP/1.1: one request after the other, each answered before the next is parsed. It
/// works the same on the loop, on virtual threads and in a pool: there, each call borrows the connection.
///
/// ```
///   HEAD ── head of a request ──► EXCHANGE ─┬─ the exchange is over ─► HEAD
///    ▲                                      ├─ and has left some of its body ─► REST
///    │                                      └─ for the last time, refused, dropped ─► CLOSED
///    └──────────── the rest was dropped ─────────────────────────────── REST ─ too much, too slow ─► CLOSED
/// ```
final class HttpConnection implements Handler, Expendable {
    /// Requests that one call serves: a peer that pipelines many must let others have their turn.
    private static final int MOST_REQUESTS = 512;

    /// Logged characters of a line that is not a request.
    private static final int MOST_LOGGED = 256;

    private enum State {
        HEAD,
        EXCHANGE,
        REST,
        CLOSED
    }

    private final HttpServing serving;
    private final TcpConnection connection;
    private final LoopOutput output;
    private final RequestTimeouts timeouts;
    private final ConnectionStream stream;
    private final ServerExchange exchange;
    private final CallScratch scratch;

    /// During a call, and while a head is incomplete.
    private @Nullable HeadReader<RequestHead> heads;

    private State state = State.HEAD;

    /// The request's body, until all of it was read or dropped.
    private @Nullable RequestBody body;

    /// The input, during a call.
    private @Nullable LoopInput lent;

    /// The first request has come: the connection speaks HTTP/1.
    private boolean isSettled;

    private boolean isDraining;
    private boolean hasPeerEnded;

    /// The call has served so many requests that it ended, and there may be more.
    private boolean hasServedMany;

    /// What has arrived waits until the peer reads its responses.
    private boolean isHolding;

    /// Bytes that the last call left.
    private long unread;

    HttpConnection(HttpServing serving, Connection connection) {
        this.serving = serving;
        this.connection = TcpConnection.of(connection);
        this.output = (LoopOutput) connection.output();
        this.scratch = serving.scratch();
        this.stream = new ConnectionStream(this, serving, this.connection, scratch.text);
        this.exchange = new ServerExchange(stream, serving.exchanges());
        this.timeouts = new RequestTimeouts(this.connection, serving);
        timeouts.idle();
    }

    // Calls.

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        lent = in;
        beginText();
        boolean hasServed = exchange.demand() == Demand.WANTED;
        if (hasServed && body != null) body.read(in);
        if (state == State.REST) dropRest(in);
        boolean isHere = state != State.HEAD || !mayServe(hasServed) || serve(in);
        if (isHere) end(in);
    }

    /// A call that threw may have left some.
    private void beginText() {
        scratch.text.clear(stream.loop().wallClock());
    }

    /// There is room again, or the response can go on.
    @Override
    public void onWritable() {
        beginText();
        if (!exchange.goOn()) return;
        if (hasPeerEnded && exchange.demand() == Demand.WANTED && !isHolding) refuse(endedEarly());
        scratch.text.flush(output);
        closeIfNobodyReads();
        goOn();
    }

    private void end(LoopInput in) {
        giveReader();
        scratch.text.flush(output);
        closeIfNobodyReads();
        unread = in.remaining();
        lent = null;
        switch (state) {
            case HEAD -> awaitHead();
            case EXCHANGE -> awaitExchange();
            case REST -> awaitRest();
            case CLOSED -> timeouts.rest();
        }
    }

    private void giveReader() {
        if (heads == null || heads.isPartial()) return;
        scratch.giveReader(heads);
        heads = null;
    }

    private void awaitHead() {
        if (unread == 0) timeouts.idle();
        else if (connection.isFull()) hold();
        else if (hasServedMany) holdUntilSent();
        else if (heads != null) timeouts.head();
        else offerAgain();
    }

    private void awaitExchange() {
        switch (exchange.demand()) {
            case NONE -> {
                if (unread > 0) hold();
            }
            case FULL -> hold();
            case WANTED -> {
                if (unread > 0 && body != null && body.hasEnoughForNow()) offerAgain();
            }
        }
    }

    private void awaitRest() {
        timeouts.body();
        if (unread > 0 && body != null && body.hasEnoughForNow()) offerAgain();
    }

    private void hold() {
        timeouts.rest();
        isHolding = true;
        connection.pause();
    }

    /// Others get their turn, and a peer that does not read its responses gets no more of them.
    private void holdUntilSent() {
        hold();
        connection.whenSent(connection::callHandler);
    }

    /// Event streams go on for ever, but not when the peer has ended or the server is stopping.
    private void closeIfNobodyReads() {
        if (exchange.isEndless() && (hasPeerEnded || isDraining)) connection.close();
    }

    private void goOn() {
        if (state == State.EXCHANGE && exchange.demand() != Demand.WANTED) return;
        if (state == State.REST) timeouts.body();
        if (state == State.HEAD) {
            if (unread > 0 && heads != null) timeouts.head();
            else timeouts.idle();
        }
        if (!isHolding) return;
        isHolding = false;
        connection.resume();
    }

    private void offerAgain() {
        connection.pause();
        connection.resume();
    }

    // Requests.

    /// Off the loop each exchange is a call of its own: the next handler may block, and this response would wait
    /// for it. A thread that the loop carries can send meanwhile. No exchange begins while the peer does not read
    /// its responses.
    private boolean mayServe(boolean hasServed) {
        return !connection.isFull() && (!hasServed || serving.isOnLoop() || mayServeCarried());
    }

    /// Not for a peer that is gone, nor if the last handler has left traces on its thread.
    private boolean mayServeCarried() {
        return connection.loop().inLoop() && connection.isOpen() && !LoopThreads.isUsed();
    }

    private boolean isInLoop() {
        return serving.isOnLoop() || connection.loop().inLoop();
    }

    /// @return false when a handler has left the call
    private boolean serve(LoopInput in) {
        var heads = this.heads;
        if (heads == null) this.heads = heads = scratch.takeReader();
        heads.open(in, isInLoop());
        boolean isFound = false;
        boolean isHere = true;
        try {
            int served = 0;
            while (state == State.HEAD && served < MOST_REQUESTS && heads.next(in)) {
                isFound = true;
                // The handler may block; complete responses must not wait for it.
                if (scratch.text.length() > 0 && !serving.isOnLoop()) stream.sendMeanwhile();
                isHere = serve(heads, in);
                if (!isHere) return false;
                isFound = false;
                served++;
                if (scratch.text.isEnough()) scratch.text.flush(output);
                if (!mayServe(true)) break;
            }
            hasServedMany = served == MOST_REQUESTS;
        } catch (Refusal e) {
            if (isOther(in)) becomesOther();
            else refuse(e, exchange.isRecorded() ? heads.firstLine(isFound, MOST_LOGGED) : "");
        } finally {
            if (isHere) heads.close(in);
        }
        return true;
    }

    /// @return false when the handler has left the call
    private boolean serve(HeadReader<RequestHead> heads, LoopInput in) throws Refusal {
        var head = heads.head();
        // The next timeout begins on its own.
        timeouts.rest();
        // Bytes after a CONNECT were meant for a tunnel, whether it is granted or not, and are not a request.
        boolean isConnect = head.isMethod("CONNECT");
        isSettled = true;
        stream.begin(head, !isConnect && !isDraining && !hasPeerEnded && !connection.isLast());
        var request = new ParsedRequest(connection, head);
        state = State.EXCHANGE;
        exchange.begin(request);
        if (!head.hasBody()) {
            exchange.handle();
            return true;
        }
        heads.close(in);
        if (!serveBody(head, in)) return false;
        if (state == State.REST) dropRest(in);
        if (state == State.HEAD) heads.open(in, isInLoop());
        return true;
    }

    /// Its first bytes are those of another version, which a secured connection agrees on in another way.
    private boolean isOther(LoopInput in) {
        if (isSettled || connection.security().isPresent()) return false;
        var line = OtherVersion.PREFACE_LINE;
        if (in.remaining() < line.length()) return false;
        for (int i = 0; i < line.length(); i++) if (in.peekByte(i) != line.charAt(i)) return false;
        return true;
    }

    private void becomesOther() {
        state = State.CLOSED;
        timeouts.end();
        connection.pause();
        serving.handOver(connection);
    }

    private boolean serveBody(RequestHead head, LoopInput in) {
        long length = head.contentLength();
        var arriving = new RequestBody(this, exchange, output, new IncomingBody(length, serving.limits()));
        body = arriving;
        if (head.expectsContinue() && in.isEmpty()) stream.expectsContinue();
        if (!exchange.announce(length, stream.awaitsContinue())) return false;
        if (state != State.EXCHANGE) return true;
        boolean isThere = length != RequestHead.CHUNKED && length <= in.remaining();
        if (isThere && exchange.takesWhole()) {
            body = null;
            long hidden = in.narrow(length);
            try {
                exchange.whole(in);
            } finally {
                in.widen(hidden);
            }
            return true;
        }
        exchange.follow();
        if (exchange.demand() == Demand.WANTED) arriving.read(in);
        return true;
    }

    /// Drops the rest of a body, whose response is complete.
    private void dropRest(LoopInput in) {
        if (body == null || body.drop(in)) state = State.HEAD;
    }

    private static Refusal endedEarly() {
        return new Refusal(400, "the peer ended in the middle of a request");
    }

    private void refuse(Refusal refusal) {
        refuse(refusal, "");
    }

    private void refuse(Refusal refusal, String line) {
        exchange.refuse(refusal, line);
    }

    // For the stream.

    /// The handler's thread leaves its call; nothing is served until it has asked for the body.
    void leavesCall() {
        scratch.text.flush(output);
        lent = null;
        hold();
    }

    /// The rest of the body is not wanted.
    ///
    /// @return false when it cannot be dropped so that the next request is found
    boolean leavesBody() {
        if (stream.awaitsContinue()) return false;
        var in = lent;
        return body == null || (in != null && body.drop(in)) || isRestShort();
    }

    /// Whether the rest of the body is known to be short.
    boolean isRestShort() {
        return body == null || (body.isShort() && !stream.awaitsContinue());
    }

    void releaseBody() {
        if (body != null) body.release();
        body = null;
    }

    /// It can serve the next request.
    void exchangeIsOver() {
        state = body == null ? State.HEAD : State.REST;
        if (heads != null) heads.done();
        stream.rest();
        if (stream.keepsAlive() && !isDraining && !hasPeerEnded) return;
        state = State.CLOSED;
        releaseBody();
        scratch.text.flush(output);
        if (stream.isPeersLast()) connection.closeWithoutLinger();
        else connection.close();
    }

    /// The current response will never be complete. What was written is still sent, earlier responses included,
    /// and a FIN in the middle of the body tells the peer; only if that would look like a complete response, a
    /// reset is needed.
    void drop(boolean takesNothing) {
        state = State.CLOSED;
        releaseBody();
        if (stream.endsWithConnection() || takesNothing) {
            connection.abort();
            return;
        }
        timeouts.rest();
        scratch.text.flush(output);
        connection.close();
    }

    /// Becomes a tunnel as soon as no thread borrows the connection.
    void becomesTunnel(Takeover to) {
        timeouts.end();
        connection.loop().execute(() -> {
            if (!connection.isOpen()) return;
            if (connection.isLent()) becomesTunnel(to);
            // A tunnel could no longer pass the end on.
            else if (hasPeerEnded) connection.abort();
            else begin(to);
        });
    }

    private void begin(Takeover to) {
        try {
            to.begin(new Takeover.Peer(connection, StreamCalls.of(connection), ending()));
        } catch (RuntimeException | Error e) {
            // Nothing else knows of either end any more.
            to.abort();
            connection.abort();
            throw e;
        }
    }

    /// Without this object, which a tunnel has no use for.
    private Takeover.Ending ending() {
        var told = exchange.tunnelBegins();
        return serving.countsAddresses() ? new TunnelEnding(serving, connection, told) : told;
    }

    private record TunnelEnding(HttpServing serving, TcpConnection connection, Takeover.Ending exchange)
            implements Takeover.Ending {
        @Override
        public void ended(long receivedBytes, long sentBytes, @Nullable IOException cause) {
            serving.closed(connection);
            exchange.ended(receivedBytes, sentBytes, cause);
        }
    }

    // Ending.

    /// The peer has ended its side. It still gets the responses.
    @Override
    public void onEnd(Connection conn) {
        beginText();
        hasPeerEnded = true;
        if (isIdle() || state == State.REST) conn.close();
        else if (state == State.HEAD || exchange.demand() != Demand.NONE) refuse(endedEarly());
        scratch.text.flush(output);
        closeIfNobodyReads();
    }

    @Override
    public void onDrain(Connection conn) {
        isDraining = true;
        stream.endKeepAlive();
        if (isIdle() || state == State.REST) conn.close();
        closeIfNobodyReads();
    }

    /// Also in the middle of a head: no response is due yet.
    @Override
    public boolean isExpendable() {
        return (state == State.HEAD || state == State.REST) && !isHolding;
    }

    private boolean isIdle() {
        return state == State.HEAD && unread == 0;
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        state = State.CLOSED;
        timeouts.end();
        serving.closed(connection);
        releaseBody();
        exchange.reset(cause);
    }
}
