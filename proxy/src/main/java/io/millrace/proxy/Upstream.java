package io.millrace.proxy;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.Cookies;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Origin;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.http.pool.CallLimits;
import io.millrace.http.pool.ClientPools;
import io.millrace.http.pool.PoolSettings;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.EventLoop;
import io.millrace.net.CheckReturnValue;
import io.millrace.proxy.ProxyProtocol.Announced;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.StickyCookie;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.websocket.SocketCounts;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Servers, and a handler that forwards requests to them: a reverse proxy as an ordinary handler.
///
/// ```java
/// var backends = Upstream.of("http://10.0.0.1:8080", "http://10.0.0.2:8080")
///         .balance(Balance.LEAST_REQUESTS)
///         .health("/healthz", Duration.ofSeconds(1));
/// Http.listen(8080, backends);
/// ```
/// Bodies stream in both directions, as fast as the slower side takes them. Inside
/// [Http.whole][io.millrace.http.server.Http#whole(long, HttpHandler)] it gets request bodies as values,
/// so that it can retry any request.
///
/// If no backend responds, the client gets 502, or 504 if it took too long. If there is no backend, or
/// none can take the request, it gets 503 with `Retry-After`. A request is sent to another backend if the
/// first one did not receive it, or if it is idempotent (RFC 9110 section 9.2.2) and all of its body is
/// still there; each retry needs room in the retry budget.
///
/// A property is set by its name, which returns another upstream that shares nothing with this one. An
/// upstream that has started cannot be copied. Any thread.
@CheckReturnValue
public final class Upstream implements HttpHandler, AutoCloseable {
    /// How long a connection for a single client is kept without a request.
    private static final Duration OF_ONE = Duration.ofSeconds(5);

    private static final String UNIX = "unix:";
    private static final Response NO_TUNNEL = Response.status(501).close();

    private final UpstreamCore core;

    /// Set by a program; otherwise the settings' key.
    private final @Nullable ToLongFunction<Request> key;

    private final SocketCounts webSockets = new SocketCounts();

    private volatile @Nullable Running running;

    private Upstream(UpstreamCore core, @Nullable ToLongFunction<Request> key) {
        this.core = core;
        this.key = key;
    }

    private Upstream with(String setter, UpstreamSettings settings) {
        return new Upstream(core.next(setter, settings), key);
    }

    private Upstream timeouts(String setter, UnaryOperator<TimeoutSettings> change) {
        return with(setter, settings().timeouts(change.apply(settings().timeouts())));
    }

    /// An upstream with these backends.
    ///
    /// @param uris `http://host:port` each, `unix:/path` for a Unix socket, or all of them `https://host:port`
    /// @throws IllegalArgumentException for any other URI
    public static Upstream of(String... uris) {
        if (uris.length == 0) throw new IllegalArgumentException("an upstream needs the URI of a backend");
        var made =
                of(EndpointSource.of(Arrays.stream(uris).map(Upstream::endpoint).toList()));
        long secure =
                Arrays.stream(uris).filter(uri -> uri.startsWith("https:")).count();
        if (secure == 0) return made;
        if (secure < uris.length)
            throw new IllegalArgumentException(
                    "some of " + List.of(uris) + " use TLS, and others do not: make one upstream for each kind");
        return made.tls(Tls.client());
    }

    /// An upstream with the backends of a source.
    public static Upstream of(EndpointSource source) {
        return of(UpstreamSettings.of(source));
    }

    /// An upstream with these settings.
    public static Upstream of(UpstreamSettings settings) {
        return new Upstream(new UpstreamCore(settings), null);
    }

    private static Endpoint endpoint(String text) {
        if (text.startsWith(UNIX)) return Endpoint.of(UnixDomainSocketAddress.of(text.substring(UNIX.length())));
        var uri = URI.create(text);
        boolean isSecure = "https".equals(uri.getScheme());
        boolean isFine = (isSecure || "http".equals(uri.getScheme()))
                && uri.getHost() != null
                && uri.getRawPath().isEmpty()
                && uri.getRawQuery() == null
                && uri.getRawUserInfo() == null;
        if (!isFine)
            throw new IllegalArgumentException(
                    "'" + text + "' is not a backend: take http://host:port, https://host:port, or unix:/path");
        int port = uri.getPort() >= 0 ? uri.getPort() : isSecure ? 443 : 80;
        var host = uri.getHost();
        var bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return Endpoint.of(new Origin(false, bare, port).address());
    }

    /// Its settings.
    public UpstreamSettings settings() {
        return core.settings();
    }

    /// Its name in logs and metrics; `upstream` by default.
    public Upstream name(String called) {
        return with("name", settings().name(called));
    }

    /// Which backend gets a request; by default the one with the fewest.
    public Upstream balance(Balance rule) {
        return with("balance", settings().balance(rule));
    }

    /// The key for [Balance#HASH]; by default that of [UpstreamSettings#hash], the client's address.
    public Upstream key(ToLongFunction<Request> of) {
        return new Upstream(core.next("key", settings()), of);
    }

    /// A cookie by which a client's requests go to the same backend; none by default.
    public Upstream sticky(StickyCookie cookie) {
        return with("sticky", settings().sticky(cookie));
    }

    /// The version of HTTP that backends are spoken to in; by default [HttpVersion#NEGOTIATED].
    public Upstream version(HttpVersion spoken) {
        return with("version", settings().version(spoken));
    }

    /// How to find unhealthy backends; by default by the results of requests.
    public Upstream health(Health how) {
        return with("health", settings().health(how));
    }

    /// Checks the health of each backend by requests for a path, at this interval.
    public Upstream health(String path, Duration interval) {
        return health(Health.http(path).interval(interval));
    }

    /// The limits of connections and requests at a time.
    public Upstream limits(UpstreamLimits most) {
        return with("limits", settings().limits(most));
    }

    /// The limits of response heads, and how long idle connections are kept.
    public Upstream limits(HttpLimits most) {
        return with(
                "limits",
                settings().responses(most).timeouts(settings().timeouts().keepalive(most.idleTimeout())));
    }

    /// What is changed in messages.
    public Upstream forwarding(Forwarding rules) {
        return with("forwarding", settings().forwarding(rules));
    }

    /// The `Host` field of forwarded requests; by default the client's.
    public Upstream host(HostPolicy policy) {
        return with("host", settings().host(policy));
    }

    /// How long name lookup and handshake may take together; by default 5 s.
    public Upstream connectTimeout(Duration limit) {
        return timeouts("connectTimeout", times -> times.connect(limit));
    }

    /// How long a backend may take to begin a response; by default 60 s.
    public Upstream firstByteTimeout(Duration limit) {
        return timeouts("firstByteTimeout", times -> times.firstByte(limit));
    }

    /// How long a request may wait for a connection while all are busy; by default 10 s. Then the client
    /// gets 503.
    public Upstream pendingTimeout(Duration limit) {
        return timeouts("pendingTimeout", times -> times.pending(limit));
    }

    /// How long a backend may stall: take nothing of a request's body, or send no more of a response that
    /// has begun; by default 60 s.
    public Upstream idleTimeout(Duration limit) {
        return timeouts("idleTimeout", times -> times.idle(limit));
    }

    /// How long nothing may come on a WebSocket from either side, not even a ping, until the client gets a close frame
    /// with 1001; by default 10 minutes, zero for ever.
    public Upstream webSocketIdleTimeout(Duration limit) {
        return timeouts("webSocketIdleTimeout", times -> times.webSocketIdle(limit));
    }

    /// How long a request may take, from its arrival to the end of its response, with all attempts; zero,
    /// the default, for no limit.
    public Upstream timeout(Duration limit) {
        return timeouts("timeout", times -> times.request(limit));
    }

    /// When a request is sent to another backend.
    public Upstream retries(Retries when) {
        return with("retries", settings().retries(when));
    }

    /// Collects request bodies of up to this many bytes before they are forwarded; longer ones are
    /// streamed. 0 by default: collecting costs memory and time. Use it for backends that slow clients
    /// would occupy, and where connections are few: a request uses none while its body is collected.
    ///
    /// @throws IllegalArgumentException for a negative number
    public Upstream collect(long mostBytes) {
        return with("collect", settings().collectBytes(mostBytes));
    }

    /// Begins each connection with a PROXY protocol header, which backends must expect ([ProxyProtocol]).
    /// A connection carries requests of a single client connection, and is kept for 5 s at most without a
    /// request.
    public Upstream sendProxyProtocol(Version version) {
        return with("sendProxyProtocol", settings().sendProxyProtocol(version));
    }

    /// Speaks TLS with backends. Each must present a certificate for the name in `how`, or for its own
    /// host if `how` has no name.
    public Upstream tls(TlsClient how) {
        return with("tls", settings().tls(how));
    }

    /// Puts connections to backends on these loops, each on the one with the fewest requests. By default
    /// they are on the loop of the client's connection, and no byte changes its thread.
    public Upstream upstreamLoops(EventLoops group) {
        return with("upstreamLoops", settings().upstreamLoops(group));
    }

    /// Checks health on these loops; otherwise on [#upstreamLoops], or on a loop of its own.
    public Upstream checkLoops(EventLoops group) {
        return with("checkLoops", settings().checkLoops(group));
    }

    /// Takes over other settings, except the name and the loops of checks. Backends keep their health,
    /// counters and connections, by address; requests that have begun end as they began. Idle connections
    /// are closed if the new settings make connections differently.
    public synchronized void become(UpstreamSettings next) {
        boolean hasNewConnections = !connecting(settings()).equals(connecting(next));
        core.become(next);
        var before = running;
        if (before == null) return;
        var now = hasNewConnections ? pools() : before.pools();
        if (hasNewConnections) before.pools().retireFor(now);
        running = running(before.backends(), now);
    }

    /// The settings that a connection is made with.
    private static List<Object> connecting(UpstreamSettings settings) {
        return List.of(
                settings.responses(),
                settings.timeouts().request(Duration.ZERO),
                settings.retries().perTryTimeout(),
                settings.upstreamLoops(),
                settings.sendProxyProtocol(),
                settings.tls(),
                settings.version());
    }

    // Looking.

    /// Its name.
    public String name() {
        return settings().name();
    }

    /// Whether it follows the list and checks health.
    public boolean isRunning() {
        return running != null;
    }

    /// Its backends; empty before the first request and [#start].
    Optional<Backends> backends() {
        return Optional.ofNullable(running).map(Running::backends);
    }

    /// The WebSockets that it has passed on.
    SocketCounts webSockets() {
        return webSockets;
    }

    // Serving.

    /// Forwards a request. For a request from a server the response is pending.
    public Response forward(Request request) {
        return forward(request, RequestBodies.STREAMED);
    }

    /// A handler that forwards requests here, with rules for their bodies.
    public HttpHandler with(RequestBodies bodies) {
        if (bodies.equals(RequestBodies.STREAMED)) return this;
        return request -> forward(request, bodies);
    }

    private Response forward(Request request, RequestBodies bodies) {
        Copies.refuse(request);
        // A tunnel leads where its client says; this handler has no list of allowed targets.
        if (request.method().equals("CONNECT")) return NO_TUNNEL;
        if (MaxForwards.of(request) == 0) return MaxForwards.answer(request);
        if (settings().forwarding().isCircling(request)) return Response.status(508);
        var loop = loop(request);
        return new ProxiedRequest(running(loop), loop, request, bodies).begin();
    }

    private EventLoop loop(Request request) {
        var received = ReceivedRequest.behind(request);
        return received == null ? EventLoop.of(core.control().next()) : received.loop();
    }

    @Override
    public Response handle(Request request) {
        return forward(request);
    }

    /// Begins to follow the list and to check health; otherwise the first request does that.
    ///
    /// @throws IllegalStateException if a property of this was set, and the copy dropped
    public Upstream start() {
        core.use();
        var _ = running(core.loop());
        return this;
    }

    /// Waits until its list of backends is known, if it was started.
    ///
    /// @return false if the list is not known after this time; requests get 503 until it is
    public boolean awaitBackends(Duration most) throws InterruptedException {
        return core.awaitBackends(most);
    }

    /// Its parts while it serves.
    ///
    /// @param isWithClient whether a backend connection is on the loop of the client's connection
    /// @param sharesConnections whether backends may speak HTTP/2, where a silent request holds no connection
    /// @param announced    how backends get the client's address
    /// @param sticky       the cookies that name backends
    record Running(
            Backends backends,
            ClientPools pools,
            boolean isWithClient,
            boolean sharesConnections,
            Optional<Version> announced,
            Forwarding forwarding,
            HostPolicy host,
            ToLongFunction<Request> key,
            Optional<Sticky> sticky,
            Retries retries,
            Duration webSocketIdle,
            SocketCounts webSockets,
            long wholeNanos,
            long collectedBytes) {
        /// The most bytes of a request's body that are collected.
        long bufferBytes(RequestBodies bodies) {
            return Math.max(bodies.bufferBytes(), collectedBytes);
        }

        long keyOf(Request request) {
            return key.applyAsLong(request);
        }

        Destination destination(Backend backend, Request request) {
            if (announced.isEmpty()) return backend;
            var received = ReceivedRequest.behind(request);
            if (received == null) return backend;
            var local = received.connection().local();
            return new Announced(backend, announced.get(), request.remote(), local);
        }
    }

    /// The cookies that name the backends of an upstream.
    record Sticky(StickyCookie cookie, StickyCookie.Ids<Backend> ids) {
        /// The backend that a request names; null for none. The cookie counts even if the backend does not get it.
        @Nullable
        Backend wanted(Request request, Backends backends) {
            var id = Cookies.of(RewrittenRequest.originalOf(request)).value(cookie.name());
            return id.isEmpty() ? null : ids.find(id.get(), backends.members());
        }

        /// A cookie for the next request.
        String naming(Backend backend, Request request, Backends backends) {
            return cookie.text(ids.of(backend, backends.members()), request.isSecure());
        }
    }

    private Running running(@Nullable EventLoop loop) {
        var known = running;
        return known != null ? known : open(loop);
    }

    private synchronized Running open(@Nullable EventLoop loop) {
        var known = running;
        if (known != null) return known;
        if (settings().health().check() == Health.Check.GRPC && !mayBeSecond(settings()))
            throw new IllegalStateException(
                    settings().name() + " is checked by gRPC, which needs HTTP/2: set version(HttpVersion.HTTP_2)");
        var opened = running(core.open(loop), pools());
        running = opened;
        opened.backends().onLeave(this::backendsLeft);
        return opened;
    }

    /// Whether backends may be spoken to in HTTP/2.
    private static boolean mayBeSecond(UpstreamSettings settings) {
        return settings.spoken() != HttpVersion.HTTP_1_1;
    }

    private void backendsLeft() {
        var now = running;
        if (now != null) now.pools().retireGone();
    }

    private Running running(Backends backends, ClientPools pools) {
        var now = settings();
        ToLongFunction<Request> asked = key != null ? key : now.hash()::of;
        return new Running(
                backends,
                pools,
                now.upstreamLoops().isEmpty(),
                mayBeSecond(now),
                now.sendProxyProtocol(),
                now.forwarding(),
                now.host(),
                now.balance().way() == Balance.Way.HASH ? asked : _ -> 0,
                now.sticky().map(cookie -> new Sticky(cookie, cookie.ids(now.name(), Backend::toString))),
                now.retries(),
                now.timeouts().webSocketIdle(),
                webSockets,
                ConnectionSettings.nanos(now.timeouts().request(), "a timeout"),
                now.collectBytes());
    }

    private ClientPools pools() {
        var now = settings();
        var times = now.timeouts();
        var timeouts = new ClientTimeouts(
                ConnectionSettings.nanos(times.firstByte(), "a first byte timeout"),
                ConnectionSettings.nanos(times.idle(), "an idle timeout"));
        var calls = new CallLimits(
                ConnectionSettings.nanos(times.pending(), "a pending timeout"),
                ConnectionSettings.nanos(now.retries().perTryTimeout(), "a timeout of an attempt"),
                0);
        var tls = now.tls().map(now.version()::over);
        var version = now.spoken();
        var announced = now.sendProxyProtocol();
        var keepalive = announced.isPresent() ? least(times.keepalive(), OF_ONE) : times.keepalive();
        return new ClientPools(new PoolSettings(
                now.upstreamLoops(),
                false,
                (to, offered) -> UpstreamCore.secured(
                        connect(to, announced),
                        to.address(),
                        offered == version ? tls : tls.map(client -> PoolSettings.offering(offered, client))),
                now.responses().idleTimeout(keepalive),
                times.connect(),
                timeouts,
                calls,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                _ -> version,
                _ -> Optional.empty(),
                Optional.empty()));
    }

    private static Connect connect(Destination to, Optional<Version> announced) {
        var connect = Connect.to(to.address());
        if (to instanceof Announced client) return connect.through(client.stage());
        // A request that did not come from a server.
        return announced.isPresent() ? connect.through(ProxyProtocol.own(announced.get())) : connect;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /// No new requests come: stops following the list and checking health; requests in progress end by
    /// themselves.
    public synchronized void retire() {
        core.retire();
    }

    /// Drops all connections to backends.
    @Override
    public synchronized void close() {
        var mine = running;
        core.close();
        if (mine != null) mine.pools().close();
    }
}
