package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Threads choose while lists, health and ejections change.
class BackendsStressTest {
    private static final Health HEALTH = Health.tcp()
            .ejectionFailures(2)
            .ejectionTime(Duration.ofNanos(50_000))
            .maxEjectedPercent(40);

    @ParameterizedTest
    @EnumSource
    void all_requests_begin_and_end(Balance.Way way) throws Exception {
        var upstream = Upstreams.of(
                Balance.of(way).slowStart(Duration.ofNanos(100_000)),
                HEALTH,
                UpstreamLimits.standard().requestsPerBackend(5),
                1,
                Upstreams.equal(10));
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        var isOver = new AtomicBoolean();
        var changing = start(failures, () -> {
            var random = new SplittableRandom(1);
            while (!isOver.get()) change(upstream, random);
        });
        var choosing = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            var random = new SplittableRandom(i);
            choosing.add(start(failures, () -> {
                for (int n = 0; n < 30_000; n++) request(upstream, random);
            }));
        }
        for (var thread : choosing) thread.join();
        isOver.set(true);
        changing.join();
        assertEquals(List.of(), List.copyOf(failures));
        assertEquals(0, upstream.requests().taken());
        assertEquals(List.of(), upstream.leaving());
    }

    private static Thread start(Queue<Throwable> failures, Runnable work) {
        return Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                failures.add(e);
            }
        });
    }

    private static void change(Backends upstream, SplittableRandom random) {
        long now = Upstreams.START + random.nextLong(1_000_000);
        if (random.nextInt(20) == 0) {
            List<Endpoint> list = new ArrayList<>(Upstreams.equal(10));
            list.removeIf(_ -> random.nextInt(3) == 0);
            upstream.update(list, now);
        }
        for (var backend : upstream.members()) upstream.found(backend, random.nextInt(5) > 0, "luck", now);
    }

    private static void request(Backends upstream, SplittableRandom random) {
        long now = Upstreams.START + random.nextLong(1_000_000);
        var backend = upstream.choose(random.nextLong(), List.of(), now);
        if (backend == null || !backend.began()) return;
        backend.ended(random.nextBoolean() ? Outcome.RESET : Outcome.SUCCESS, 10, now);
    }
}
