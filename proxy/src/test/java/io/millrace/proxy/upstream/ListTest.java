package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// What becomes of backends when the list changes.
class ListTest {
    private static final long NOW = Upstreams.START;

    @Test
    void who_stays_keeps_requests_counters_and_health() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(3));
        var kept = upstream.members().get(1);
        assertTrue(kept.began());
        Upstreams.fail(kept, 5, NOW);
        upstream.update(List.of(Upstreams.endpoint(7), Upstreams.endpoint(1)), NOW);
        assertSame(kept, upstream.members().get(1));
        assertEquals(1, kept.requests().taken());
        assertTrue(kept.isEjected());
    }

    @Test
    void a_new_weight_counts_at_once() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.weighted(1, 1));
        var before = upstream.members();
        upstream.update(Upstreams.weighted(3, 1), NOW);
        assertEquals(before, upstream.members());
        assertEquals(75, Upstreams.chosen(upstream, 100, NOW)[0]);
    }

    @Test
    void who_leaves_gets_no_more_requests_and_ends_those_it_has() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        for (int i = 0; i < 2; i++) assertTrue(gone.began());
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        assertFalse(gone.began());
        assertEquals(List.of(gone), upstream.leaving());
        gone.ended(Outcome.SUCCESS, 1, NOW);
        assertEquals(List.of(gone), upstream.leaving());
        gone.ended(Outcome.SUCCESS, 1, NOW);
        assertEquals(List.of(), upstream.leaving());
        assertEquals(0, upstream.requests().taken());
    }

    @Test
    void who_comes_back_while_its_requests_run_is_the_same() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        assertTrue(gone.began());
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        upstream.update(Upstreams.equal(2), NOW);
        assertSame(gone, upstream.members().getFirst());
        assertTrue(gone.isAble());
        assertEquals(List.of(), upstream.leaving());
    }

    @Test
    void who_comes_back_while_its_requests_run_has_the_limits_of_now_and_those_requests_count() {
        var upstream = Upstreams.of(
                Balance.ROUND_ROBIN,
                Health.passive(),
                UpstreamLimits.standard().requestsPerBackend(1),
                1,
                Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        assertTrue(gone.began());
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        upstream.become(
                Balance.ROUND_ROBIN, Health.passive(), UpstreamLimits.standard().requestsPerBackend(100), NOW);
        upstream.update(Upstreams.equal(2), NOW);
        assertSame(gone, upstream.members().getFirst());
        assertEquals(100, gone.requests().most());
        assertEquals(1, gone.requests().taken());
    }

    @Test
    void who_was_unhealthy_comes_back_healthy_if_checks_have_ended() {
        var checked = Health.tcp();
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, checked, UpstreamLimits.standard(), 1, Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        assertTrue(gone.began());
        upstream.found(gone, false, "ill", NOW);
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        upstream.become(Balance.ROUND_ROBIN, checked.timeout(Duration.ofSeconds(1)), UpstreamLimits.standard(), NOW);
        assertFalse(gone.isHealthy());
        upstream.become(Balance.ROUND_ROBIN, Health.passive(), UpstreamLimits.standard(), NOW);
        upstream.update(Upstreams.equal(2), NOW);
        assertSame(gone, upstream.members().getFirst());
        assertTrue(gone.isAble());
    }

    @Test
    void who_was_disabled_comes_back_enabled() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        assertTrue(gone.began());
        assertTrue(upstream.setDisabled(gone.toString(), true, NOW));
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        upstream.update(Upstreams.equal(2), NOW);
        assertSame(gone, upstream.members().getFirst());
        assertTrue(gone.isAble());
    }

    @Test
    void who_comes_back_after_them_is_new() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(2));
        var gone = upstream.members().getFirst();
        upstream.update(List.of(Upstreams.endpoint(1)), NOW);
        upstream.update(Upstreams.equal(2), NOW);
        assertNotEquals(gone, upstream.members().getFirst());
    }

    @Test
    void failures_of_one_that_has_left_eject_nobody() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(4));
        var gone = upstream.members().getFirst();
        for (int i = 0; i < 9; i++) assertTrue(gone.began());
        upstream.update(Upstreams.equal(4).subList(1, 4), NOW);
        for (int i = 0; i < 9; i++) gone.ended(Outcome.RESET, 1, NOW);
        assertFalse(gone.isEjected());
    }

    @Test
    void of_two_with_the_same_address_the_first_counts() {
        var upstream = Upstreams.of(
                Balance.ROUND_ROBIN, List.of(Upstreams.endpoint(1, 5, 0, ""), Upstreams.endpoint(1, 7, 0, "")));
        assertEquals(1, upstream.members().size());
        assertEquals(5, upstream.members().getFirst().endpoint().weight());
    }

    @Test
    void of_a_list_that_is_too_long_the_first_are_used() {
        var upstream = Upstreams.of(Balance.ROUND_ROBIN, Upstreams.equal(10_001));
        assertEquals(10_000, upstream.members().size());
    }

    @Test
    void whatever_lists_come_only_those_of_the_last_one_are_chosen() {
        for (var way : Balance.Way.values()) {
            Upstreams.forEachSeed(20, random -> {
                var upstream = Upstreams.of(Balance.of(way), List.of());
                for (int i = 0; i < 20; i++) {
                    var list = new ArrayList<>(Upstreams.equal(20));
                    list.removeIf(_ -> random.nextBoolean());
                    upstream.update(List.copyOf(list), NOW);
                    var addresses =
                            new HashSet<>(list.stream().map(Endpoint::address).toList());
                    for (int n = 0; n < 50; n++) {
                        var chosen = upstream.choose(random.nextLong(), List.of(), NOW);
                        assertEquals(list.isEmpty(), chosen == null);
                        if (chosen != null) assertTrue(addresses.contains(chosen.address()));
                    }
                }
            });
        }
    }

    @Test
    void a_source_is_followed_until_the_upstream_is_closed() {
        var listeners = new ArrayList<Consumer<List<Endpoint>>>();
        var isEnded = new AtomicBoolean();
        EndpointSource source = listener -> {
            listeners.add(listener);
            return () -> isEnded.set(true);
        };
        var upstream = new Backends("test", Balance.ROUND_ROBIN, Health.passive(), UpstreamLimits.standard(), 1, NOW);
        upstream.follow(source, () -> NOW);
        listeners.getFirst().accept(Upstreams.equal(3));
        assertEquals(3, upstream.members().size());
        upstream.close();
        assertTrue(isEnded.get());
        assertNotNull(upstream.choose(0, List.of(), NOW));
    }
}
