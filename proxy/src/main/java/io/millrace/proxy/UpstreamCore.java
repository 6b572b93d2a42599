package io.millrace.proxy;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.loop.Derived;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.HealthChecks;
import io.millrace.tls.TlsClient;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What upstreams of both layers have in common: what is said of their backends before they serve, and then the
/// backends, whose list is followed and whose health is checked. Its fields are set before the first use, and
/// under the lock later; its methods may be called by any thread.
final class UpstreamCore implements AutoCloseable {
    static {
        ProxyGuards.declare();
    }

    private final Derived derived;
    private EndpointSource source;
    String name = "upstream";
    Balance balance = Balance.ROUND_ROBIN;
    Health health = Health.passive();
    UpstreamLimits limits = UpstreamLimits.standard();

    /// Where connections to backends are, unless on the loop of their client's.
    Optional<EventLoops> loops = Optional.empty();

    /// How backends are told whose connection it is, which has to be said of checks, too.
    Optional<Version> announced = Optional.empty();

    /// How TLS is spoken with backends, if it is.
    Optional<TlsClient> tls = Optional.empty();

    /// Where backends are checked, if somebody has said so.
    Optional<EventLoops> checkLoops = Optional.empty();

    // Guarded by this.

    private @Nullable EventLoops ownLoops;
    private @Nullable HealthChecks checks;
    private @Nullable Backends backends;
    private boolean isClosed;

    UpstreamCore(EndpointSource source) {
        this.derived = Derived.first();
        this.source = source;
    }

    /// What is said of another one; nothing of what it has begun.
    private UpstreamCore(UpstreamCore from, Derived derived) {
        this.derived = derived;
        this.source = from.source;
        this.name = from.name;
        this.checkLoops = from.checkLoops;
        take(from);
    }

    /// For a change: nobody else has it yet.
    ///
    /// @param setter what is to be set
    /// @throws IllegalStateException when this has begun
    synchronized UpstreamCore next(String setter) {
        if (backends != null) {
            throw new IllegalStateException(
                    name + " has started, and " + setter + " would be another one's: set it before, or make two");
        }
        return new UpstreamCore(this, derived.next(setter));
    }

    /// Somebody starts it.
    ///
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    void use() {
        derived.use();
    }

    private void take(UpstreamCore from) {
        balance = from.balance;
        health = from.health;
        limits = from.limits;
        loops = from.loops;
        announced = from.announced;
        tls = from.tls;
    }

    /// Begins to follow the list and to check health. Once.
    ///
    /// @param clock that of the loops
    /// @throws IllegalStateException when it is closed
    synchronized Backends open(LongSupplier clock) {
        if (isClosed) throw new IllegalStateException("this upstream is closed: make another one");
        long seed = ThreadLocalRandom.current().nextLong();
        var opened = new Backends(name, balance, health, limits, seed, clock.getAsLong());
        startChecks(opened);
        opened.follow(source, clock);
        backends = opened;
        return opened;
    }

    private void startChecks(Backends of) {
        if (health.check() == Health.Check.NONE) return;
        long seed = ThreadLocalRandom.current().nextLong();
        checks = HealthChecks.start(of, control(), connecting(), seed);
    }

    /// How a connection is made that is nobody's.
    private Function<SocketAddress, Connect> connecting() {
        var stage = announced.map(ProxyProtocol::own);
        var secured = tls;
        return to -> {
            var plain = Connect.to(to);
            return secured(stage.map(plain::through).orElse(plain), to, secured);
        };
    }

    /// With TLS, if that is spoken: the name is that of the client, or else the host.
    static Connect secured(Connect connect, SocketAddress to, Optional<TlsClient> tls) {
        return tls.isEmpty() ? connect : connect.through(UpstreamTls.of(tls.get(), to));
    }

    /// Takes over what is said of another one, which nobody has used; its backends stay what they are, by address.
    ///
    /// @param hasNewSource whether the list comes from somewhere else
    synchronized void become(UpstreamCore next, boolean hasNewSource) {
        boolean hasNewChecks =
                !health.equals(next.health) || !announced.equals(next.announced) || !tls.equals(next.tls);
        take(next);
        if (hasNewSource) source = next.source;
        var mine = backends;
        if (mine == null) return;
        mine.become(balance, health, limits, clock().getAsLong());
        if (hasNewChecks) {
            if (checks != null) checks.close();
            checks = null;
            startChecks(mine);
        }
        if (hasNewSource) mine.follow(source, clock());
    }

    /// Waits until the backends are known, if somebody has opened this.
    ///
    /// @return false when they are not, so long after
    boolean awaitBackends(Duration most) throws InterruptedException {
        Backends mine;
        synchronized (this) {
            mine = backends;
        }
        return mine == null || mine.awaitList(most);
    }

    /// That of its loops, or of those to come.
    LongSupplier clock() {
        var known = loops.or(() -> checkLoops);
        return known.isPresent() ? EventLoop.of(known.get().next()).clock() : System::nanoTime;
    }

    /// Where checks are made, and requests that came from no server.
    synchronized EventLoops control() {
        if (checkLoops.isPresent()) return checkLoops.get();
        if (loops.isPresent()) return loops.get();
        var mine = ownLoops;
        if (mine == null)
            ownLoops = mine = EventLoops.configure()
                    .name("millrace-checks")
                    .threads(1)
                    .daemon(true)
                    .start();
        return mine;
    }

    /// The list is not followed any more, and nobody is checked.
    synchronized void retire() {
        if (checks != null) checks.close();
        if (backends != null) backends.close();
    }

    /// As [#retire], and nothing new is opened.
    @Override
    public synchronized void close() {
        isClosed = true;
        retire();
        if (ownLoops != null) ownLoops.close();
    }
}
