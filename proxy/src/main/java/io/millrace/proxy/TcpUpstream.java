package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.loop.EventLoop;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.ProxyProtocol.Version;
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
import java.util.function.Consumer;
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
    private final UpstreamCore core;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration idleTimeout = Duration.ofMinutes(10);
    private int attempts = 3;
    private ToLongFunction<Connection> key = client -> Keys.of(client.remote());

    private volatile @Nullable Backends running;

    private TcpUpstream(UpstreamCore core) {
        this.core = core;
    }

    private TcpUpstream with(String setter, Consumer<TcpUpstream> change) {
        var copy = new TcpUpstream(core.next(setter));
        copy.take(this);
        change.accept(copy);
        return copy;
    }

    private void take(TcpUpstream from) {
        connectTimeout = from.connectTimeout;
        idleTimeout = from.idleTimeout;
        attempts = from.attempts;
        key = from.key;
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

    /// Backends that somebody else knows.
    public static TcpUpstream of(EndpointSource source) {
        return new TcpUpstream(new UpstreamCore(source));
    }

    /// What it is called in logs and metrics.
    public TcpUpstream name(String called) {
        return with("name", copy -> copy.core.name = called);
    }

    /// Which backend gets a connection; by default each in turn.
    public TcpUpstream balance(Balance rule) {
        return with("balance", copy -> copy.core.balance = rule);
    }

    /// What [Balance#HASH] goes by; by default the client's address, as [Connection#remote] tells it.
    public TcpUpstream key(ToLongFunction<Connection> of) {
        return with("key", copy -> copy.key = of);
    }

    /// How it is found out whether backends are healthy; by default by what becomes of connections.
    public TcpUpstream health(Health how) {
        return with("health", copy -> copy.core.health = how);
    }

    /// What it is asked to bear.
    public TcpUpstream limits(UpstreamLimits most) {
        return with("limits", copy -> copy.core.limits = most);
    }

    /// How long name lookup and handshake may take together, for each backend that is tried; by default 5 s.
    public TcpUpstream connectTimeout(Duration limit) {
        return with("connectTimeout", copy -> copy.connectTimeout = limit);
    }

    /// How long nothing may pass in either direction until both sides are reset (`timeout.idle`); by default 10
    /// minutes, with zero for ever.
    public TcpUpstream idleTimeout(Duration limit) {
        return with("idleTimeout", copy -> copy.idleTimeout = limit);
    }

    /// How many backends are tried for one client at most, 1 or more; by default 3.
    public TcpUpstream attempts(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " attempts: take 1 or more");
        return with("attempts", copy -> copy.attempts = most);
    }

    /// Tells backends whose connection it is, in front of its first byte: they must expect it ([ProxyProtocol]).
    public TcpUpstream sendProxyProtocol(Version version) {
        return with("sendProxyProtocol", copy -> copy.core.announced = Optional.of(version));
    }

    /// Speaks TLS with backends, behind what [#sendProxyProtocol] says; what clients send goes through it. Each
    /// has to show a certificate for the name of this client, or for its own host if that has none.
    public TcpUpstream tls(TlsClient how) {
        return with("tls", copy -> copy.core.tls = Optional.of(how));
    }

    /// Puts the connections to backends on these loops, the one with the fewest connections each time. Without it
    /// they live on the loop of their client's, and no byte changes its thread.
    public TcpUpstream upstreamLoops(EventLoops group) {
        return with("upstreamLoops", copy -> copy.core.loops = Optional.of(group));
    }

    /// Checks health on these loops; otherwise on [#upstreamLoops], or on a loop of its own.
    public TcpUpstream checkLoops(EventLoops group) {
        return with("checkLoops", copy -> copy.core.checkLoops = Optional.of(group));
    }

    /// Is from now on what is said of another one, which nobody has used. Backends keep their health, counters and
    /// connections, by address; what is passed on goes on as it began.
    ///
    /// @param hasNewSource whether the list of backends comes from somewhere else
    public synchronized void become(TcpUpstream next, boolean hasNewSource) {
        take(next);
        core.become(next.core, hasNewSource);
        // Whoever reads it sees the rest.
        var same = running;
        running = same;
    }

    // Serving.

    @Override
    public Handler open(Connection client) {
        client.pause();
        var clientLoop = EventLoop.of(client.loop());
        var loop = core.loops.isEmpty()
                ? clientLoop
                : EventLoop.of(core.loops.get().next());
        var tunnelled = new Tunnelled(this, running(clientLoop.clock()), client, loop);
        tunnelled.begin();
        return tunnelled.side();
    }

    /// It writes to two connections.
    @Override
    public boolean needsLoop() {
        return true;
    }

    /// What it is called.
    public String name() {
        return core.name;
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

    Duration connectTimeout() {
        return connectTimeout;
    }

    Duration idleTimeout() {
        return idleTimeout;
    }

    int attempts() {
        return attempts;
    }

    Optional<Version> announced() {
        return core.announced;
    }

    Optional<TlsClient> tls() {
        return core.tls;
    }

    long keyOf(Connection client) {
        return key.applyAsLong(client);
    }
}
