package io.millrace.proxy;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.grammar.Grpc;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.ReceivedHeaders;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.http.pool.Call;
import io.millrace.net.NetException;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One attempt at one backend. On the loop of its connection, except for the beginning.
final class BackendAttempt implements UpgradeReader<Boolean> {
    /// Of a body that an error page has replaced; a longer one ends with its connection.
    private static final long MOST_DROPPED_BYTES = 64 << 10;

    private final Backend backend;

    /// The number of the attempt, from 1.
    private final int number;

    private final ProxiedRequest asked;
    private final long beganNanos;
    private final Call<Boolean> call;
    private @Nullable BodyPipe body;

    /// While its body is collected.
    private @Nullable Response collecting;

    private long collectedBytes;
    private Headers answered = Headers.EMPTY;
    private Headers trailers = Headers.EMPTY;
    private int status;

    /// The status of gRPC in the head, which is all of the response then.
    private int callStatus = Grpc.NONE;

    private @Nullable Upgraded upgraded;
    private boolean isOver;

    /// The client gets the response.
    private boolean hasAnswered;

    /// The backend's response is not for the client: another backend is tried.
    private boolean isRejected;

    /// The client left in the middle of the response.
    private boolean isUnwanted;

    /// The client gets another response in place of this one.
    private boolean isReplaced;

    /// It was not asked for a change of protocol, because it offers none.
    private boolean offersNoUpgrade;

    private final boolean needsNew;

    BackendAttempt(ProxiedRequest asked, Backend backend, int number) {
        this.asked = asked;
        this.backend = backend;
        this.number = number;
        this.needsNew = asked.needsNewConnection();
        this.beganNanos = asked.loop().nowNanos();
        this.call = asked.call(this);
    }

    Backend backend() {
        return backend;
    }

    int number() {
        return number;
    }

    void begin() {
        var _ = call.begin().whenComplete((_, failure) -> over(failure));
    }

    void abandon() {
        // Without a loop there is nothing to abort except the body.
        if (!call.execute(this::drop)) drop();
    }

    private void drop() {
        call.giveUp();
        if (body != null) body.onClose();
        if (upgraded != null) upgraded.end().abort();
    }

    @Override
    public Optional<Handshake> handshake() {
        return asked.handshake();
    }

    @Override
    public boolean wantsNewConnection() {
        return needsNew;
    }

    @Override
    public void onNoUpgrade() {
        offersNoUpgrade = true;
    }

    @Override
    public void onUpgrade(Upgraded to) {
        status = 101;
        asked.because("");
        upgraded = to;
        long now = asked.loop().nowNanos();
        asked.tookNanos(now - beganNanos);
        backend.counted(Outcome.SUCCESS, status, now - beganNanos, now);
        if (asked.isAbandoned()) to.end().abort();
        else if (asked.takesPlaces()) asked.upgrade(to, asked.named(to.headers(), backend));
        else {
            to.end().abort();
            asked.answerInstead(ProxiedRequest.unavailable());
        }
    }

    @Override
    public void onInterim(Response head) {
        asked.relay().interim(head.status(), asked.upstream().forwarding().response(head.headers()));
    }

    @Override
    public void onHead(Response head) {
        status = head.status();
        asked.because("");
        asked.tookNanos(asked.loop().nowNanos() - beganNanos);
        answered = head.headers();
        isRejected = isToBeTried() && asked.hasRoomElsewhere() && asked.takeRetry();
        if (isRejected) {
            call.giveUp();
            return;
        }
        var fields = asked.named(asked.upstream().forwarding().response(answered), backend);
        boolean isBodiless = status == 204 || status == 304;
        if (isBodiless) {
            respond(BuiltResponse.of(status, fields, Body.Whole.NONE));
            return;
        }
        var length = ReceivedHeaders.contentLength(answered);
        var passed = new BodyPipe(call.loop(), this::room);
        body = passed;
        if (asked.isAbandoned()) passed.onClose();
        var response = BuiltResponse.of(status, fields, new Body.Stream(passed, length));
        boolean isCollected = asked.upstream().collectedBytes() > 0 && !asked.isCall();
        if (!isCollected && callStatus == Grpc.NONE) respond(response);
        else collecting = response;
    }

    /// What the client gets of a rejected response if no other backend takes the request after all: its status, and
    /// of a call all of it.
    Response rejected() {
        var fields = asked.named(asked.upstream().forwarding().response(answered), backend);
        if (callStatus != Grpc.NONE) return BuiltResponse.of(status, fields, Body.Whole.NONE);
        var plain = Response.status(status);
        return fields.first("Retry-After")
                .map(after -> plain.setHeader("Retry-After", after))
                .orElse(plain);
    }

    /// Whether its status causes another attempt, if one is possible.
    private boolean isToBeTried() {
        var retries = asked.upstream().retries();
        callStatus =
                asked.isCall() ? answered.first(Grpc.STATUS).map(Grpc::status).orElse(Grpc.NONE) : Grpc.NONE;
        // A call that failed without a part of an answer is repeated whatever it does: its conditions are there for
        // nothing else.
        if (retries.isOnCall(callStatus))
            return asked.mayTryAfter(number) && !asked.body().isGone();
        return retries.isOn(status) && mayTryAgain();
    }

    private void respond(Response response) {
        hasAnswered = true;
        asked.body().forget();
        asked.relay().respond(response);
    }

    /// The client takes more, or has stopped taking.
    private void room() {
        call.execute(() -> {
            if (isOver) return;
            var to = body;
            boolean isClosed = to != null && to.isClosed();
            isReplaced = to != null && isClosed && to.isLeft();
            isUnwanted = isClosed && !isReplaced && !asked.isHead();
            if (isUnwanted || isTooLongToDrop()) call.giveUp();
            else call.resume();
        });
    }

    /// The rest of a short body arrives before a new connection would be made.
    private boolean isTooLongToDrop() {
        return isReplaced && collectedBytes > MOST_DROPPED_BYTES;
    }

    @Override
    public void onBody(Input part) {
        var to = body;
        if (to == null) return;
        collectedBytes += part.remaining();
        to.put(part, call.loop().pool());
        if (isTooLongToDrop()) {
            call.giveUp();
            return;
        }
        if (collectedBytes > asked.upstream().collectedBytes()) pass();
        if (collecting == null && to.isFull()) call.pause();
    }

    private void pass() {
        var response = collecting;
        collecting = null;
        if (response != null) respond(response);
    }

    @Override
    public void onTrailers(Headers behind) {
        trailers = HopByHop.trailers(behind, answered, List.of());
    }

    @Override
    public Boolean onEnd() {
        // Before the client's side can end, too.
        asked.tookNanos(asked.loop().nowNanos() - beganNanos);
        if (body != null) body.end(trailers);
        if (callStatus != Grpc.NONE && collecting != null && collectedBytes == 0 && trailers.size() == 0) endWithHead();
        pass();
        return true;
    }

    /// The head of a call that failed at once has its status, and is the end for its client, too.
    private void endWithHead() {
        var only = collecting;
        if (only != null) collecting = BuiltResponse.of(status, only.headers(), Body.Whole.NONE);
        body = null;
    }

    private void over(@Nullable Throwable failure) {
        isOver = true;
        if (upgraded != null) backend.left();
        else if (failure != null) new FailedAttempt(asked, this, failure).conclude();
        else complete();
    }

    private void complete() {
        ended(ofStatus());
        asked.body().close();
    }

    /// Reports the result to the backend.
    void ended(Outcome outcome) {
        long now = asked.loop().nowNanos();
        backend.ended(outcome, status, now - beganNanos, now);
    }

    /// Reports that no connection could be made.
    void unreachable(String why) {
        backend.unreachable(why, asked.loop().nowNanos());
    }

    /// Reports that the backend was spoken to in the wrong version.
    void wantsHttp2() {
        backend.wantsHttp2(asked.loop().nowNanos());
    }

    /// The result of a complete response.
    Outcome ofStatus() {
        return asked.upstream().backends().health().ejectsOn(status) ? Outcome.ERROR_STATUS : Outcome.SUCCESS;
    }

    /// Whether another backend may be tried.
    boolean mayTryAgain() {
        if (!asked.mayTryAfter(number) || asked.body().isGone()) return false;
        return !call.wasSent() || call.wasRefused() || asked.isIdempotent();
    }

    // For the thread that concludes it.

    Call<Boolean> call() {
        return call;
    }

    boolean offersNoUpgrade() {
        return offersNoUpgrade;
    }

    boolean isRejected() {
        return isRejected;
    }

    boolean isReplaced() {
        return isReplaced;
    }

    boolean isUnwanted() {
        return isUnwanted;
    }

    /// Whether the client has received some of the response.
    boolean hasAnswered() {
        return hasAnswered;
    }

    /// The rest of the response will not come.
    void failBody(NetException cause) {
        if (body == null) return;
        body.fail(cause);
        if (!hasAnswered()) body.onClose();
    }

    /// Without the query, which may contain secrets.
    @Override
    public String toString() {
        return asked + " at " + backend;
    }

    /// The body of a client's request, for one attempt: if nothing of it was taken, or all of that was kept, it can go
    /// to another backend.
    ///
    /// @param passedTrailers makes the trailers for the backend from the client's
    record AttemptBody(BodyPipe pipe, boolean mayHaveTrailers, UnaryOperator<Headers> passedTrailers)
            implements SuspendableWriter {
        @Override
        public void opened(Runnable news) {
            pipe.opened(news);
        }

        @Override
        public boolean write(Output out) throws IOException {
            return pipe.write(out);
        }

        @Override
        public Headers trailers() {
            return passedTrailers.apply(pipe.trailers());
        }

        @Override
        public void onClose() {
            pipe.refuse();
        }
    }
}
