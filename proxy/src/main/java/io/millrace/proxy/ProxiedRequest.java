package io.millrace.proxy;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.Grpc;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.TunnelLimit;
import io.millrace.http.message.Upgraded;
import io.millrace.http.pool.Call;
import io.millrace.http.ws.WsCodes;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.net.Reset;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.NoBackend;
import io.millrace.proxy.upstream.Outcome;
import io.millrace.proxy.websocket.ProxiedSocket;
import io.millrace.proxy.websocket.ProxiedSocket.SocketRules;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One client request: attempts at one backend after the other, until one begins a response, or none is
/// left.
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

    /// Section 9.2.2 of RFC 9110.
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    /// The least that is kept of a call's body for the next attempt.
    private static final long CALL_BYTES = 16 << 10;

    private final Upstream.Running upstream;
    private final Request request;

    /// The request as the peer sent it; null if it was made here.
    private final @Nullable ReceivedRequest received;

    private final EventLoop loop;
    private final String method;
    private final String path;
    private final long key;

    /// The backend that the client's cookie names.
    private final @Nullable Backend wanted;

    private final Relay relay;
    private final long bufferBytes;
    private final long mostBytes;
    private final ClientBody body;

    /// The protocol upgrade that the client asks for.
    private final Optional<Handshake> handshake;

    /// How the WebSocket has ended that it became, as a text for a log.
    private volatile String closed = "";

    private final boolean isCall;
    private final TraceParent trace;
    private final List<Backend> tried = new ArrayList<>(1);

    /// The client left.
    private volatile boolean isAbandoned;

    private volatile @Nullable BackendAttempt current;

    /// Why there is no whole response, as a text for a log.
    private volatile String reason = "";

    /// The client's response if no other attempt follows the last one.
    private volatile @Nullable Response lastResort;

    /// How long the last attempt has taken, as far as there is a response of it.
    private volatile long backendNanos;

    /// When the whole exchange has to end; 0 for no limit.
    private final long endNanos;

    /// An idle connection turned out to be closed: the next attempt gets a new one.
    private volatile boolean needsNewConnection;

    ProxiedRequest(Upstream.Running upstream, EventLoop loop, Request request, RequestBodies bodies) {
        this.upstream = upstream;
        this.bufferBytes = upstream.bufferBytes(bodies);
        this.mostBytes = bodies.maxSizeBytes();
        this.request = request;
        this.loop = loop;
        this.method = request.method();
        this.path = request.path();
        this.key = upstream.keyOf(request);
        this.wanted = upstream.sticky()
                .map(sticky -> sticky.wanted(request, upstream.backends()))
                .orElse(null);
        this.received = ReceivedRequest.behind(request);
        this.body = ClientBody.of(request, received, loop, upstream.forwarding());
        this.handshake = Upgrades.askedFor(request);
        this.isCall = method.equals(Grpc.METHOD) && Grpc.isCall(request.header("Content-Type"));
        if (isCall && upstream.sharesConnections()) body.pausing();
        this.relay = new Relay(body.arriving(), this::abandoned);
        this.trace = upstream.forwarding().trace(request, loop.luck());
        this.endNanos = upstream.wholeNanos() == 0 ? 0 : loop.nowNanos() + upstream.wholeNanos();
        if (received == null) return;
        received.passedOnBy(this);
        received.relayedBy(relay);
    }

    /// The pending response. On the thread that handles the request.
    Response begin() {
        if (body.announced() > mostBytes) return tooLarge();
        if (handshake.isPresent() && !hasPlaces()) return unavailable();
        upstream.backends().retries().asked();
        // The same is true of a virtual thread that has to wait.
        boolean isElsewhere = !upstream.isWithClient()
                || !loop.inLoop()
                || Thread.currentThread().isVirtual();
        // Another thread may make the next attempt before this one returns, and the head is valid only
        // until then.
        if (isElsewhere && received != null) received.keep();
        body.arriving().ifPresent(it -> it.limit(mostBytes, this::tooLong));
        if (upstream.retries().attempts() > 1) body.keep(keptBytes());
        if (mayBuffer()) body.collect(bufferBytes, this::goOn);
        else goOn();
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    /// Calls are rarely idempotent, and most are short: one that a backend refuses to process goes to another.
    private long keptBytes() {
        long said = upstream.retries().bufferBytes();
        return isCall ? Math.max(said, CALL_BYTES) : said;
    }

    /// Whether its body may be short enough to be collected before an attempt, and kept for the next one.
    private boolean mayBuffer() {
        // A call may wait for an answer in the middle of its messages.
        if (isCall || body.arriving().isEmpty() || bufferBytes == 0 || body.announced() > bufferBytes) return false;
        if (received != null) received.keep();
        return true;
    }

    private Response tooLarge() {
        reason = "a body of more than " + mostBytes + " bytes";
        HttpGuards.BODY.acted(request.remote(), reason);
        return Response.status(413);
    }

    /// It exceeds the limit only now.
    private void tooLong() {
        relay.respond(tooLarge());
        isAbandoned = true;
        var attempt = current;
        if (attempt != null) attempt.abandon();
    }

    void goOn() {
        long now = loop.nowNanos();
        if (isLate(now)) {
            answerInstead(Response.status(504));
            return;
        }
        var backends = upstream.backends();
        var chosen = choose(backends, now);
        while (chosen != null && !chosen.began()) {
            tried.add(chosen);
            chosen = choose(backends, now);
        }
        if (chosen == null) {
            noBackend(backends.noBackend(tried));
            return;
        }
        tried.add(chosen);
        BackendAttempt attempt;
        try {
            attempt = new BackendAttempt(this, chosen, attempts() + 1);
        } catch (IllegalStateException e) {
            chosen.ended(Outcome.ABANDONED, 0, now);
            // The client left at this moment, and its request is not there any more.
            if (isAbandoned) return;
            throw e;
        }
        current = attempt;
        attempt.begin();
        if (isAbandoned) attempt.abandon();
    }

    private @Nullable Backend choose(Backends backends, long now) {
        var named = wanted;
        return named != null && backends.mayTake(named, tried, now) ? named : backends.choose(key, tried, now);
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
        LOG.log(Level.DEBUG, () -> this + " gets 503: " + upstream.backends() + ": " + why.reason());
        reason = why.reason();
        answerInstead(unavailable());
    }

    void answerInstead(Response response) {
        relay.respond(response);
        body.close();
    }

    /// The client's stream is reset.
    void failInstead(Reset cause) {
        relay.fail(cause);
        body.close();
    }

    static Response unavailable() {
        return Response.status(503).setHeader("Retry-After", "1");
    }

    /// The client left before the response began.
    private void abandoned() {
        isAbandoned = true;
        if (reason.isEmpty()) reason = "the client left";
        var attempt = current;
        if (attempt != null) attempt.abandon();
        body.close();
    }

    // WebSockets.

    private List<TunnelLimit> places() {
        return received == null ? List.of() : received.tunnelLimits();
    }

    private boolean hasPlaces() {
        boolean hasRoom = places().stream().allMatch(limit -> limit.hasRoom(request.remote()));
        if (!hasRoom) reason = "too many WebSockets are open";
        return hasRoom;
    }

    /// Takes the places of a WebSocket, or none.
    boolean takesPlaces() {
        var taken = new ArrayList<TunnelLimit>(2);
        for (var limit : places()) {
            if (limit.take(request.remote())) {
                taken.add(limit);
                continue;
            }
            reason = "too many WebSockets are open";
            for (var other : taken) other.give(request.remote());
            return false;
        }
        return true;
    }

    /// A backend has agreed, and the places are taken.
    ///
    /// @param answered for the client
    void upgrade(Upgraded to, Headers answered) {
        var places = places();
        var client = request.remote();
        var rules = new SocketRules(
                upstream.webSocketIdle(),
                upstream.webSockets(),
                () -> places.forEach(limit -> limit.give(client)),
                (by, code) -> closed = by.word() + (code == WsCodes.NONE ? "" : " " + code));
        relay.upgrade(new ProxiedSocket(to, answered, rules));
    }

    /// By whom its WebSocket was closed, and with which code; empty if it is none, or is still open.
    String closed() {
        return closed;
    }

    // For listeners of its end.

    Backends backends() {
        return upstream.backends();
    }

    /// The backend of the last attempt; empty if there was none.
    Optional<Backend> backend() {
        var last = current;
        return last == null ? Optional.empty() : Optional.of(last.backend());
    }

    int attempts() {
        var last = current;
        return last == null ? 0 : last.number();
    }

    String reason() {
        return reason;
    }

    long backendNanos() {
        return backendNanos;
    }

    TraceParent trace() {
        return trace;
    }

    // For the attempts.

    Upstream.Running upstream() {
        return upstream;
    }

    EventLoop loop() {
        return loop;
    }

    Relay relay() {
        return relay;
    }

    ClientBody body() {
        return body;
    }

    Optional<Handshake> handshake() {
        return handshake;
    }

    /// The fields of a response for the client: with a new cookie if it comes from another backend than the client's
    /// names.
    Headers named(Headers fields, Backend backend) {
        var sticky = upstream.sticky();
        if (sticky.isEmpty() || backend.equals(wanted)) return fields;
        return fields.with("Set-Cookie", sticky.get().naming(backend, request, backends()));
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    boolean isIdempotent() {
        return IDEMPOTENT.contains(method);
    }

    /// Whether it is a call of gRPC.
    boolean isCall() {
        return isCall;
    }

    boolean isAbandoned() {
        return isAbandoned;
    }

    /// A backend has not processed it. It may be gone altogether, so another one is better.
    void mayAskAgain(Backend last) {
        if (!hasOthers()) tried.remove(last);
    }

    /// An idle connection turned out to be closed: the next attempt gets a new one.
    void wantNewConnection() {
        needsNewConnection = true;
    }

    boolean needsNewConnection() {
        return needsNewConnection;
    }

    /// The client's response if no other attempt follows.
    void lastResort(Response response) {
        lastResort = response;
    }

    /// The result of the last attempt counts.
    void because(String what) {
        if (!isAbandoned && !reason.equals(what)) reason = what;
    }

    /// The last attempt has got more of its response.
    void tookNanos(long nanos) {
        backendNanos = Math.max(1, nanos);
    }

    boolean hasOthers() {
        return upstream.backends().noBackend(tried) == NoBackend.ALL_BUSY;
    }

    /// Whether another one could take the request at this moment.
    boolean hasRoomElsewhere() {
        return upstream.backends().hasRoom(tried);
    }

    boolean takeRetry() {
        return upstream.backends().retries().take(loop.nowNanos());
    }

    /// Whether another attempt may follow this many.
    boolean mayTryAfter(int attempts) {
        return !isAbandoned && attempts < upstream.retries().attempts() && !isLate(loop.nowNanos());
    }

    /// A new attempt at a backend, not begun.
    Call<Boolean> call(BackendAttempt attempt) {
        var backend = attempt.backend();
        var to = upstream.destination(backend, request);
        var where = upstream.isWithClient() ? loop : null;
        long left = endNanos == 0 ? 0 : Math.max(1, endNanos - loop.nowNanos());
        return upstream.pools().call(outgoing(backend, attempt), to, where, attempt, left);
    }

    private OutgoingRequest outgoing(Backend backend, Object name) {
        var upload = body.upload();
        var upgrade = handshake.isPresent() ? Handshake.WEBSOCKET : "";
        var head = upstream.forwarding()
                .head(
                        request,
                        upstream.host(),
                        backend.authority(),
                        body.outgoingLength(),
                        body.expectsContinue(),
                        upgrade,
                        trace);
        return OutgoingRequest.passing(head, name, body.whole(), upload);
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
