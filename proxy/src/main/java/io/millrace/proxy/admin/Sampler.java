package io.millrace.proxy.admin;

import io.millrace.Guards;
import io.millrace.http.filter.Histogram;
import io.millrace.net.Guard;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.admin.Sample.LoadSample;
import io.millrace.proxy.admin.Sample.MemoryUse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes a [Sample] at each call: counters, and their changes since the last one. Used by one thread.
final class Sampler {
    private final Watched watched;
    private final BackendSampler backends = new BackendSampler();
    private @Nullable Counted before;

    /// Counters at a moment.
    @SuppressWarnings("ArrayRecordComponent") // never changed
    private record Counted(
            long nanos,
            long[] statuses,
            long cut,
            long[] durations,
            Map<String, LoopCounters> loops,
            Map<Guard, Long> guards) {}

    Sampler(Watched watched) {
        this.watched = watched;
    }

    /// @param nowNanos by the clock of the loops, later than the last time
    Sample take(long nowNanos, long epochMillis) {
        var loops = watched.loops();
        var now = count(loops, nowNanos);
        var last = before == null ? now : before;
        before = now;
        // The first sample has no changes.
        double seconds = Math.max(1, nowNanos - last.nanos) / 1e9;
        var ofLoops = loops.stream()
                .map(loop -> ofLoop(loop, last.loops.getOrDefault(loop.loop(), loop), seconds))
                .toList();
        long requests = 0;
        for (long count : now.statuses) requests += count;
        var upstreams = backends.take(watched.upstreams(), nowNanos, seconds);
        return new Sample(
                moment(now, last, seconds, ofLoops, MemoryUse.now(loops), epochMillis),
                requests,
                backends.out(),
                ofLoops,
                upstreams,
                guards(now, last));
    }

    private Counted count(List<LoopCounters> loops, long nowNanos) {
        var statuses = new long[LoadSample.STATUSES.length];
        long cut = 0;
        long[] durations = {};
        for (var traffic : watched.traffic()) {
            statuses = sum(statuses, traffic.statuses());
            durations = sum(durations, traffic.durations().counts());
            cut += traffic.cut();
        }
        var byName = new HashMap<String, LoopCounters>();
        for (var loop : loops) byName.put(loop.loop(), loop);
        var guards = new HashMap<Guard, Long>();
        for (var guard : Guards.all()) guards.put(guard, guard.count());
        return new Counted(nowNanos, statuses, cut, durations, byName, guards);
    }

    private static long[] sum(long[] one, long[] other) {
        if (one.length == 0) return other;
        for (int i = 0; i < one.length; i++) one[i] += other[i];
        return one;
    }

    private static LoadSample moment(
            Counted now, Counted last, double seconds, List<Sample.OfLoop> loops, MemoryUse memory, long epochMillis) {
        var statuses = new double[now.statuses.length];
        for (int i = 0; i < statuses.length; i++) statuses[i] = (now.statuses[i] - last.statuses[i]) / seconds;
        var took = new double[now.durations.length];
        // Before the first listener there are no loops.
        for (int i = 0; i < took.length; i++) {
            took[i] = now.durations[i] - (last.durations.length == 0 ? 0 : last.durations[i]);
        }
        var micros = new double[LoadSample.SHARES.length];
        for (int i = 0; i < micros.length; i++) micros[i] = micros(took, LoadSample.SHARES[i]);
        return new LoadSample(
                epochMillis,
                statuses,
                (now.cut - last.cut) / seconds,
                micros,
                loops.stream().mapToDouble(Sample.OfLoop::receivedBytes).sum(),
                loops.stream().mapToDouble(Sample.OfLoop::sentBytes).sum(),
                loops.stream().mapToLong(Sample.OfLoop::connections).sum(),
                loops.stream().mapToDouble(Sample.OfLoop::busy).max().orElse(0),
                memory);
    }

    static double micros(double[] counts, double share) {
        return counts.length == 0 ? Double.NaN : Histogram.quantileNanos(counts, share) / 1000;
    }

    private static Sample.OfLoop ofLoop(LoopCounters now, LoopCounters last, double seconds) {
        return new Sample.OfLoop(
                now.loop(),
                now.connections(),
                Math.min(1, (now.busyNanos() - last.busyNanos()) / 1e9 / seconds),
                (now.bytesReceived() - last.bytesReceived()) / seconds,
                (now.bytesSent() - last.bytesSent()) / seconds,
                now.accepted(),
                now.failed(),
                now.stalls());
    }

    private static List<Sample.OfGuard> guards(Counted now, Counted last) {
        var acted = new ArrayList<Sample.OfGuard>();
        for (var guard : Guards.all()) {
            long count = now.guards.getOrDefault(guard, 0L);
            long lately = count - last.guards.getOrDefault(guard, 0L);
            if (count > 0) acted.add(new Sample.OfGuard(guard.name(), count, lately, guard.lastly()));
        }
        return acted;
    }

    /// The last five minutes. Any thread.
    static final class History {
        /// The seconds that are kept (`docs/limits.md`).
        static final int MOST = 300;

        /// Guarded by itself.
        private final ArrayDeque<LoadSample> moments = new ArrayDeque<>(MOST);

        void add(LoadSample moment) {
            synchronized (moments) {
                if (moments.size() == MOST) moments.removeFirst();
                moments.addLast(moment);
            }
        }

        /// Oldest first.
        List<LoadSample> all() {
            synchronized (moments) {
                return new ArrayList<>(moments);
            }
        }
    }
}
