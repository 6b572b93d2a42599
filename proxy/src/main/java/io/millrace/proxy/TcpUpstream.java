package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.loop.EventLoop;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.EndpointFile;
import io.millrace.tls.TlsClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Servers, and a handler that forwards connections to them, byte for byte: a layer 4 proxy. It does for
/// many backends what [io.millrace.Tunnel] does for one address, with the balancing, health checks and
/// limits of [Upstream].
///
/// ```java
/// var backends = TcpUpstream.of("10.0.0.1:5432", "10.0.0.2:5432")
///         .balance(Balance.LEAST_REQUESTS)
///         .health(Health.tcp());
/// Tcp.listen(Listen.on(5432), backends);
/// ```
/// A forwarded connection counts as one request and one connection of its backend until it ends, so
/// [Balance#LEAST_REQUESTS] means the fewest connections, and [UpstreamLimits] of both kinds apply.
/// Nothing is read from a client before its backend is connected. If a backend cannot be reached, that
/// counts as its failure, and another one is tried, within the retry budget. If it resets before its first
/// byte, that is a failure, too, but the client is reset. If no backend is left, the client is reset, and
/// the guard `tunnel.upstream` has the reason.
///
/// A property is set by its name, which returns another upstream that shares nothing with this one. An
/// upstream that has started cannot be copied. Any thread.
@CheckReturnValue
public final class TcpUpstream implements HandlerFactory, AutoCloseable {
    /// A layer 4 connection may be idle for longer than a request.
    private static final Duration STANDARD_IDLE_TIMEOUT = Duration.ofMinutes(10);

    private static final Retries THREE_ATTEMPTS = Retries.STANDARD.attempts(3);

    private final UpstreamCore core;
    private final ToLongFunction<Connection> key;

    private volatile @Nullable Backends running;

    private TcpUpstream(UpstreamCore core, ToLongFunction<Connection> key) {
        this.core = core;
        this.key = key;
    }

    private TcpUpstream with(String setter, UpstreamSettings settings) {
        return new TcpUpstream(core.next(setter, settings), key);
    }

    /// An upstream with these backends.
    ///
    /// @param addresses as in a file of [EndpointSource#file]: `host:port`, `[IPv6]:port` or `unix:/path` each
    /// @throws IllegalArgumentException for an invalid one
    public static TcpUpstream of(String... addresses) {
        if (addresses.length == 0) throw new IllegalArgumentException("an upstream needs the address of a backend");
        var endpoints = new ArrayList<Endpoint>();
        for (var address : addresses) endpoints.addAll(EndpointFile.parse(address));
        return of(EndpointSource.of(endpoints));
    }

    /// An upstream with the backends of a source.
    public static TcpUpstream of(EndpointSource source) {
        return of(UpstreamSettings.of(source)
                .timeouts(TimeoutSettings.STANDARD.idle(STANDARD_IDLE_TIMEOUT))
                .retries(THREE_ATTEMPTS));
    }

    /// An upstream with these settings. It uses `connect` and `idle` of [UpstreamSettings#timeouts], and
    /// the number of attempts of [UpstreamSettings#retries]; settings for requests have no effect.
    public static TcpUpstream of(UpstreamSettings settings) {
        return new TcpUpstream(new UpstreamCore(settings), client -> Keys.of(client.remote()));
    }

    /// Its settings.
    public UpstreamSettings settings() {
        return core.settings();
    }

    /// Its name in logs and metrics; `upstream` by default.
    public TcpUpstream name(String called) {
        return with("name", settings().name(called));
    }

    /// Which backend gets a connection; by default the one with the fewest.
    public TcpUpstream balance(Balance rule) {
        return with("balance", settings().balance(rule));
    }

    /// The key for [Balance#HASH]; by default the client's address ([Connection#remote]).
    public TcpUpstream key(ToLongFunction<Connection> of) {
        return new TcpUpstream(core.next("key", settings()), of);
    }

    /// How to find unhealthy backends; by default by the results of connections.
    public TcpUpstream health(Health how) {
        return with("health", settings().health(how));
    }

    /// The limits of connections at a time.
    public TcpUpstream limits(UpstreamLimits most) {
        return with("limits", settings().limits(most));
    }

    /// How long name lookup and handshake may take together, for each backend that is tried; by default 5
    /// s.
    public TcpUpstream connectTimeout(Duration limit) {
        return with("connectTimeout", settings().timeouts(settings().timeouts().connect(limit)));
    }

    /// How long nothing may move in either direction until both sides are reset (`timeout.idle`); by
    /// default 10 minutes, zero for no limit.
    public TcpUpstream idleTimeout(Duration limit) {
        return with("idleTimeout", settings().timeouts(settings().timeouts().idle(limit)));
    }

    /// The most backends that are tried for one client, 1 or more; by default 3.
    public TcpUpstream attempts(int most) {
        return with("attempts", settings().retries(settings().retries().attempts(most)));
    }

    /// Begins each connection with a PROXY protocol header, which backends must expect ([ProxyProtocol]).
    public TcpUpstream sendProxyProtocol(Version version) {
        return with("sendProxyProtocol", settings().sendProxyProtocol(version));
    }

    /// Speaks TLS with backends, after the header of [#sendProxyProtocol]; clients' bytes go through TLS.
    /// Each backend must present a certificate for the name in `how`, or for its own host if `how` has no
    /// name.
    public TcpUpstream tls(TlsClient how) {
        return with("tls", settings().tls(how));
    }

    /// Puts connections to backends on these loops, each on the one with the fewest connections. By
    /// default they are on the loop of the client's connection, and no byte changes its thread.
    public TcpUpstream upstreamLoops(EventLoops group) {
        return with("upstreamLoops", settings().upstreamLoops(group));
    }

    /// Checks health on these loops; otherwise on [#upstreamLoops], or on a loop of its own.
    public TcpUpstream checkLoops(EventLoops group) {
        return with("checkLoops", settings().checkLoops(group));
    }

    /// Takes over other settings, except the name and the loops of checks. Backends keep their health,
    /// counters and connections, by address; forwarded connections continue as they began.
    public void become(UpstreamSettings next) {
        core.become(next);
    }

    // Serving.

    @Override
    public Handler open(Connection client) {
        client.pause();
        var clientLoop = EventLoop.of(client.loop());
        var loops = settings().upstreamLoops();
        var loop = loops.isEmpty() ? clientLoop : EventLoop.of(loops.get().next());
        var tunnelled = new Tunnelled(this, running(clientLoop), client, loop);
        tunnelled.begin();
        return tunnelled.side();
    }

    /// It writes to two connections. A server asks before it starts.
    ///
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    @Override
    public boolean needsLoop() {
        core.use();
        return true;
    }

    /// Its name.
    public String name() {
        return settings().name();
    }

    /// Whether it follows the list and checks health.
    public boolean isRunning() {
        return running != null;
    }

    /// Begins to follow the list and to check health; otherwise the first connection does that.
    ///
    /// @throws IllegalStateException if a property of this was set, and the copy dropped
    public TcpUpstream start() {
        core.use();
        var _ = running(core.loop());
        return this;
    }

    /// Waits until its list of backends is known, if it was started.
    ///
    /// @return false if the list is not known after this time; connections are closed until it is
    public boolean awaitBackends(Duration most) throws InterruptedException {
        return core.awaitBackends(most);
    }

    private Backends running(@Nullable EventLoop loop) {
        var known = running;
        return known != null ? known : open(loop);
    }

    private synchronized Backends open(@Nullable EventLoop loop) {
        var known = running;
        if (known != null) return known;
        var opened = core.open(loop);
        running = opened;
        return opened;
    }

    /// Stops following the list and checking health. Forwarded connections continue: they belong to the
    /// server.
    @Override
    public synchronized void close() {
        core.close();
    }

    // For tunnelled connections, and for tests.

    Optional<Backends> backends() {
        return Optional.ofNullable(running);
    }

    long keyOf(Connection client) {
        return key.applyAsLong(client);
    }
}
