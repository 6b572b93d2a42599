package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.SecureCookies;
import io.millrace.http.message.Takeover;
import io.millrace.loop.Failures;
import io.millrace.loop.LoopLog;
import io.millrace.memory.LoopInput;
import io.millrace.net.NetException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One request and its response, as a server sees them in every HTTP version: what gets the body, what answers,
/// and what happens to both when one breaks off. A version calls it as [ServerStream] describes, and may reuse it
/// for the next request.
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

    /// Whether more of a request's body should be passed up.
    public enum Demand {
        /// There is no more of it, or it has no reader yet.
        NONE,
        /// Its reader has no room.
        FULL,
        WANTED
    }

    private final ServerStream stream;
    private final Serving serving;
    /// Made for the first body, or the first response that comes later.
    private @Nullable HeadCalls calls;

    /// Made for the first body.
    private @Nullable BodyReceiver receiver;

    /// If there is a listener.
    private final @Nullable RequestRecord record;

    private RequestState requestState = RequestState.NONE;
    private ResponseState responseState = ResponseState.OVER;
    private @Nullable ReceivedRequest request;

    /// The source of the response, while it is awaited or in progress.
    private @Nullable PendingResponse pending;

    /// The exception of user code, for [ErrorResponses].
    private @Nullable Throwable thrown;

    /// An exchange that has not begun.
    public ServerExchange(ServerStream stream, Serving serving) {
        this.stream = stream;
        this.serving = serving;
        this.record = serving.record(stream::remote, stream.loop().clock());
    }

    // For a version: the request.

    /// A head has arrived. Next is [#handle], if it announces no body, or [#announce].
    public void begin(ReceivedRequest arrived) {
        requestState = to(RequestState.NONE, RequestState.HEAD);
        responseState = ResponseState.NONE;
        request = arrived;
        arrived.servedWith(serving.settings());
        if (record != null) record.begin(arrived, stream.protocol());
    }

    /// There is no body: the handler is called.
    public void handle() {
        requestState = to(RequestState.HEAD, RequestState.DONE);
        answer(call());
    }

    /// A body is to come: it is collected first, or the handler is called. Next is [#whole], if [#takesWhole]
    /// allows it and the whole body is there, or [#follow]; unless the exchange is over.
    ///
    /// @param length in bytes, or [Body#UNKNOWN]
    /// @param awaitsContinue whether the peer waits for `100 Continue` before it sends the body
    /// @return false if the handler has left this call: nothing may be touched any more
    public boolean announce(long length, boolean awaitsContinue) {
        requestState = to(RequestState.HEAD, RequestState.BODY);
        receiver().announce(request(), length, awaitsContinue);
        if (!serving.collectsFirst(length, awaitsContinue)) return callAtHead(request());
        receiver().collect(serving.collecting(request()));
        return true;
    }

    /// Whether the whole body may be passed to [#whole], if it is there.
    public boolean takesWhole() {
        return requestState == RequestState.BODY && receiver().takesWhole();
    }

    /// The whole body is there; it is lent until this returns, and skipped then.
    public void whole(LoopInput body) {
        requestState = to(RequestState.BODY, RequestState.DONE);
        receiver().whole(body);
    }

    /// The body, or the rest of the exchange, follows in other calls.
    public void follow() {
        request().keep();
        receiver().watch();
    }

    /// Whether more of it may be passed to [#body].
    public Demand demand() {
        return requestState == RequestState.BODY ? receiver().demand() : Demand.NONE;
    }

    /// A part of the body; only on demand.
    public void body(Input part) throws Exception {
        check(requestState == RequestState.BODY, "a part of a body", requestState);
        receiver().take(part);
    }

    /// A part was passed, and it was not the last.
    ///
    /// @throws Refusal if there is no memory to collect it
    public void bodyGoesOn() throws Refusal {
        receiver().checkMemory();
        receiver().watch();
    }

    /// The whole body was taken.
    public void bodyEnded(Headers trailers) throws Exception {
        requestState = to(RequestState.BODY, RequestState.DONE);
        receiver().ended(trailers);
        receiver().watch();
    }

    /// What [#body] or [#bodyEnded] threw, or an error in the body's framing.
    public void broke(Exception thrown) {
        switch (thrown) {
            case Refusal refusal -> refuse(refusal, "");
            // Some of a response was written, and nothing can follow it.
            case Overflow _ -> drop(true, null);
            case Exception failed -> bodyFailed(failed);
        }
    }

    /// The request is malformed, or refused; also without [#begin].
    ///
    /// @param line its beginning, for logs, if it was not understood
    public void refuse(Refusal refusal, String line) {
        var why = String.valueOf(refusal.getMessage());
        if (record != null) record.refused(line, why, stream.protocol());
        var guard = refusal.guard();
        if (guard != null) guard.acted(stream.remote(), why);
        else LOG.log(Level.DEBUG, () -> "refused " + stream.remote() + ": " + why);
        stream.refuses();
        if (requestState == RequestState.NONE) responseState = ResponseState.NONE;
        else stream.leaveBody();
        refuse(refusal.status());
    }

    /// Answers with an error, unless a response has begun.
    private void refuse(int status) {
        if (pending != null && responseState == ResponseState.AWAITED) takeBack(pending);
        if (pending != null || responseState != ResponseState.NONE) {
            drop();
            return;
        }
        abortBody();
        answer(failed(status));
    }

    /// A later response has not begun, and is no longer wanted.
    private void takeBack(PendingResponse awaited) {
        pending = null;
        responseState = ResponseState.NONE;
        abortBody();
        awaited.breakOff();
    }

    /// A call of this threw, which was logged: nothing of the exchange is kept but what has been sent.
    public void threw(Throwable thrown) {
        if (record != null) record.failed(thrown.toString());
        this.thrown = thrown;
        stream.leaveBody();
        refuse(500);
    }

    /// There is room again, or what the response waits for has happened.
    ///
    /// @return false if user code has left this call: nothing may be touched any more
    public boolean goOn() {
        if (receiver != null && receiver.isTooSlow()) {
            if (record != null) record.failed("its body arrives too slowly");
            drop();
            return true;
        }
        if (receiver != null) receiver.goOn();
        if (pending != null && !go(pending)) return false;
        if (receiver != null) receiver.watch();
        return true;
    }

    /// The peer has given it up, or its stream has ended.
    public void reset(@Nullable IOException cause) {
        breakOff(cause);
        close();
    }

    /// It is over, and no other begins on its stream: nothing keeps it any more. On the loop.
    public void close() {
        if (receiver != null) receiver.close();
    }

    /// The peer's end belongs to the tunnel from now on, which may live for long: nothing of the request is kept
    /// for it.
    ///
    /// @return told of its end
    public Takeover.Ending tunnelBegins() {
        request = null;
        pending = null;
        return record == null ? (_, _, _) -> {} : record::tunnelled;
    }

    /// Whether its response goes on for ever, unless the peer or the server ends it.
    public boolean isEndless() {
        return pending instanceof EventResponse;
    }

    /// Whether there is a listener.
    public boolean isRecorded() {
        return record != null;
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
        return calls().answerWith(() -> serving.handler().handle(asked));
    }

    /// The response to an exception of user code.
    Response failure(Throwable thrown) {
        var cause = Failures.bare(thrown);
        if (record != null) record.failed(cause.toString());
        this.thrown = cause;
        if (cause instanceof HttpError error) return failed(error.status());
        if (cause instanceof InterruptedException) Thread.currentThread().interrupt();
        stream.errors().log(LOG, Level.WARNING, "handler", () -> "the handler of " + this + " threw", cause);
        return failed(500);
    }

    /// An error response, after the filters in front of the failed code.
    private Response failed(int status) {
        var answer = Response.status(status);
        try {
            return request == null ? answer : request.failed(answer);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a filter failed on an error response", e);
            return answer;
        }
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
        var answer = ours(shown(tunnelOrNot(written(BuiltResponse.from(response)))));
        if (answer.isLast()) stream.endKeepAlive();
        if (answer.content() instanceof Body.Whole whole) answerWhole(answer, whole.bytes());
        else PartialAnswer.begin(this, answer);
    }

    /// If a value cannot be written as JSON, nothing of it is sent.
    private BuiltResponse written(BuiltResponse answer) {
        if (!(answer.content() instanceof Body.Json)) return answer;
        try {
            return answer.written(serving.settings().json());
        } catch (RuntimeException e) {
            return BuiltResponse.from(failure(e));
        }
    }

    private BuiltResponse shown(BuiltResponse answer) {
        return answer.isPhrase() ? serving.shown(answer, request, thrown) : answer;
    }

    /// A handler that does not support tunnels must not seem to have opened one (RFC 9110 section 9.3.6).
    private BuiltResponse tunnelOrNot(BuiltResponse answer) {
        if (answer.status() >= 300 || answer.isToCome() || request == null) return answer;
        if (!request.method().equals("CONNECT") && !stream.asksTunnel()) return answer;
        answer.discard();
        return NO_TUNNEL;
    }

    /// Over TLS, cookies set by the application are secure.
    private BuiltResponse ours(BuiltResponse answer) {
        boolean isSecure = request != null && request.isSecure() && !answer.isReceived();
        return isSecure ? SecureCookies.in(answer) : answer;
    }

    private void answerWhole(BuiltResponse answer, Bytes bytes) {
        leaveBody();
        boolean hasBody = hasBody(answer);
        stream.answer(answer, bytes, hasBody);
        if (record != null) {
            record.responds(answer.status());
            if (bytes.length() == 0) record.ends(answer.headers());
        }
        complete(hasBody ? bytes.length() : 0);
    }

    /// RFC 9110 section 6.4.1.
    boolean hasBody(BuiltResponse answer) {
        return !stream.isHead() && answer.status() != 204 && answer.status() != 304;
    }

    /// The rest of the response comes from this source.
    void await(PendingResponse response) {
        request().keep();
        pendsOn(response);
        // Code that may leave its call is called in one of its own.
        var _ = go(response);
    }

    /// The response is in progress, and called when it can go on.
    void pendsOn(PendingResponse response) {
        pending = response;
        if (responseState == ResponseState.NONE) responseState = ResponseState.AWAITED;
    }

    /// @return false when user code has left this call
    private boolean go(PendingResponse response) {
        try {
            return response.goOn();
        } catch (Exception e) {
            // Failures of other connections are usual, and not logged. An overflow was reported by its guard.
            if (e instanceof NetException || e instanceof Overflow)
                LOG.log(Level.DEBUG, () -> "the response to " + this + " broke off: " + e);
            else stream.errors().log(LOG, Level.WARNING, "response", () -> "the response to " + this + " broke off", e);
            if (record != null) record.failed(e.toString());
            drop(e instanceof Overflow, e instanceof NetException cut ? cut : null);
            return true;
        }
    }

    /// The response that another one waited for.
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
        if (receiver != null) receiver.answering();
        if (record != null) record.responds(answer.status());
        stream.head(answer, length, hasBody(answer));
    }

    /// The body of a response has ended.
    void trailers(Headers fields) {
        if (record != null && fields.size() > 0) record.ends(fields);
    }

    /// Another protocol from now on, or a tunnel.
    void upgrade(Takeover to) {
        check(responseState == ResponseState.AWAITED, "a change of protocol", responseState);
        responseState = ResponseState.TUNNEL;
        if (record != null) record.responds(to.status());
        pending = new PendingResponse() {
            @Override
            public void go() {}

            @Override
            public void breakOff() {
                to.abort();
            }
        };
        stream.upgrade(to);
    }

    /// The current response is complete.
    void complete() {
        complete(pending == null ? 0 : pending.sent());
    }

    private void complete(long sentBytes) {
        leaveBody();
        if (record != null) record.over(sentBytes);
        end();
        if (receiver != null) receiver.answering();
        stream.over();
    }

    private void end() {
        if (receiver != null) receiver.rest();
        pending = null;
        if (request != null) request.expire();
        request = null;
        thrown = null;
        requestState = RequestState.NONE;
        responseState = ResponseState.OVER;
    }

    /// The current response will never be complete.
    void drop() {
        drop(false, null);
    }

    /// @param cause of another connection, or null
    private void drop(boolean takesNothing, @Nullable IOException cause) {
        breakOff(null);
        stream.reset(takesNothing, cause);
    }

    /// Ends the exchange, if there is one.
    private void breakOff(@Nullable IOException cause) {
        abortBody();
        var unfinished = pending;
        pending = null;
        if (unfinished != null) unfinished.breakOff();
        if (record != null) record.cut(unfinished == null ? 0 : unfinished.sent(), cause);
        end();
    }

    /// The response begins, and the rest of the body is wanted only if it is relayed.
    void leaveBodyUnlessRelayed() {
        if (receiver == null || !receiver.isRelayed()) leaveBody();
    }

    /// The response begins, and the rest of the body is not wanted.
    private void leaveBody() {
        if (!isBodyPending()) return;
        stream.leaveBody();
        abortBody();
    }

    private void abortBody() {
        if (requestState == RequestState.BODY) requestState = RequestState.DONE;
        if (receiver != null) receiver.abort();
    }

    // For both halves and for pending responses.

    ServerStream stream() {
        return stream;
    }

    /// The request; only during an exchange.
    ReceivedRequest request() {
        var mine = request;
        if (mine == null) throw new IllegalStateException("there is no exchange");
        return mine;
    }

    HeadCalls calls() {
        var made = calls;
        if (made == null) calls = made = new HeadCalls(this, stream);
        return made;
    }

    BodyReceiver receiver() {
        var mine = receiver;
        if (mine == null) receiver = mine = new BodyReceiver(this, stream, serving.limits());
        return mine;
    }

    /// Whether some of the request's body may be still to come.
    boolean isBodyPending() {
        return receiver != null && receiver.isPending();
    }

    /// Decodes the request's body before it is read.
    DecodedBody decoded() {
        return receiver().decoded();
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

    /// For logs.
    @Override
    public String toString() {
        var mine = request;
        return mine == null ? "a request" : mine.toString();
    }
}
