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
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Servers that do the work, and a handler that passes connections on to them, byte for byte: a layer-4 proxy.
/// What [io.millrace.Tunnel] does for one address, with everything that [Upstream] knows of backends.
///
/// ```java
/// var backends = TcpUpstream.of("10.0.0.1:5432", "10.0.0.2:5432")
///         .balance(Balance.LEAST_REQUESTS)
///         .health(Health.tcp());
/// Tcp.listen(Listen.on(5432), backends);
/// ```
/// A connection that is passed on counts as one request and as one connection of its backend from its beginning
/// to its end, so [Balance#LEAST_REQUESTS] means the fewest connections, and [UpstreamLimits] of both kinds hold.
/// Nothing of a client's is read before its backend is connected. A backend that cannot be reached is held
/// against it, and another one is tried, within the retry budget; so is a reset before it has sent a byte, but
/// then the client is reset. A client for whom nobody is left is reset, and the guard `tunnel.upstream` says why.
///
/// What is set of it makes another upstream, which shares nothing with this one: a property is set by its name, which
/// returns a copy. One that has started is not copied any more. Any thread.
@CheckReturnValue
public final class TcpUpstream implements HandlerFactory, AutoCloseable {
    /// A layer-4 connection may rest for longer than a request.
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

    /// Backends that are known.
    ///
    /// @param addresses as in a file of [EndpointSource#file]: `host:port`, `[IPv6]:port` or `unix:/path` each
    /// @throws IllegalArgumentException for one that is none
    public static TcpUpstream of(String... addresses) {
        if (addresses.length == 0) throw new IllegalArgumentException("an upstream needs the address of a backend");
        var endpoints = new ArrayList<Endpoint>();
        for (var address : addresses) endpoints.addAll(EndpointFile.parse(address));
        return of(EndpointSource.of(endpoints));
    }

    /// Backends that a source knows.
    public static TcpUpstream of(EndpointSource source) {
        return of(UpstreamSettings.of(source)
                .timeouts(TimeoutSettings.STANDARD.idle(STANDARD_IDLE_TIMEOUT))
                .retries(THREE_ATTEMPTS));
    }

    /// With settings as they are. Of [UpstreamSettings#timeouts] it goes by `connect` and `idle`, and of
    /// [UpstreamSettings#retries] by the number of attempts; what is about requests means nothing here.
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

    /// What [Balance#HASH] goes by; by default the client's address ([Connection#remote]).
    public TcpUpstream key(ToLongFunction<Connection> of) {
        return new TcpUpstream(core.next("key", settings()), of);
    }

    /// How unhealthy backends are found; by default by the results of connections.
    public TcpUpstream health(Health how) {
        return with("health", settings().health(how));
    }

    /// How many connections there are at a time.
    public TcpUpstream limits(UpstreamLimits most) {
        return with("limits", settings().limits(most));
    }

    /// How long name lookup and handshake may take together, for each backend that is tried; by default 5 s.
    public TcpUpstream connectTimeout(Duration limit) {
        return with("connectTimeout", settings().timeouts(settings().timeouts().connect(limit)));
    }

    /// How long nothing may pass in either direction until both sides are reset (`timeout.idle`); by default 10
    /// minutes, with zero for ever.
    public TcpUpstream idleTimeout(Duration limit) {
        return with("idleTimeout", settings().timeouts(settings().timeouts().idle(limit)));
    }

    /// How many backends are tried for one client at most, 1 or more; by default 3.
    public TcpUpstream attempts(int most) {
        return with("attempts", settings().retries(settings().retries().attempts(most)));
    }

    /// Sends the PROXY protocol in front of each connection's first byte, which backends must expect
    /// ([ProxyProtocol]).
    public TcpUpstream sendProxyProtocol(Version version) {
        return with("sendProxyProtocol", settings().sendProxyProtocol(version));
    }

    /// Speaks TLS with backends, behind what [#sendProxyProtocol] sends; clients' bytes go through it. Each backend
    /// must show a certificate for the name of this client, or for its own host if that has none.
    public TcpUpstream tls(TlsClient how) {
        return with("tls", settings().tls(how));
    }

    /// Puts the connections to backends on these loops, the one with the fewest connections each time. Without it
    /// they live on the loop of their client's, and no byte changes its thread.
    public TcpUpstream upstreamLoops(EventLoops group) {
        return with("upstreamLoops", settings().upstreamLoops(group));
    }

    /// Checks health on these loops; otherwise on [#upstreamLoops], or on a loop of its own.
    public TcpUpstream checkLoops(EventLoops group) {
        return with("checkLoops", settings().checkLoops(group));
    }

    /// Takes other settings, all but the name and the loops of checks. Backends keep their health, counters and
    /// connections, by address; connections that are passed on go on as they began.
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
        var tunnelled = new Tunnelled(this, running(clientLoop.clock()), client, loop);
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

    /// What it is called.
    public String name() {
        return settings().name();
    }

    /// Whether it follows the list and checks health.
    public boolean isRunning() {
        return running != null;
    }

    /// Begins to follow the list and to check health, which the first connection does otherwise.
    ///
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    public TcpUpstream start() {
        core.use();
        var _ = running(core.clock());
        return this;
    }

    /// Waits until it knows its backends, if it was started.
    ///
    /// @return false when it does not, so long after, and connections are closed until it does
    public boolean awaitBackends(Duration most) throws InterruptedException {
        return core.awaitBackends(most);
    }

    private Backends running(LongSupplier clock) {
        var known = running;
        return known != null ? known : open(clock);
    }

    private synchronized Backends open(LongSupplier clock) {
        var known = running;
        if (known != null) return known;
        var opened = core.open(clock);
        running = opened;
        return opened;
    }

    /// Follows the list and checks health no more. What is passed on goes on: it belongs to the server.
    @Override
    public synchronized void close() {
        core.close();
    }

    // For those that are tunnelled, and for tests.

    Optional<Backends> backends() {
        return Optional.ofNullable(running);
    }

    long keyOf(Connection client) {
        return key.applyAsLong(client);
    }
}
