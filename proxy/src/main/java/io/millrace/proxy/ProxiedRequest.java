package io.millrace.proxy;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.ReceivedHeaders;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.http.message.Upload;
import io.millrace.http.pool.Call;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.loop.LoopLog;
import io.millrace.net.NetException;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.proxy.operation.TraceParent;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.NoBackend;
import io.millrace.proxy.upstream.Outcome;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One request of a client and what becomes of it: attempts at one backend after the other, until one has begun
/// to answer, or nobody is left.
///
/// ```
///   choose ──► ATTEMPT ── head of a response ──► PASSING ── end ──► done
///     ▲           │                                 └── failure ──► the client's connection is cut
///     └── again ──┤ may be sent again
///                 └── may not ──► 502, 503, 504
/// ```
/// Attempts follow each other, each on the loop of its connection.
final class ProxiedRequest {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");
    private static final Set<String> EXPECT_BODY = Set.of("POST", "PUT", "PATCH");

    /// Sections 9.2.2 of RFC 9110.
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private final Upstream.Running upstream;
    private final Request request;

    /// As a peer sent it; empty for one that was made here.
    private final Optional<ReceivedRequest> received;

    private final EventLoop loop;
    private final String method;
    private final String path;
    private final long key;
    private final Relay relay;
    private final long bufferBytes;
    private final long mostBytes;

    /// The body, if all of it is there; empty otherwise. Set before the first attempt, like what follows.
    private Bytes whole;

    /// The body as it arrives.
    private Optional<BodyPipe> streamed;

    private boolean expectsContinue;

    /// The change of protocol that the client asks for.
    private final Optional<Handshake> handshake;

    /// Makes of the fields behind the client's body those that the backend gets.
    private final UnaryOperator<Headers> passedTrailers;

    private final TraceParent trace;
    private final List<Backend> tried = new ArrayList<>(1);

    /// The client has gone.
    private volatile boolean isAbandoned;

    private volatile @Nullable Attempt current;

    /// Why there is no response, or not all of it, in words for a log.
    private volatile String reason = "";

    /// What the client gets if no other attempt follows the last one.
    private volatile @Nullable Response lastResort;

    /// When the whole exchange has to be over; 0 for never.
    private final long endNanos;

    /// A kept connection turned out to be closed: the next attempt gets one of its own.
    private volatile boolean needsNewConnection;

    ProxiedRequest(Upstream.Running upstream, EventLoop loop, Request request, RequestBodies bodies) {
        this.upstream = upstream;
        this.bufferBytes = upstream.bufferBytes(bodies);
        this.mostBytes = bodies.mostBytes();
        this.request = request;
        this.loop = loop;
        this.method = request.method();
        this.path = request.path();
        this.key = upstream.keyOf(request);
        this.received = ReceivedRequest.behind(request);
        this.streamed = streamed();
        this.whole = streamed.isPresent() ? Bytes.EMPTY : wholeBody(request);
        this.expectsContinue = streamed.isPresent()
                && !received.orElseThrow().isOld()
                && request.header("Expect").isPresent();
        boolean mayHaveTrailers = streamed.isPresent() && receivedLength() == Body.UNKNOWN;
        this.passedTrailers = mayHaveTrailers ? upstream.forwarding().trailers(request) : UnaryOperator.identity();
        this.handshake = Upgrades.askedFor(request);
        this.relay = new Relay(streamed, this::abandoned);
        this.trace = upstream.forwarding().trace(request);
        this.endNanos = upstream.wholeNanos() == 0 ? 0 : loop.nowNanos() + upstream.wholeNanos();
        received.ifPresent(it -> it.passedOnBy(this));
    }

    private Optional<BodyPipe> streamed() {
        return received.filter(ReceivedRequest::isBodyToCome).map(it -> new BodyPipe(loop, it::wake));
    }

    private static Bytes wholeBody(Request from) {
        var body = from.body();
        return body.isEmpty() ? Bytes.EMPTY : body.readBytes(body.remaining());
    }

    /// The response, which is to come. By the thread that handles the request.
    Response begin() {
        if (bodyLength() > mostBytes) return tooLarge();
        upstream.backends().retries().asked();
        // So may a virtual thread be that has to wait.
        boolean isElsewhere = !upstream.isWithClient()
                || !loop.inLoop()
                || Thread.currentThread().isVirtual();
        // Another thread may make the next attempt before this one is back, and its head is not there for long.
        if (isElsewhere) received.ifPresent(ReceivedRequest::keep);
        streamed.ifPresent(body -> body.limit(mostBytes, this::tooLong));
        if (!mayBuffer()) goOn();
        else streamed.orElseThrow().collect(bufferBytes, this::buffered);
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    /// Whether its body may be short enough to be kept, until an attempt begins and for the next one.
    private boolean mayBuffer() {
        if (streamed.isEmpty() || bufferBytes == 0 || bodyLength() > bufferBytes) return false;
        received.ifPresent(ReceivedRequest::keep);
        return true;
    }

    /// As far as the head tells; 0 for one in chunks.
    private long bodyLength() {
        return streamed.isEmpty() ? whole.length() : Math.max(0, receivedLength());
    }

    /// Of the body that arrives; or [Body#UNKNOWN].
    private long receivedLength() {
        return received.orElseThrow().bodyLength();
    }

    private Response tooLarge() {
        reason = "a body of more than " + mostBytes + " bytes";
        Guard.HTTP_BODY.acted(request.remote(), reason);
        return Response.status(413);
    }

    /// It says so only now.
    private void tooLong() {
        relay.respond(tooLarge());
        isAbandoned = true;
        var attempt = current;
        if (attempt != null) attempt.abandon();
    }

    /// All of the body is there, or more than is kept.
    private void buffered() {
        var all = streamed.flatMap(BodyPipe::takeWhole);
        if (all.isPresent()) {
            whole = all.get();
            streamed = Optional.empty();
            expectsContinue = false;
        }
        goOn();
    }

    private void goOn() {
        long now = loop.nowNanos();
        if (isLate(now)) {
            answerInstead(Response.status(504));
            return;
        }
        var backends = upstream.backends();
        var chosen = backends.choose(key, tried, now);
        while (chosen != null && !chosen.began()) {
            tried.add(chosen);
            chosen = backends.choose(key, tried, now);
        }
        if (chosen == null) {
            noBackend(backends.noBackend(tried));
            return;
        }
        tried.add(chosen);
        Attempt attempt;
        try {
            attempt = new Attempt(chosen, attempts() + 1);
        } catch (IllegalStateException e) {
            chosen.ended(Outcome.ABANDONED, 0, now);
            // The client has gone this moment, and what it asked for is not there any more.
            if (isAbandoned) return;
            throw e;
        }
        current = attempt;
        attempt.begin();
        if (isAbandoned) attempt.abandon();
    }

    private boolean isLate(long now) {
        return endNanos != 0 && now - endNanos >= 0;
    }

    private void noBackend(NoBackend why) {
        var known = lastResort;
        if (known != null) {
            answerInstead(known);
            return;
        }
        LOG.log(Level.DEBUG, () -> this + " is answered with 503: " + upstream.backends() + ": " + why.reason());
        reason = why.reason();
        answerInstead(unavailable());
    }

    private void answerInstead(Response response) {
        relay.respond(response);
        closeBody();
    }

    private static Response unavailable() {
        return Response.status(503).setHeader("Retry-After", "1");
    }

    private static Response instead(Outcome outcome, Throwable failure) {
        return switch (failure) {
            // Without the rest of its request.
            case TimedOut _ when outcome == Outcome.ABANDONED -> Response.status(408);
            case TimedOut _ -> Response.status(504);
            case Overloaded _ -> unavailable();
            // Nobody has got it: it may be sent again as it is.
            default -> outcome == Outcome.NOT_CONNECTED ? unavailable() : Response.status(502);
        };
    }

    /// The client has gone before the response began.
    private void abandoned() {
        isAbandoned = true;
        if (reason.isEmpty()) reason = "the client has gone";
        var attempt = current;
        if (attempt != null) attempt.abandon();
        closeBody();
    }

    // For those who hear of its end.

    Backends backends() {
        return upstream.backends();
    }

    /// The one that was asked last; empty when nobody was.
    Optional<Backend> backend() {
        var last = current;
        return last == null ? Optional.empty() : Optional.of(last.backend);
    }

    int attempts() {
        var last = current;
        return last == null ? 0 : last.number;
    }

    String reason() {
        return reason;
    }

    TraceParent trace() {
        return trace;
    }

    private void closeBody() {
        streamed.ifPresent(BodyPipe::onClose);
    }

    private OutgoingRequest outgoing(Backend backend, Object name) {
        var authority = backend.authority();
        var upload = upload();
        upload.ifPresent(Upload::begin);
        var upgrade = handshake.isPresent() ? Handshake.WEBSOCKET : "";
        var head = upstream.forwarding().head(request, authority, length(), expectsContinue, upgrade, trace);
        return OutgoingRequest.passing(head, name, whole, upload);
    }

    /// For [OutgoingHead#body].
    private long length() {
        if (streamed.isPresent()) return receivedLength();
        boolean isSilent = whole.length() == 0 && !EXPECT_BODY.contains(method);
        return isSilent ? OutgoingHead.NO_BODY : whole.length();
    }

    private Optional<Upload> upload() {
        if (streamed.isEmpty()) return Optional.empty();
        var body = new AttemptBody(streamed.get(), passedTrailers);
        return Optional.of(Upload.of(body, receivedLength()));
    }

    /// A backend has been asked. On the loop of its connection, but for the beginning.
    private final class Attempt implements UpgradeReader<Boolean> {
        private final Backend backend;

        /// Counted from 1.
        private final int number;

        private final long beganNanos = loop.nowNanos();
        private final Call<Boolean> call;
        private @Nullable BodyPipe body;

        /// Until enough of its body was collected.
        private @Nullable Response collecting;

        private long collectedBytes;
        private Headers answered = Headers.EMPTY;
        private Headers trailers = Headers.EMPTY;
        private int status;
        private @Nullable Upgraded upgraded;
        private boolean isOver;

        /// What the backend answers is no answer for the client: somebody else is asked.
        private boolean isRejected;

        /// The client has gone in the middle of the response.
        private boolean isUnwanted;

        private final boolean needsNew = needsNewConnection;

        Attempt(Backend backend, int number) {
            this.backend = backend;
            this.number = number;
            var to = upstream.destination(backend, request);
            var where = upstream.isWithClient() ? loop : null;
            long left = endNanos == 0 ? 0 : Math.max(1, endNanos - beganNanos);
            this.call = upstream.pools().call(outgoing(backend, this), to, where, this, left);
        }

        void begin() {
            var _ = call.begin().whenComplete((_, failure) -> over(failure));
        }

        void abandon() {
            // Without a loop nothing is left to give up, but for what was to be passed on.
            if (!call.execute(this::drop)) drop();
        }

        private void drop() {
            call.giveUp();
            if (body != null) body.onClose();
            if (upgraded != null) upgraded.connection().abort();
        }

        @Override
        public Optional<Handshake> handshake() {
            return handshake;
        }

        @Override
        public boolean wantsNewConnection() {
            return needsNew;
        }

        @Override
        public void onUpgrade(Upgraded to) {
            status = 101;
            because("");
            upgraded = to;
            long now = loop.nowNanos();
            backend.counted(Outcome.SUCCESS, status, now - beganNanos, now);
            to.connection().idleTimeout(upstream.idleTimeout());
            if (isAbandoned) to.connection().abort();
            else relay.upgrade(to);
        }

        @Override
        public void onInterim(Response head) {
            relay.interim(head.status(), upstream.forwarding().response(head.headers()));
        }

        @Override
        public void onHead(Response head) {
            status = head.status();
            because("");
            answered = head.headers();
            isRejected = Retry.isOn(upstream.retries(), status) && mayTryAgain() && hasOthers() && takeRetry();
            if (isRejected) {
                call.giveUp();
                return;
            }
            var fields = upstream.forwarding().response(answered);
            boolean isBodiless = status == 204 || status == 304;
            if (isBodiless) {
                relay.respond(BuiltResponse.of(status, Body.NONE).with(fields, Body.NONE));
                return;
            }
            var length = ReceivedHeaders.contentLength(answered);
            var passed = new BodyPipe(call.loop(), this::room);
            body = passed;
            if (isAbandoned) passed.onClose();
            var response = BuiltResponse.of(status, Body.NONE).with(fields, new Body.Stream(passed, length));
            if (upstream.collectedBytes() == 0) relay.respond(response);
            else collecting = response;
        }

        /// The client takes more, or no more at all.
        private void room() {
            call.execute(() -> {
                if (isOver) return;
                isUnwanted = body != null && body.isClosed() && !method.equals("HEAD");
                if (isUnwanted) call.giveUp();
                else call.resume();
            });
        }

        @Override
        public void onBody(Input part) {
            var to = body;
            if (to == null) return;
            collectedBytes += part.remaining();
            to.put(part, call.loop().pool());
            if (collectedBytes > upstream.collectedBytes()) pass();
            if (collecting == null && to.isFull()) call.pause();
        }

        private void pass() {
            var response = collecting;
            collecting = null;
            if (response != null) relay.respond(response);
        }

        @Override
        public void onTrailers(Headers behind) {
            trailers = HopByHop.trailers(behind, answered, List.of());
        }

        @Override
        public Boolean onEnd() {
            if (body != null) body.end(trailers);
            pass();
            return true;
        }

        private void over(@Nullable Throwable failure) {
            isOver = true;
            if (upgraded != null) {
                backend.left();
                return;
            }
            long now = loop.nowNanos();
            var outcome = failure == null ? outcome(status) : outcome(failure);
            backend.ended(outcome, status, now - beganNanos, now);
            if (failure == null) {
                closeBody();
                return;
            }
            because(isUnwanted ? "the client has gone" : outcome + ": " + failure.getMessage());
            LOG.log(Level.DEBUG, () -> this + " failed: " + failure);
            var response = instead(outcome, failure);
            lastResort = response;
            if (body != null) body.fail(failure instanceof NetException cut ? cut : new Reset(failure.toString()));
            boolean hasAnswered = status > 0 && collecting == null && !isRejected;
            if (!hasAnswered && body != null) body.onClose();
            if (outcome == Outcome.STALE) {
                needsNewConnection = true;
                // It may have gone altogether, so somebody else is better.
                if (!hasOthers()) tried.remove(backend);
            }
            if (hasAnswered) closeBody();
            else if (isRejected && !isAbandoned) goOn();
            else if (isFull(failure) && number < upstream.retries().attempts() && hasOthers()) goOn();
            else if (Retry.isOn(upstream.retries(), outcome) && mayTryAgain() && takeRetry()) goOn();
            else answerInstead(response);
        }

        private boolean takeRetry() {
            return upstream.backends().retries().take(loop.nowNanos());
        }

        /// What the last attempt came to is what counts.
        private void because(String what) {
            if (!isAbandoned && !reason.equals(what)) reason = what;
        }

        private boolean mayTryAgain() {
            if (isAbandoned || number >= upstream.retries().attempts() || isLate(loop.nowNanos())) return false;
            if (streamed.isPresent() && streamed.get().isWanted()) return false;
            return !call.wasSent() || IDEMPOTENT.contains(method);
        }

        /// So many wait for a connection to it, or the system has none left: it costs no backend anything to ask
        /// another.
        private boolean isFull(Throwable failure) {
            return failure instanceof Overloaded && !call.wasSent() && !isAbandoned;
        }

        private boolean hasOthers() {
            return upstream.backends().noBackend(tried) == NoBackend.ALL_BUSY;
        }

        private Outcome outcome(Throwable failure) {
            if (isRejected) return outcome(status);
            if (isAbandoned || isUnwanted || failure instanceof Overloaded) return Outcome.ABANDONED;
            if (streamed.isPresent() && streamed.get().hasFailed()) return Outcome.ABANDONED;
            if (!call.wasSent()) return Outcome.NOT_CONNECTED;
            return switch (failure) {
                case TimedOut _ -> call.wasServersTurn() ? Outcome.TIMED_OUT : Outcome.ABANDONED;
                case ProtocolError _ -> Outcome.BAD_RESPONSE;
                default -> call.wasStale() ? Outcome.STALE : Outcome.RESET;
            };
        }

        private Outcome outcome(int status) {
            return upstream.backends().health().ejectsOn(status) ? Outcome.ERROR_STATUS : Outcome.SUCCESS;
        }

        /// Without a query, which may hold secrets.
        @Override
        public String toString() {
            return ProxiedRequest.this + " at " + backend;
        }
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
