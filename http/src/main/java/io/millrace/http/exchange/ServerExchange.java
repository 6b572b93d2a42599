package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Overflow;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.PushedBody;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.LoopLog;
import io.millrace.memory.LoopInput;
import io.millrace.net.NetException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One request and its response, as a server knows them in every version: who gets the body, who answers, and what
/// becomes of both when one breaks off. A version calls it as [ServerStream] says, and may use it for the next request
/// when one is over.
///
/// ```
///   request    NONE ── begin ──► HEAD ─┬─ handle ───────────────────────────────► DONE
///                                      └─ announce ──► BODY ── whole, bodyEnded, left ──┘
///   response   NONE ── answered later, or from elsewhere ──► AWAITED
///                │ ◄────────────── answered ────────────────────┤
///                └── answered at once ──► OVER ◄── complete ── BEGUN ── 101 ──► TUNNEL
///   both       ── refused, reset, too slow, broken off ──► OVER
/// ```
public final class ServerExchange {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private static final BuiltResponse NO_TUNNEL = BuiltResponse.from(Response.status(501));

    private static final BodyWriter NOTHING = _ -> false;

    /// How long a handler may keep the exchange from a thread that waits for the body.
    private static final Duration MOST_KEPT = Duration.ofSeconds(10);

    private enum RequestState {
        NONE,
        HEAD,
        BODY,
        DONE
    }

    private enum ResponseState {
        NONE,
        AWAITED,
        BEGUN,
        TUNNEL,
        OVER
    }

    /// Whether more of a request's body is to be given to it.
    public enum Demand {
        /// There is no more of it, or nobody reads it yet.
        NONE,
        /// Who reads it has no room.
        FULL,
        WANTED
    }

    private final ServerStream stream;
    private final Serving serving;
    private final BodyReceiver receiver;

    /// When somebody wants to hear of what becomes of requests.
    private final @Nullable RequestRecord record;

    private RequestState requestState = RequestState.NONE;
    private ResponseState responseState = ResponseState.OVER;
    private @Nullable ReceivedRequest request;

    /// What the response consists of, while it is awaited or under way.
    private @Nullable PendingResponse pending;

    /// Whether the code that is called now may leave its call.
    private boolean mayLeave;

    /// What user code threw, for whoever says what that looks like.
    private @Nullable Throwable thrown;

    /// How fast bodies arrive; made for the first one that is not there at once.
    private @Nullable BodyRate rate;

    /// One that has not begun.
    public ServerExchange(ServerStream stream, Serving serving) {
        this.stream = stream;
        this.serving = serving;
        this.receiver = new BodyReceiver(this, stream, serving.limits().bodyBytes());
        this.record = serving.record(stream::remote, stream.loop().clock());
    }

    // From a version: the request.

    /// A head has arrived. Next is [#handle], if it announces no body, or [#announce].
    public void begin(ReceivedRequest arrived) {
        requestState = to(RequestState.NONE, RequestState.HEAD);
        responseState = ResponseState.NONE;
        request = arrived;
        if (record != null) record.begin(arrived, stream.protocol());
    }

    /// It has no body: the handler is called.
    public void handle() {
        requestState = to(RequestState.HEAD, RequestState.DONE);
        answer(call());
    }

    /// A body is to come: it is collected first, or the handler is called. Next is [#whole], if that is taken and all
    /// of it is there, or [#follow]; unless the exchange is over.
    ///
    /// @param length in bytes, or [Body#UNKNOWN]
    /// @param awaitsContinue whether the peer waits for `100 Continue` before it sends any
    /// @return false when the handler has left this call: nothing may be touched any more
    public boolean announce(long length, boolean awaitsContinue) {
        requestState = to(RequestState.HEAD, RequestState.BODY);
        receiver.announce(request(), length, awaitsContinue);
        if (!serving.collectsFirst(length, awaitsContinue)) return callAtHead(request());
        receiver.collect(serving.collecting(request()));
        return true;
    }

    /// Whether all of the body may be given to [#whole], if it is there.
    public boolean takesWhole() {
        return requestState == RequestState.BODY && receiver.takesWhole();
    }

    /// All of the body is there, which is lent until this returns, and skipped then.
    public void whole(LoopInput body) {
        requestState = to(RequestState.BODY, RequestState.DONE);
        receiver.whole(body);
    }

    /// The body, or the rest of the exchange, follows in other calls.
    public void follow() {
        request().keep();
        watch();
    }

    /// Whether more of it may be given to [#body].
    public Demand demand() {
        return requestState == RequestState.BODY ? receiver.demand() : Demand.NONE;
    }

    /// More of the body; only on demand.
    public void body(Input part) throws Exception {
        check(requestState == RequestState.BODY, "a part of a body", requestState);
        receiver.take(part);
    }

    /// Some of it was given, and that was not the end.
    ///
    /// @throws Refusal when there is not the memory to collect it
    public void bodyGoesOn() throws Refusal {
        receiver.checkMemory();
        watch();
    }

    /// All of it was taken.
    public void bodyEnded(Headers trailers) throws Exception {
        requestState = to(RequestState.BODY, RequestState.DONE);
        receiver.ended(trailers);
        watch();
    }

    /// What [#body] or [#bodyEnded] threw, or how the body's framing is broken.
    public void broke(Exception thrown) {
        switch (thrown) {
            case Refusal refusal -> refuse(refusal, "");
            // Some of a response was written, and nothing may follow it.
            case Overflow _ -> drop(true);
            case Exception failed -> bodyFailed(failed);
        }
    }

    /// What arrived is no request, or none that is taken; also without [#begin].
    ///
    /// @param line how it begins, for a log, if nobody understands it
    public void refuse(Refusal refusal, String line) {
        var why = String.valueOf(refusal.getMessage());
        if (record != null) record.refused(line, why, stream.protocol());
        var guard = refusal.guard();
        if (guard != null) guard.acted(stream.remote(), why);
        else LOG.log(Level.DEBUG, () -> "refused " + stream.remote() + ": " + why);
        // What follows is not looked for behind what is none.
        stream.endKeepAlive();
        if (requestState == RequestState.NONE) responseState = ResponseState.NONE;
        else stream.leaveBody();
        if (pending != null && responseState == ResponseState.AWAITED) takeBack(pending);
        if (pending != null) {
            drop();
            return;
        }
        abortBody();
        answer(Response.status(refusal.status()));
    }

    /// Nothing of a response that was to come later has been written yet, and nobody waits for it now.
    private void takeBack(PendingResponse awaited) {
        pending = null;
        responseState = ResponseState.NONE;
        abortBody();
        awaited.breakOff();
    }

    /// There is room again, or what the response waits for has happened.
    ///
    /// @return false when user code has left this call: nothing may be touched any more
    public boolean goOn() {
        if (rate != null && rate.isTooSlow()) {
            if (record != null) record.failed("its body arrives too slowly");
            drop();
            return true;
        }
        receiver.goOn();
        if (pending != null && !go(pending)) return false;
        watch();
        return true;
    }

    /// The peer has given it up, or what carries it has ended.
    public void reset(@Nullable IOException cause) {
        breakOff(cause);
        if (rate != null) rate.cancel();
        rate = null;
    }

    /// The tunnel that it has become has ended.
    public void tunnelEnded(long receivedBytes, long sentBytes, @Nullable IOException cause) {
        if (record != null) record.tunnelled(receivedBytes, sentBytes, cause);
    }

    /// Whether its response goes on for ever, if the peer or the server does not end it.
    public boolean isEndless() {
        return pending instanceof EventResponse;
    }

    /// Whether somebody hears of what arrives.
    public boolean isRecorded() {
        return record != null;
    }

    private void watch() {
        boolean isAwaited = demand() == Demand.WANTED;
        if (isAwaited && rate == null) rate = new BodyRate(stream, serving.limits());
        if (rate == null) return;
        if (isAwaited) rate.body(receiver.received());
        else rate.rest();
    }

    // The handler.

    private Response call() {
        try {
            return Objects.requireNonNull(serving.handler().handle(request()), "a handler answered null");
        } catch (Exception e) {
            return failure(e);
        }
    }

    /// @return false when it has left the call
    private boolean callAtHead(ReceivedRequest asked) {
        return answerWith(asked, () -> serving.handler().handle(asked));
    }

    /// Answers what user code does that may wait for the body: it leaves the call then, and this with it.
    ///
    /// @return false when it has left the call
    boolean answerWith(ReceivedRequest asked, Callable<Response> code) {
        Response response = null;
        Throwable thrown = null;
        mayLeave = true;
        try {
            response = Objects.requireNonNull(code.call(), "a handler answered null");
        } catch (Throwable e) {
            thrown = e;
        }
        if (asked.awaited() instanceof ParkedBody body && body.hasLeft()) {
            body.answered(response, thrown);
            return false;
        }
        mayLeave = false;
        if (thrown instanceof Error error) throw error;
        answerInstead(response != null ? response : failure(Objects.requireNonNull(thrown)));
        return true;
    }

    /// Whether the code that is called now may leave its call. By who has the exchange.
    boolean mayLeave() {
        return mayLeave;
    }

    /// Whether code that is called in a call of its own may: there is a body to wait for.
    boolean isBodyAwaitable() {
        return receiver.isPending() && stream.mayLeaveCall();
    }

    /// The handler's thread, which has the exchange, is about to wait: the exchange goes on without it,
    /// and its response comes later.
    void leaveCall(CompletionStage<Response> response) {
        request().keep();
        mayLeave = false;
        var deferred = new DeferredResponse(this, new Body.Later(response, UnaryOperator.identity()));
        pendsOn(deferred);
        deferred.begin();
        stream.leaveCall();
    }

    /// A thread waits for the body. Any thread.
    void wantBody(ParkedBody waiting) {
        receiver.want(waiting);
        stream.wake();
        // Who keeps the exchange until this thread is done waits for itself.
        if (!waiting.hasLeft()) stream.loop().after(MOST_KEPT, () -> receiver.giveUp(waiting));
    }

    /// What a handler answers for which the body is a value now.
    Response called(Body.Collecting whole) {
        Response response = null;
        try {
            response = Objects.requireNonNull(whole.handler().call(), "a handler answered null");
            return response.map(whole.change());
        } catch (Exception e) {
            if (response != null) DeferredResponse.discard(response);
            return failure(e);
        }
    }

    /// The answer to what user code threw.
    Response failure(Throwable thrown) {
        var cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (record != null) record.failed(cause.toString());
        this.thrown = cause;
        if (cause instanceof HttpError error) return Response.status(error.status());
        if (cause instanceof InterruptedException) Thread.currentThread().interrupt();
        stream.errors().log(LOG, Level.WARNING, "handler", () -> "the handler of " + this + " threw", cause);
        return Response.status(500);
    }

    private void bodyFailed(Exception thrown) {
        var response = failure(thrown);
        stream.leaveBody();
        abortBody();
        if (pending != null) drop();
        else answer(response);
    }

    // The response.

    void answer(Response response) {
        check(responseState == ResponseState.NONE, "a response", responseState);
        var answer = ours(shown(tunnelOrNot(BuiltResponse.from(response))));
        if (answer.isLast()) stream.endKeepAlive();
        switch (answer.content()) {
            case Body.Whole whole -> answerWhole(answer, whole.bytes());
            case Body.Stream writer -> respondWith(new StreamedResponse(this, answer, writer));
            case Body.Blocking blocking -> await(blocking(answer, blocking));
            case Body.Pushed pushed -> push(answer, pushed);
            case Body.Events events -> respondWith(new EventResponse(this, answer, events));
            case Body.File file -> await(DeferredResponse.forFile(this, file));
            case Body.Later later -> await(later);
            case Body.Collecting collecting -> collect(collecting);
            case Body.Reading reader -> receiver.handTo(new BodyConsumer.Reading(this, reader));
            case Body.Duplex duplex -> receiver.handTo(new BodyConsumer.Answering(this, answer, duplex));
            case Body.Relayed elsewhere -> relay(new RelayedResponse(this, elsewhere));
        }
    }

    private BuiltResponse shown(BuiltResponse answer) {
        return answer.isPhrase() ? serving.shown(answer, request, thrown) : answer;
    }

    /// Whoever knows no tunnels must not seem to have made one (RFC 9110 section 9.3.6).
    private BuiltResponse tunnelOrNot(BuiltResponse answer) {
        boolean seemsOne =
                answer.status() < 300 && request != null && request.method().equals("CONNECT") && !answer.isToCome();
        if (!seemsOne) return answer;
        DeferredResponse.discard(answer);
        return NO_TUNNEL;
    }

    private void collect(Body.Collecting collecting) {
        if (receiver.isPending()) receiver.collect(collecting);
        else answer(called(collecting));
    }

    /// Over TLS cookies of ours come back over TLS alone.
    private BuiltResponse ours(BuiltResponse answer) {
        boolean isSecure = request != null && request.isSecure() && !answer.isReceived();
        return isSecure ? answer.overTls() : answer;
    }

    private void answerWhole(BuiltResponse answer, Bytes bytes) {
        leaveBody();
        boolean hasBody = hasBody(answer);
        stream.answer(answer, bytes, hasBody);
        if (record != null) record.responds(answer.status());
        complete(hasBody ? bytes.length() : 0);
    }

    /// RFC 9110 section 6.4.1.
    boolean hasBody(BuiltResponse answer) {
        return !stream.isHead() && answer.status() != 204 && answer.status() != 304;
    }

    private void push(BuiltResponse answer, Body.Pushed pushed) {
        var body = new PushedBody(stream.loop());
        respondWith(
                new StreamedResponse(this, answer, new Body.Stream(body.pipe(), pushed.length(), pushed.encoding())));
        try {
            pushed.open().accept(body);
        } catch (RuntimeException e) {
            body.fail(e);
        }
    }

    /// Its writer may wait for the body of the request, which stays.
    private StreamedResponse blocking(BuiltResponse answer, Body.Blocking blocking) {
        request().keepBody();
        if (hasBody(answer)) receiver.sendContinue();
        var writer = hasBody(answer)
                ? BlockingResponse.begin(stream.loop(), "the response to " + this, blocking.writer())
                : NOTHING;
        return new StreamedResponse(this, answer, new Body.Stream(writer, blocking.length(), blocking.encoding()));
    }

    private void respondWith(PendingResponse response) {
        if (!receiver.isRelayed()) leaveBody();
        await(response);
    }

    /// The response comes from elsewhere, and the body of the request goes there.
    private void relay(RelayedResponse relayed) {
        receiver.relayTo(relayed);
        await(relayed);
    }

    /// What comes may want the body, also one that is lent until the handler returns.
    private void await(Body.Later later) {
        request().keepBody();
        await(new DeferredResponse(this, later));
    }

    private void await(PendingResponse response) {
        request().keep();
        pendsOn(response);
        // Code that may leave its call is called in one of its own.
        var _ = go(response);
    }

    /// It is under way, and called when it can go on.
    void pendsOn(PendingResponse response) {
        pending = response;
        if (responseState == ResponseState.NONE) responseState = ResponseState.AWAITED;
    }

    /// @return false when user code has left this call
    private boolean go(PendingResponse response) {
        try {
            return response.goOn();
        } catch (Exception e) {
            // What becomes of other connections is no news here: it happens. Of too much a guard has told.
            if (e instanceof NetException || e instanceof Overflow)
                LOG.log(Level.DEBUG, () -> "the response to " + this + " broke off: " + e);
            else stream.errors().log(LOG, Level.WARNING, "response", () -> "the response to " + this + " broke off", e);
            if (record != null) record.failed(e.toString());
            drop(e instanceof Overflow);
            return true;
        }
    }

    /// What a response waited for is there.
    void answerInstead(Response response) {
        pending = null;
        responseState = ResponseState.NONE;
        answer(response);
    }

    /// The head of a response whose body follows.
    void head(BuiltResponse answer, long length) {
        boolean isAwaited = responseState == ResponseState.NONE || responseState == ResponseState.AWAITED;
        check(isAwaited, "the head of a response", responseState);
        responseState = ResponseState.BEGUN;
        receiver.answering();
        if (record != null) record.responds(answer.status());
        stream.head(answer, length, hasBody(answer));
    }

    /// Another protocol from now on, between the peer and somebody else.
    void upgrade(Upgraded to) {
        check(responseState == ResponseState.AWAITED, "a change of protocol", responseState);
        responseState = ResponseState.TUNNEL;
        if (record != null) record.responds(to.status());
        pending = new PendingResponse() {
            @Override
            public void go() {}

            @Override
            public void breakOff() {
                to.connection().abort();
            }
        };
        stream.upgrade(to);
    }

    /// The response under way is complete.
    void complete() {
        complete(pending == null ? 0 : pending.sent());
    }

    private void complete(long sentBytes) {
        leaveBody();
        if (record != null) record.over(sentBytes);
        end();
        receiver.answering();
        stream.over();
    }

    private void end() {
        if (rate != null) rate.rest();
        pending = null;
        if (request != null) request.expire();
        request = null;
        thrown = null;
        requestState = RequestState.NONE;
        responseState = ResponseState.OVER;
    }

    /// The response under way will never be complete.
    void drop() {
        drop(false);
    }

    private void drop(boolean takesNothing) {
        breakOff(null);
        stream.reset(takesNothing);
    }

    /// Nobody goes on with the exchange, if there is one.
    private void breakOff(@Nullable IOException cause) {
        abortBody();
        var unfinished = pending;
        pending = null;
        if (unfinished != null) unfinished.breakOff();
        if (record != null) record.cut(unfinished == null ? 0 : unfinished.sent(), cause);
        end();
    }

    /// The response begins, and nobody wants the rest of the body.
    private void leaveBody() {
        if (!receiver.isPending()) return;
        stream.leaveBody();
        abortBody();
    }

    private void abortBody() {
        if (requestState == RequestState.BODY) requestState = RequestState.DONE;
        receiver.abort();
    }

    // What both halves and responses under way use.

    ServerStream stream() {
        return stream;
    }

    /// The request; there is one while there is an exchange.
    ReceivedRequest request() {
        var mine = request;
        if (mine == null) throw new IllegalStateException("there is no exchange");
        return mine;
    }

    /// What becomes of the request's body before it is read.
    DecodedBody decoded() {
        return receiver.decoded();
    }

    /// So much of the request's body was read.
    void received(long bytes) {
        if (record != null) record.received(bytes);
    }

    boolean isResponding() {
        return pending != null;
    }

    private RequestState to(RequestState from, RequestState next) {
        check(requestState == from, next, requestState);
        return next;
    }

    private static void check(boolean isInOrder, Object what, Object state) {
        if (!isInOrder) throw new IllegalStateException(what + " in the state " + state + " of an exchange");
    }

    /// What it is about, for a log.
    @Override
    public String toString() {
        var mine = request;
        return mine == null ? "a request" : mine.toString();
    }
}
