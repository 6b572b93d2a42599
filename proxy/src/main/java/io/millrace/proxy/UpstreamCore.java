package io.millrace.proxy;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.HttpVersion;
import io.millrace.loop.Derived;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.HealthChecks;
import io.millrace.tls.TlsClient;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The common parts of upstreams of both layers: their settings and, while they serve, the backends, whose
/// list is followed and whose health is checked. Any thread.
final class UpstreamCore implements AutoCloseable {
    static {
        ProxyGuards.declare();
    }

    private final Derived derived;
    private volatile UpstreamSettings settings;

    // Guarded by this.

    private @Nullable EventLoops ownLoops;
    private @Nullable HealthChecks checks;
    private @Nullable Backends backends;
    private boolean isRetired;
    private boolean isClosed;

    UpstreamCore(UpstreamSettings settings) {
        this(settings, Derived.first());
    }

    private UpstreamCore(UpstreamSettings settings, Derived derived) {
        this.settings = settings;
        this.derived = derived;
    }

    UpstreamSettings settings() {
        return settings;
    }

    /// For a copy of an upstream.
    ///
    /// @param setter the method that makes the copy
    /// @throws IllegalStateException if this has started
    synchronized UpstreamCore next(String setter, UpstreamSettings changed) {
        if (backends != null) {
            throw new IllegalStateException(settings.name() + " has started, and " + setter
                    + " would make another upstream: set it before the start, or make two");
        }
        return new UpstreamCore(changed, derived.next(setter));
    }

    /// Starts it.
    ///
    /// @throws IllegalStateException if a property of this was set, and the copy dropped
    void use() {
        derived.use();
    }

    /// Begins to follow the list and to check health. Once.
    ///
    /// @param loop one of those that use it; null when none exists yet
    /// @throws IllegalStateException if it is closed
    synchronized Backends open(@Nullable EventLoop loop) {
        if (isClosed) throw new IllegalStateException("this upstream is closed: make another one");
        var clock = clock(loop);
        long seed = (loop == null ? ThreadLocalRandom.current() : loop.luck()).nextLong();
        var now = settings;
        var opened = new Backends(now.name(), now.balance(), now.health(), now.limits(), seed, clock.getAsLong());
        startChecks(opened);
        opened.follow(now.source(), clock);
        backends = opened;
        return opened;
    }

    private void startChecks(Backends of) {
        if (settings.health().check() == Health.Check.NONE) return;
        checks = HealthChecks.start(of, control(), versionOfChecks(), connecting());
    }

    /// That of requests, except that a service of gRPC speaks HTTP/2.
    private HttpVersion versionOfChecks() {
        if (settings.health().check() == Health.Check.GRPC) return HttpVersion.HTTP_2;
        return settings.spoken();
    }

    /// How to make a connection without a client.
    private Function<SocketAddress, Connect> connecting() {
        var stage = settings.sendProxyProtocol().map(ProxyProtocol::own);
        var secured = settings.tls().map(versionOfChecks()::over);
        return to -> {
            var plain = Connect.to(to);
            return secured(stage.map(plain::through).orElse(plain), to, secured);
        };
    }

    /// With TLS, if it is set: for the name in its settings, or else for the host.
    static Connect secured(Connect connect, SocketAddress to, Optional<TlsClient> tls) {
        return tls.isEmpty() ? connect : connect.through(UpstreamTls.of(tls.get(), to));
    }

    /// Takes over other settings, except the name and the loops of checks; backends stay, by address.
    synchronized void become(UpstreamSettings next) {
        var before = settings;
        var now = next.after(before);
        settings = now;
        var mine = backends;
        if (mine == null || isRetired) return;
        var clock = clock(loop());
        mine.become(now.balance(), now.health(), now.limits(), clock.getAsLong());
        if (!checking(before).equals(checking(now))) {
            if (checks != null) checks.close();
            checks = null;
            startChecks(mine);
        }
        if (!before.source().equals(now.source())) mine.follow(now.source(), clock);
    }

    /// The settings that a check is made with.
    private static List<Object> checking(UpstreamSettings settings) {
        return List.of(
                settings.health(),
                settings.sendProxyProtocol(),
                settings.tls(),
                settings.version(),
                settings.checkLoops().or(settings::upstreamLoops));
    }

    /// Waits until the backends are known, if this is open.
    ///
    /// @return false if they are not known after this time
    boolean awaitBackends(Duration most) throws InterruptedException {
        Backends mine;
        synchronized (this) {
            mine = backends;
        }
        return mine == null || mine.awaitList(most);
    }

    /// One of its loops; null when none exists yet.
    @Nullable
    EventLoop loop() {
        var known = settings.upstreamLoops().or(settings::checkLoops);
        return known.isPresent() ? EventLoop.of(known.get().next()) : null;
    }

    private static LongSupplier clock(@Nullable EventLoop loop) {
        return loop == null ? System::nanoTime : loop.clock();
    }

    /// The loops for checks, and for requests that did not come from a server.
    synchronized EventLoops control() {
        var said = settings.checkLoops().or(settings::upstreamLoops);
        if (said.isPresent()) return said.get();
        var mine = ownLoops;
        if (mine == null)
            ownLoops = mine = EventLoops.configure()
                    .name("millrace-checks")
                    .threads(1)
                    .daemon(true)
                    .start();
        return mine;
    }

    /// Stops following the list and checking health.
    synchronized void retire() {
        isRetired = true;
        if (checks != null) checks.close();
        if (backends != null) backends.close();
    }

    /// As [#retire], and opens nothing new.
    @Override
    public synchronized void close() {
        isClosed = true;
        retire();
        if (ownLoops != null) ownLoops.close();
    }
}
