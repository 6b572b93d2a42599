package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EjectionTest {
    private static final Health HEALTH = Health.passive()
            .ejectionFailures(3)
            .ejectionTime(Duration.ofSeconds(10))
            .maxEjectionTime(Duration.ofSeconds(35))
            .maxEjectedPercent(50);
    private static final long START = Upstreams.START;
    private static final long SECOND = 1_000_000_000;

    @Test
    void so_many_failures_in_a_row_eject() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        Upstreams.fail(bad, 2, START);
        assertTrue(bad.isAble());
        Upstreams.fail(bad, 1, START);
        assertTrue(bad.isEjected());
        assertFalse(bad.isAble());
        assertEquals(1, bad.ejections());
        assertEquals(3, bad.ended(Outcome.RESET));
    }

    @Test
    void why_it_was_ejected_is_told() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        Upstreams.fail(bad, 2, START);
        assertTrue(bad.began());
        bad.ended(Outcome.ERROR_STATUS, 503, 1, START);
        assertEquals("3 requests in a row failed, and the last one was answered with status 503", bad.ejectionCause());
    }

    @Test
    void a_success_in_between_begins_the_count_anew() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        for (int i = 0; i < 10; i++) {
            Upstreams.fail(bad, 2, START);
            assertTrue(bad.began());
            bad.ended(Outcome.SUCCESS, 1, START);
        }
        assertFalse(bad.isEjected());
    }

    @ParameterizedTest
    @EnumSource
    void what_is_no_failure_does_not_count(Outcome outcome) {
        var upstream = upstream(2);
        var backend = upstream.members().getFirst();
        for (int i = 0; i < 5; i++) {
            assertTrue(backend.began() || outcome.isFailure());
            if (backend.isAble()) backend.ended(outcome, 1, START);
        }
        assertEquals(outcome.isFailure(), backend.isEjected());
    }

    @Test
    void an_abandoned_request_says_nothing() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        Upstreams.fail(bad, 2, START);
        assertTrue(bad.began());
        bad.ended(Outcome.ABANDONED, 1, START);
        Upstreams.fail(bad, 1, START);
        assertTrue(bad.isEjected());
    }

    @Test
    void it_is_chosen_again_when_its_time_is_over() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        Upstreams.fail(bad, 3, START);
        assertEquals(0, Upstreams.chosen(upstream, 100, START + 10 * SECOND - 1)[0]);
        assertEquals(50, Upstreams.chosen(upstream, 100, START + 10 * SECOND)[0]);
        assertFalse(bad.isEjected());
    }

    @Test
    void each_ejection_is_longer_up_to_the_longest() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        long now = START;
        for (long seconds : new long[] {10, 20, 30, 35, 35}) {
            Upstreams.fail(bad, 3, now);
            assertEquals(now + seconds * SECOND, end(upstream, bad, now));
            now += seconds * SECOND;
        }
    }

    /// When it is chosen again, to the second.
    private static long end(Backends upstream, Backend bad, long nowNanos) {
        for (long now = nowNanos; ; now += SECOND) {
            assertNotNull(upstream.choose(0, List.of(), now));
            if (!bad.isEjected()) return now;
        }
    }

    @Test
    void for_each_base_time_without_another_one_is_forgiven() {
        var upstream = upstream(2);
        var bad = upstream.members().getFirst();
        long now = START;
        for (int i = 0; i < 3; i++) {
            Upstreams.fail(bad, 3, now);
            now = end(upstream, bad, now);
        }
        now += 20 * SECOND;
        Upstreams.fail(bad, 3, now);
        // Three, two of them forgiven, and this one.
        assertEquals(now + 20 * SECOND, end(upstream, bad, now));
    }

    @Test
    void the_only_one_is_never_ejected_and_the_guard_counts() {
        var upstream = upstream(1);
        long before = ProxyGuards.UPSTREAM_EJECTED.count();
        Upstreams.fail(upstream.members().getFirst(), 9, START);
        assertFalse(upstream.members().getFirst().isEjected());
        assertEquals(before + 3, ProxyGuards.UPSTREAM_EJECTED.count());
    }

    @Test
    void never_more_than_the_share_is_away() {
        Upstreams.forEachSeed(300, random -> {
            int count = 1 + random.nextInt(12);
            int percent = random.nextInt(101);
            var upstream = Upstreams.of(
                    Balance.of(List.of(Balance.Way.values()).get(random.nextInt(5))),
                    HEALTH.maxEjectedPercent(percent),
                    UpstreamLimits.standard(),
                    random.nextLong(),
                    Upstreams.equal(count));
            long now = START;
            long ejections = 0;
            for (int i = 0; i < 300; i++) {
                now += random.nextLong(5 * SECOND);
                var any = upstream.members().get(random.nextInt(count));
                if (random.nextInt(4) > 0) Upstreams.fail(any, random.nextInt(5), now);
                else upstream.choose(random.nextLong(), List.of(), now);
                long away =
                        upstream.members().stream().filter(Backend::isEjected).count();
                assertTrue(away * 100 <= (long) percent * count, () -> away + " of " + count + " at " + percent + " %");
                ejections = upstream.members().stream()
                        .mapToLong(Backend::ejections)
                        .sum();
            }
            assertEquals(percent * count >= 100, ejections > 0);
        });
    }

    @Test
    void ejections_of_a_hundred_percent_leave_nobody() {
        var upstream = Upstreams.of(
                Balance.ROUND_ROBIN, HEALTH.maxEjectedPercent(100), UpstreamLimits.standard(), 1, Upstreams.equal(3));
        for (var backend : upstream.members()) Upstreams.fail(backend, 3, START);
        assertNull(upstream.choose(0, List.of(), START));
        assertEquals(NoBackend.NONE_HEALTHY, upstream.noBackend(List.of()));
        assertNotNull(upstream.choose(0, List.of(), START + 10 * SECOND));
    }

    private static Backends upstream(int count) {
        return Upstreams.of(Balance.ROUND_ROBIN, HEALTH, UpstreamLimits.standard(), 1, Upstreams.equal(count));
    }
}
