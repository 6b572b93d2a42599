package io.millrace.proxy.admin;

import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Samples what backends counted since the last sample. Used by one thread.
final class BackendSampler {
    /// The most backends in a sample, of all upstreams together (`docs/limits.md`).
    static final int MOST = 500;

    /// The share of a count that is left a second later: latencies cover the last few seconds, because a
    /// backend may have few requests in each.
    private static final double KEPT = 0.8;

    private Map<Backend, Counted> before = Map.of();
    private Map<Backend, Counted> now = new HashMap<>();
    private int out;
    private int room;

    /// @param durations the counts of a [io.millrace.http.filter.Histogram]
    /// @param lately the same, decaying
    @SuppressWarnings("ArrayRecordComponent") // never changed
    private record Counted(long requests, long failures, long[] durations, double[] lately) {
        static Counted of(Backend backend) {
            long failures = 0;
            for (var outcome : Outcome.values()) if (outcome.isFailure()) failures += backend.ended(outcome);
            var durations = backend.durations().counts();
            return new Counted(backend.ended(), failures, durations, new double[durations.length]);
        }

        Counted after(Counted last) {
            for (int i = 0; i < lately.length; i++) {
                lately[i] = last.lately[i] * KEPT + durations[i] - last.durations[i];
                // A count that has decayed this far is zero.
                if (lately[i] < 0.01) lately[i] = 0;
            }
            return this;
        }
    }

    List<Sample.OfUpstream> take(List<Watched.WatchedUpstream> groups, long nowNanos, double seconds) {
        out = 0;
        room = MOST;
        now = new HashMap<>();
        var all = new ArrayList<Sample.OfUpstream>();
        for (var group : groups) all.add(ofUpstream(group, nowNanos, seconds));
        before = now;
        return all;
    }

    /// Backends on the list that got no requests at the last sample.
    int out() {
        return out;
    }

    private Sample.OfUpstream ofUpstream(Watched.WatchedUpstream group, long nowNanos, double seconds) {
        List<Backend> all = new ArrayList<>();
        long retries = 0;
        for (var backends : group.backends()) {
            all.addAll(members(backends));
            retries += backends.retries().retries();
        }
        for (var backend : all) if (backend.isListed() && !backend.isAble()) out++;
        if (all.size() > room) all = troubledFirst(all);
        var shown = all.subList(0, Math.min(all.size(), room));
        room -= shown.size();
        var ofBackends =
                shown.stream().map(one -> ofBackend(one, nowNanos, seconds)).toList();
        return new Sample.OfUpstream(
                group.name(), group.layer(), retries, group.webSockets(), ofBackends, all.size() - shown.size());
    }

    /// Backends with problems come first. Each is checked once, because its state may change meanwhile.
    private static List<Backend> troubledFirst(List<Backend> all) {
        var byAble = all.stream().collect(Collectors.partitioningBy(Backend::isAble));
        var sorted = new ArrayList<>(byAble.get(false));
        sorted.addAll(byAble.get(true));
        return sorted;
    }

    private static List<Backend> members(Backends backends) {
        var all = new ArrayList<>(backends.members());
        all.addAll(backends.leaving());
        return all;
    }

    private Sample.OfBackend ofBackend(Backend backend, long nowNanos, double seconds) {
        var counted = Counted.of(backend);
        var last = before.getOrDefault(backend, counted);
        now.put(backend, counted.after(last));
        var endpoint = backend.endpoint();
        var state = state(backend, nowNanos);
        return new Sample.OfBackend(
                backend.toString(),
                state,
                why(state, backend, nowNanos),
                endpoint.weight(),
                endpoint.priority(),
                endpoint.zone(),
                (counted.requests - last.requests) / seconds,
                (counted.failures - last.failures) / seconds,
                counted.requests,
                counted.failures,
                backend.requests().taken(),
                backend.pending().taken(),
                backend.ejections(),
                Sampler.micros(counted.lately, 0.5),
                Sampler.micros(counted.lately, 0.99));
    }

    private static Sample.State state(Backend backend, long nowNanos) {
        if (!backend.isListed()) return Sample.State.LEAVING;
        if (backend.isDisabled()) return Sample.State.OUT;
        if (!backend.isHealthy()) return Sample.State.DOWN;
        if (backend.isEjected()) return Sample.State.EJECTED;
        return backend.warmth(nowNanos) < 1 ? Sample.State.WARMING : Sample.State.UP;
    }

    private static String why(Sample.State state, Backend backend, long nowNanos) {
        return switch (state) {
            case LEAVING -> "removed from the list; its last requests are ending";
            case OUT -> "disabled here";
            case DOWN -> backend.finding();
            case EJECTED -> ejected(backend, nowNanos);
            case WARMING -> "has " + Math.round(100 * backend.warmth(nowNanos)) + " % of its weight";
            case UP -> backend.finding();
        };
    }

    private static String ejected(Backend backend, long nowNanos) {
        long seconds = (backend.ejectedUntilNanos() - nowNanos) / 1_000_000_000;
        return backend.ejectionCause() + "; back " + (seconds < 1 ? "with the next request" : "in " + seconds + " s");
    }
}
