package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// Upstreams for tests: backends that differ in their ports, and a time that begins near its wrapping around.
final class Upstreams {
    static final long START = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

    private Upstreams() {}

    static Endpoint endpoint(int number) {
        return endpoint(number, 1, 0, "");
    }

    static Endpoint endpoint(int number, int weight, int priority, String zone) {
        var address = InetAddress.ofLiteral("10.0." + (number >> 8) + "." + (number & 0xff));
        return new Endpoint(new InetSocketAddress(address, 80), weight, priority, zone);
    }

    static List<Endpoint> equal(int count) {
        var all = new ArrayList<Endpoint>();
        for (int i = 0; i < count; i++) all.add(endpoint(i));
        return all;
    }

    static List<Endpoint> weighted(int... weights) {
        var all = new ArrayList<Endpoint>();
        for (int i = 0; i < weights.length; i++) all.add(endpoint(i, weights[i], 0, ""));
        return all;
    }

    /// One whose backends a test may have found healthy or not.
    static Backends of(Balance balance, List<Endpoint> endpoints) {
        return of(balance, Health.tcp(), UpstreamLimits.standard(), 1, endpoints);
    }

    static Backends of(Balance balance, Health health, UpstreamLimits limits, long seed, List<Endpoint> endpoints) {
        var made = new Backends("test", balance, health, limits, seed, START);
        made.update(endpoints, START);
        return made;
    }

    /// How often each of the members was chosen, in their order.
    static int[] chosen(Backends upstream, int times, long nowNanos) {
        var counts = new HashMap<Backend, Integer>();
        for (int i = 0; i < times; i++) {
            counts.merge(upstream.choose(Mix.mix(i), List.of(), nowNanos), 1, Integer::sum);
        }
        return upstream.members().stream()
                .mapToInt(backend -> counts.getOrDefault(backend, 0))
                .toArray();
    }

    /// Who each of so many keys goes to.
    static List<Backend> keys(Backends upstream, int count) {
        var goes = new ArrayList<Backend>();
        for (int key = 0; key < count; key++) {
            goes.add(Objects.requireNonNull(upstream.choose(key, List.of(), START)));
        }
        return goes;
    }

    static void forEachSeed(int count, Consumer<SplittableRandom> property) {
        for (long seed = 1; seed <= count; seed++) {
            try {
                property.accept(new SplittableRandom(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /// Requests of it that fail, one after the other.
    static void fail(Backend backend, int times, long nowNanos) {
        for (int i = 0; i < times; i++) {
            if (backend.began()) backend.ended(Outcome.RESET, 1000, nowNanos);
        }
    }

    /// The watch of a source, whose end throws nothing.
    interface Watching extends AutoCloseable {
        @Override
        void close();
    }

    static Watching watch(EndpointSource source, Consumer<List<Endpoint>> listener) {
        var watch = source.watch(listener);
        return () -> {
            try {
                watch.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }
}
