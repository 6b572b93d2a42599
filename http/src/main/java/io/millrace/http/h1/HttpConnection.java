package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.HttpError;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.Expendable;
import io.millrace.loop.LoopLog;
import io.millrace.loop.LoopThreads;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.NetException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// A connection that serves HTTP/1.1: requests one behind the other, each answered before the next is looked at.
/// The same on the loop, on virtual threads and in a pool: there, each call is a loan of the connection.
///
/// ```
///        ┌───────────────────────────── the response is complete ────────────────────────────┐
///        ▼                                                                                    │
///   ┌► HEAD ── head of a request ──► BODY ── whole, or fed to a reader ──► (handler) ──► BUSY ┤ stream,
///   events, later └──────────────── answered at once ◄──────────────────────────────────────┘               │
///   CLOSED ◄── refused, `Connection: close`, or dropped ◄─────────────────────────────────────┘
/// ```
final class HttpConnection implements Handler, Expendable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// Requests that one call serves: a peer that sends many ahead gets the rest after the others.
    private static final int MOST_REQUESTS = 512;

    /// Characters of a line that is no request, for a log.
    private static final int MOST_LOGGED = 256;

    /// A body of less goes into the array that its head is put together in.
    private static final int TEXT_BYTES = 1024;

    enum State {
        HEAD,
        BODY,
        BUSY,
        CLOSED
    }

    private final HttpServing serving;
    private final TcpConnection connection;
    private final LoopOutput output;
    private final HeadReader<RequestHead> heads;
    private final BodyReceiver receiver;
    private final RequestTimeouts timeouts;
    private final ServerExchange exchange = new ServerExchange();

    /// When somebody wants to hear of what becomes of requests.
    private final @Nullable RequestRecord requestRecord;

    private State state = State.HEAD;

    /// Where small pieces of output are put together during a call; on the loop it is everybody's.
    private final WireText text;

    /// What the response consists of, while it is under way.
    private @Nullable PendingResponse responding;

    private @Nullable Events events;
    private boolean isDraining;
    private boolean hasPeerEnded;

    /// Requests in one call, and there may be more.
    private boolean hasServedMany;

    /// What has arrived waits, and so does the peer.
    private boolean isHolding;

    /// Bytes that the last call left.
    private long unread;

    HttpConnection(HttpServing serving, Connection connection) {
        this.serving = serving;
        this.connection = (TcpConnection) connection;
        this.output = (LoopOutput) connection.output();
        this.heads = new HeadReader<>(new RequestHead(serving.limits()), serving.limits(), serving.scratch());
        this.receiver = new BodyReceiver(this, serving, output);
        this.text = serving.text();
        this.requestRecord = serving.requestRecord(this.connection);
        this.timeouts = new RequestTimeouts(this.connection, serving.limits());
        timeouts.idle();
    }

    // Calls.

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        // A call that threw left it as it was.
        text.clear();
        boolean hasServed = state == State.BODY;
        if (hasServed) receiver.read(in);
        if (state == State.HEAD && mayServe(hasServed)) serve(in);
        end(in);
    }

    /// There is room again, or what the response waited for has happened.
    @Override
    public void onWritable() {
        text.clear();
        if (timeouts.isTooSlow()) {
            if (requestRecord != null) requestRecord.failed("its body arrives too slowly");
            drop();
            return;
        }
        receiver.goOn();
        if (responding != null) respond(responding);
        if (hasPeerEnded && state == State.BODY && !isHolding) refuse(endedEarly());
        text.flush(output);
        closeIfNobodyReads();
        if (state != State.BUSY) goOn();
    }

    private void end(LoopInput in) {
        text.flush(output);
        closeIfNobodyReads();
        unread = in.remaining();
        switch (state) {
            case HEAD -> {
                if (unread == 0) timeouts.idle();
                else if (connection.isFull()) hold();
                else if (hasServedMany) holdUntilSent();
                else if (heads.isPartial()) timeouts.head();
                else offerAgain();
            }
            case BODY -> {
                if (!receiver.hasRoom()) {
                    hold();
                    return;
                }
                timeouts.body(receiver.received());
                if (unread > 0 && receiver.isBehind()) offerAgain();
            }
            case BUSY -> {
                timeouts.rest();
                if (unread > 0) hold();
            }
            case CLOSED -> timeouts.rest();
        }
    }

    private void hold() {
        timeouts.rest();
        isHolding = true;
        connection.pause();
    }

    /// The others get their turn, and a peer that does not take its responses gets no more of them.
    private void holdUntilSent() {
        hold();
        connection.whenSent(connection::callHandler);
    }

    /// Events go on for ever, but not for a peer that has ended, nor while the server is stopping.
    private void closeIfNobodyReads() {
        if (responding instanceof EventResponse && (hasPeerEnded || isDraining)) connection.close();
    }

    private void goOn() {
        switch (state) {
            case HEAD -> {
                if (unread > 0 && heads.isPartial()) timeouts.head();
                else timeouts.idle();
            }
            case BODY -> {
                if (!receiver.hasRoom()) return;
                timeouts.body(receiver.received());
            }
            case BUSY, CLOSED -> {}
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

    /// On other threads each exchange is a call of its own: the next one may block, and this one's response would
    /// wait for it, as a thread in the loop can send. Nowhere while the peer does not take what it asked for.
    private boolean mayServe(boolean hasServed) {
        return !connection.isFull() && (!hasServed || serving.isOnLoop() || mayServeCarried());
    }

    /// Not for a peer that has gone meanwhile, nor where the handler before has left something of its own.
    private boolean mayServeCarried() {
        return connection.loop().inLoop() && connection.isOpen() && !LoopThreads.isUsed();
    }

    private boolean isInLoop() {
        return serving.isOnLoop() || connection.loop().inLoop();
    }

    private void serve(LoopInput in) {
        heads.open(in, isInLoop());
        try {
            int served = 0;
            while (state == State.HEAD && served < MOST_REQUESTS && heads.next(in)) {
                if (text.length() > 0 && !serving.isOnLoop()) sendMeanwhile();
                serve(heads.head(), in);
                served++;
                if (text.isEnough()) text.flush(output);
                if (!mayServe(true)) break;
            }
            hasServedMany = served == MOST_REQUESTS;
        } catch (Refusal e) {
            if (requestRecord != null)
                requestRecord.refused(heads.firstLine(requestRecord.isOpen(), MOST_LOGGED), text(e));
            refuse(e);
        } finally {
            heads.close(in);
        }
    }

    /// The handler to be called may wait; responses that are complete do not.
    private void sendMeanwhile() {
        text.flush(output);
        connection.sendMeanwhile();
    }

    /// A part of a body is written, and who writes the next one may wait: the peer gets this one first.
    ///
    /// @return false when the call has to end for that
    boolean partIsWritten(OutgoingBody body) {
        if (serving.isOnLoop()) return true;
        body.flush();
        if (!isInLoop() || !connection.isOpen()) return false;
        sendMeanwhile();
        return true;
    }

    private void serve(RequestHead head, LoopInput in) throws Refusal {
        // What comes next is watched from its own beginning.
        timeouts.rest();
        if (requestRecord != null) requestRecord.begin();
        // What follows a CONNECT was meant for a tunnel, whatever becomes of it, and is no request.
        boolean isConnect = head.isMethod("CONNECT");
        exchange.begin(head, !isConnect && !isDraining && !hasPeerEnded && !connection.isLast());
        if (isConnect && serving.takesConnect()) head.allowConnect();
        var request = new ParsedRequest(connection, head);
        exchange.request(request);
        if (requestRecord != null) requestRecord.request(request, head.isOld());
        if (!head.hasBody()) {
            answer(call(request));
            return;
        }
        heads.close(in);
        receiver.expect(head, request, in);
        if (state == State.HEAD) heads.open(in, isInLoop());
    }

    Response call(ParsedRequest request) {
        try {
            return Objects.requireNonNull(serving.handler().handle(request), "a handler answered null");
        } catch (Exception e) {
            return failure(e);
        }
    }

    /// The answer to what user code threw.
    Response failure(Throwable thrown) {
        var cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (requestRecord != null) requestRecord.failed(cause.toString());
        if (cause instanceof HttpError error) return Response.status(error.status());
        if (cause instanceof InterruptedException) Thread.currentThread().interrupt();
        connection.errors().log(LOG, Level.WARNING, "handler", () -> "the handler of " + exchange + " threw", cause);
        return Response.status(500);
    }

    // Responses.

    void answer(Response response) {
        var answer = ResponseHead.ours((BuiltResponse) response, exchange.isSecure());
        if (answer.isLast()) exchange.endKeepAlive();
        switch (answer.content()) {
            case Body.Whole whole -> answerWhole(answer, whole.bytes());
            case Body.Stream stream -> respondWith(new StreamedResponse(this, answer, stream));
            case Body.Events stream -> respondWith(new EventResponse(this, answer, stream));
            case Body.File file -> waitFor(DeferredResponse.forFile(this, file));
            case Body.Later later -> waitFor(new DeferredResponse(this, later));
            case Body.Reading reader -> receiver.handTo(new Reading.Collecting(this, reader));
            case Body.Duplex duplex -> receiver.handTo(new Reading.Answering(this, answer, duplex));
            case Body.Relayed elsewhere -> relay(new RelayedResponse(this, elsewhere));
        }
    }

    private void answerWhole(BuiltResponse answer, Bytes bytes) {
        receiver.leave();
        ResponseHead.writeWhole(answer, bytes.length(), exchange.keepsAlive(), exchange.isOldPeer(), text);
        boolean isWithout = exchange.isHead() || answer.status() == 204 || answer.status() == 304;
        if (!isWithout) write(bytes);
        if (requestRecord != null) requestRecord.responds(answer.status());
        exchangeIsOver(isWithout ? 0 : bytes.length());
    }

    private void write(Bytes bytes) {
        if (bytes.length() < TEXT_BYTES) {
            text.put(bytes);
            return;
        }
        text.flush(output);
        output.write(bytes);
    }

    /// The head of a response whose body follows.
    void begin(BuiltResponse answer, ResponseHead.Framing framing, long length) {
        // A peer that hears this need not send the rest of its body (RFC 9112 section 9.6).
        boolean isRefusal = receiver.isPending() && answer.status() >= 300;
        if (framing == ResponseHead.Framing.CLOSE) exchange.endWithConnection();
        if (isRefusal) exchange.endKeepAlive();
        receiver.answering();
        if (requestRecord != null) requestRecord.responds(answer.status());
        ResponseHead.writeStreamed(answer, framing, length, exchange.keepsAlive(), exchange.isOldPeer(), text);
        text.flush(output);
    }

    private void respondWith(PendingResponse response) {
        if (!receiver.isRelayed()) receiver.leave();
        waitFor(response);
    }

    /// The response comes from elsewhere, and the body of the request goes there.
    private void relay(RelayedResponse relaying) {
        receiver.relayTo(relaying);
        waitFor(relaying);
    }

    /// Another protocol from now on, between the peer and somebody else.
    void upgrade(Upgraded to) {
        if (to.status() == 101) ResponseHead.writeUpgrade(to.headers(), text);
        else ResponseHead.writeTunnel(text);
        text.flush(output);
        if (requestRecord != null) requestRecord.responds(to.status());
        timeouts.cancel();
        responding = new PendingResponse() {
            @Override
            public void go() {}

            @Override
            public void close() {
                to.connection().abort();
            }
        };
        connection.loop().execute(() -> {
            // It could not tell the other side any more.
            if (hasPeerEnded) connection.abort();
            else UpgradedSide.join(serving, connection, requestRecord, to);
        });
    }

    private void waitFor(PendingResponse response) {
        exchange.request().keep();
        state = receiver.isRelayed() ? State.BODY : State.BUSY;
        responding = response;
        respond(response);
    }

    private void respond(PendingResponse response) {
        try {
            response.go();
        } catch (Exception e) {
            // What becomes of other connections is no news here: it happens.
            if (e instanceof NetException)
                LOG.log(Level.DEBUG, () -> "the response to " + exchange + " broke off: " + e);
            else
                connection
                        .errors()
                        .log(LOG, Level.WARNING, "response", () -> "the response to " + exchange + " broke off", e);
            if (requestRecord != null) requestRecord.failed(e.toString());
            drop();
        }
    }

    private static Refusal endedEarly() {
        return new Refusal(400, "the peer ended in the middle of a request");
    }

    private static String text(Refusal refusal) {
        return String.valueOf(refusal.getMessage());
    }

    void refuse(Refusal refusal) {
        var why = text(refusal);
        if (requestRecord != null) requestRecord.refused("", why);
        var guard = refusal.guard();
        if (guard != null) guard.acted(connection.remote(), why);
        else LOG.log(Level.DEBUG, () -> "refused " + connection.remote() + ": " + why);
        exchange.endKeepAlive();
        if (responding instanceof RelayedResponse relaying) takeBack(relaying);
        if (isResponding()) {
            drop();
            return;
        }
        receiver.abort();
        answer(Response.status(refusal.status()));
    }

    /// Nothing of a response that was to come from elsewhere has been written yet, and nobody waits for it now.
    private void takeBack(RelayedResponse relaying) {
        responding = null;
        receiver.abort();
        relaying.close();
    }

    /// The response under way is complete.
    void exchangeIsOver() {
        exchangeIsOver(responding == null ? 0 : responding.sent());
    }

    private void exchangeIsOver(long bytesSent) {
        receiver.leave();
        if (requestRecord != null) requestRecord.over(bytesSent);
        responding = null;
        state = State.HEAD;
        exchange.end();
        receiver.answering();
        heads.done();
        if (exchange.keepsAlive() && !isDraining && !hasPeerEnded) return;
        state = State.CLOSED;
        text.flush(output);
        if (exchange.isPeersLast()) connection.closeWithoutLinger();
        else connection.close();
    }

    /// The response under way will never be complete. What was written arrives, that of responses before it, too,
    /// and an end in the middle of its body tells the peer; only where the end would look right, it has to be a
    /// reset.
    void drop() {
        state = State.CLOSED;
        if (exchange.endsWithConnection()) {
            connection.abort();
            return;
        }
        timeouts.rest();
        breakOff(null);
        text.flush(output);
        connection.close();
    }

    /// Nobody goes on with the exchange, if there is one.
    private void breakOff(@Nullable IOException cause) {
        receiver.abort();
        var unfinished = responding;
        responding = null;
        if (unfinished != null) unfinished.close();
        if (requestRecord != null) requestRecord.cut(unfinished == null ? 0 : unfinished.sent(), cause);
        exchange.end();
    }

    // What the halves and responses under way use.

    /// So much of the request's body was read.
    void received(long bytes) {
        if (requestRecord != null) requestRecord.received(bytes);
    }

    /// What a response waited for is there.
    void answerInstead(Response response) {
        responding = null;
        state = receiver.isPending() ? State.BODY : State.HEAD;
        answer(response);
    }

    void waitWith(PendingResponse response) {
        responding = response;
    }

    boolean isResponding() {
        return responding != null;
    }

    void state(State state) {
        this.state = state;
    }

    State state() {
        return state;
    }

    TcpConnection connection() {
        return connection;
    }

    LoopOutput output() {
        return output;
    }

    ServerExchange exchange() {
        return exchange;
    }

    WireText text() {
        return text;
    }

    Events events(EventResponse stream) {
        if (events == null) events = new Events(connection);
        events.begin(stream);
        return events;
    }

    // The end.

    /// The peer has ended. What it asked for it still gets.
    @Override
    public void onEnd(Connection conn) {
        text.clear();
        hasPeerEnded = true;
        if (isIdle()) conn.close();
        else if (state == State.HEAD || state == State.BODY) refuse(endedEarly());
        text.flush(output);
        closeIfNobodyReads();
    }

    @Override
    public void onDrain(Connection conn) {
        isDraining = true;
        exchange.endKeepAlive();
        if (isIdle()) conn.close();
        closeIfNobodyReads();
    }

    /// Also in the middle of a head: nobody has promised anything yet.
    @Override
    public boolean isExpendable() {
        return state == State.HEAD && !isHolding;
    }

    private boolean isIdle() {
        return state == State.HEAD && unread == 0;
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        state = State.CLOSED;
        timeouts.cancel();
        serving.closed(connection);
        breakOff(cause);
    }
}
