package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Priorities, and zones.
class GroupsTest {
    private static final int REQUESTS = 40_000;
    private static final long NOW = Upstreams.START;

    @ParameterizedTest
    @EnumSource
    void the_second_priority_gets_nothing_while_enough_of_the_first_is_well(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way), priorities(10, 5));
        ill(upstream, 0, 3);
        assertEquals(REQUESTS, of(upstream, 0, 10));
    }

    /// With a threshold of 70 %.
    @ParameterizedTest
    @CsvSource({"4, 0.857", "5, 0.714", "7, 0.429", "9, 0.143", "10, 0"})
    void what_the_first_priority_cannot_take_goes_to_the_second(int ill, double share) {
        for (var way : Balance.Way.values()) {
            var upstream = Upstreams.of(Balance.of(way), priorities(10, 5));
            ill(upstream, 0, ill);
            assertEquals(share, (double) of(upstream, 0, 10) / REQUESTS, 0.02, way::name);
        }
    }

    @Test
    void when_all_together_are_not_enough_each_gets_in_proportion() {
        var upstream = Upstreams.of(Balance.RANDOM, priorities(10, 10));
        ill(upstream, 0, 8);
        ill(upstream, 10, 19);
        assertEquals(2 / 3.0, (double) of(upstream, 0, 10) / REQUESTS, 0.02);
    }

    @Test
    void a_retry_goes_on_to_the_next_priority() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, priorities(1, 1));
        var first = upstream.members().getFirst();
        assertEquals(upstream.members().getLast(), upstream.choose(0, List.of(first), NOW));
    }

    @ParameterizedTest
    @EnumSource
    void the_own_zone_is_preferred(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way).zone("here"), zones());
        assertEquals(REQUESTS, of(upstream, 0, 4));
    }

    @ParameterizedTest
    @EnumSource
    void without_a_zone_all_are_alike(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way), zones());
        assertEquals(0.4, (double) of(upstream, 0, 4) / REQUESTS, 0.03);
    }

    @Test
    void what_the_own_zone_cannot_take_goes_to_the_others() {
        var upstream = Upstreams.of(Balance.RANDOM.zone("here"), zones());
        ill(upstream, 0, 2);
        assertEquals(0.5 / 0.7, (double) of(upstream, 0, 4) / REQUESTS, 0.02);
    }

    @Test
    void enough_is_what_the_balance_says() {
        var upstream = Upstreams.of(Balance.RANDOM.spilloverThresholdPercent(50), priorities(10, 5));
        ill(upstream, 0, 5);
        assertEquals(REQUESTS, of(upstream, 0, 10));
    }

    @Test
    void weights_count_and_not_heads() {
        var heavy = Upstreams.endpoint(0, 9, 0, "");
        var upstream = Upstreams.of(
                Balance.RANDOM, List.of(heavy, Upstreams.endpoint(1, 1, 0, ""), Upstreams.endpoint(2, 1, 1, "")));
        ill(upstream, 1, 2);
        assertEquals(REQUESTS, of(upstream, 0, 1));
    }

    /// Four in this zone, six in others, one for want.
    private static List<Endpoint> zones() {
        var all = new ArrayList<Endpoint>();
        for (int i = 0; i < 10; i++) all.add(Upstreams.endpoint(i, 1, 0, i < 4 ? "here" : "zone-" + i % 2));
        return all;
    }

    private static List<Endpoint> priorities(int first, int second) {
        var all = new ArrayList<Endpoint>();
        for (int i = 0; i < first + second; i++) all.add(Upstreams.endpoint(i, 1, i < first ? 0 : 7, ""));
        return all;
    }

    private static void ill(Backends upstream, int from, int to) {
        for (int i = from; i < to; i++) upstream.found(upstream.members().get(i), false, "ill", NOW);
    }

    private static int of(Backends upstream, int from, int to) {
        var counts = Upstreams.chosen(upstream, REQUESTS, NOW);
        int sum = 0;
        for (int i = from; i < to; i++) sum += counts[i];
        return sum;
    }
}
