package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.HttpVersion;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.upstream.Probe.TcpProbe;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/// The active checks of an upstream: one [HealthCheck] for each backend on the list, all on one loop.
public final class HealthChecks implements AutoCloseable {
    private final Backends upstream;
    private final EventLoop loop;
    private final Function<Backend, Probe> probes;

    // Used on the loop.

    private final SplittableRandom luck;
    private final Map<Backend, HealthCheck> checks = new LinkedHashMap<>();
    private boolean isClosed;

    HealthChecks(Backends upstream, EventLoop loop, Function<Backend, Probe> probes, long seed) {
        this.upstream = upstream;
        this.loop = loop;
        this.probes = probes;
        this.luck = new SplittableRandom(seed);
        upstream.onList(() -> onLoop(this::follow));
        onLoop(this::follow);
    }

    /// Begins to check the backends with [Backends#health], later ones included; call this before the
    /// upstream follows a source. Any thread.
    ///
    /// @param loops one of them runs the checks
    /// @param version of HTTP, for checks with requests
    /// @param connect how to connect for a check
    public static HealthChecks start(
            Backends upstream, EventLoops loops, HttpVersion version, Function<SocketAddress, Connect> connect) {
        var loop = EventLoop.of(loops.next());
        var health = upstream.health();
        return new HealthChecks(
                upstream,
                loop,
                backend -> probe(backend, health, version, loops, loop, connect),
                loop.luck().nextLong());
    }

    private static Probe probe(
            Backend backend,
            Health health,
            HttpVersion version,
            EventLoops loops,
            EventLoop loop,
            Function<SocketAddress, Connect> connect) {
        if (health.check() != Health.Check.TCP)
            return new HttpProbe(backend.address(), health, version, loops, connect);
        return new TcpProbe(backend.address(), loop, health.timeout(), connect);
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loops have ended: there is nothing to check or serve.
        }
    }

    /// Checks the backends on the list, and no others.
    private void follow() {
        if (isClosed || upstream.health().check() == Health.Check.NONE) return;
        var listed = new HashSet<>(upstream.members());
        checks.entrySet().removeIf(entry -> {
            if (listed.contains(entry.getKey())) return false;
            entry.getValue().close();
            return true;
        });
        for (var backend : upstream.members()) {
            if (checks.containsKey(backend)) continue;
            var check = new HealthCheck(upstream, backend, loop, probes.apply(backend), luck);
            checks.put(backend, check);
            check.start();
        }
    }

    /// Ends the checks; those in progress have no effect. Any thread.
    @Override
    public void close() {
        upstream.onList(() -> {});
        onLoop(() -> {
            isClosed = true;
            for (var check : checks.values()) check.close();
            checks.clear();
        });
    }
}
