package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlowStartTest {
    private static final int REQUESTS = 20_000;
    private static final Duration WINDOW = Duration.ofSeconds(20);
    private static final long START = Upstreams.START;

    @ParameterizedTest
    @EnumSource(names = "HASH", mode = EnumSource.Mode.EXCLUDE)
    void the_share_of_a_new_one_rises_with_time(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way).slowStart(WINDOW), Upstreams.equal(3));
        upstream.update(Upstreams.equal(4), START);
        assertEquals(0, share(upstream, 3, 0));
        assertEquals(0.25 / 3.25, share(upstream, 3, 0.25), 0.015);
        assertEquals(0.5 / 3.5, share(upstream, 3, 0.5), 0.02);
        assertEquals(0.25, share(upstream, 3, 1), 0.015);
    }

    @Test
    void it_may_carry_so_much_less_at_a_time() {
        var upstream = Upstreams.of(Balance.LEAST_REQUESTS.slowStart(WINDOW), Upstreams.equal(3));
        upstream.update(Upstreams.equal(4), START);
        for (int i = 0; i < 350; i++) {
            var chosen = upstream.choose(0, List.of(), START + WINDOW.toNanos() / 2);
            assertNotNull(chosen);
            chosen.began();
        }
        assertEquals(50, upstream.members().getLast().requests().taken(), 2);
    }

    @ParameterizedTest
    @EnumSource(names = "HASH", mode = EnumSource.Mode.EXCLUDE)
    void one_that_is_well_again_starts_slowly(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way).slowStart(WINDOW), Upstreams.equal(3));
        var ill = upstream.members().getLast();
        upstream.found(ill, false, "ill", START);
        upstream.found(ill, true, "well", START);
        assertEquals(0.5 / 2.5, share(upstream, 2, 0.5), 0.03);
    }

    @Test
    void one_that_was_ejected_starts_slowly() {
        var upstream = Upstreams.of(Balance.RANDOM.slowStart(WINDOW), Upstreams.equal(3));
        Upstreams.fail(
                upstream.members().getLast(), 5, START - Duration.ofSeconds(10).toNanos());
        assertEquals(0, share(upstream, 2, 0));
        assertEquals(0.5 / 2.5, share(upstream, 2, 0.5), 0.02);
    }

    @Test
    void those_of_the_first_list_have_their_whole_weight() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN.slowStart(WINDOW), Upstreams.equal(4));
        assertEquals(0.25, share(upstream, 0, 0));
    }

    @ParameterizedTest
    @EnumSource
    void when_all_are_new_they_share_everything(Balance.Way way) {
        var upstream = new Backends(
                "test", Balance.of(way).slowStart(WINDOW), Health.passive(), UpstreamLimits.standard(), 1, START);
        upstream.update(List.of(), START);
        upstream.update(Upstreams.equal(4), START);
        assertEquals(0.25, share(upstream, 1, 0.1), 0.02);
    }

    private static double share(Backends upstream, int member, double windows) {
        long now = START + (long) (windows * WINDOW.toNanos());
        return (double) Upstreams.chosen(upstream, REQUESTS, now)[member] / REQUESTS;
    }
}
