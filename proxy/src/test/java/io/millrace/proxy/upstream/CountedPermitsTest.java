package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The limits of an upstream and its backends.
class CountedPermitsTest {
    private static final long NOW = Upstreams.START;

    @Test
    void a_backend_takes_so_many_requests_and_the_guard_counts() {
        var upstream = upstream(UpstreamLimits.standard().requestsPerBackend(2), 1);
        var backend = upstream.members().getFirst();
        for (int i = 0; i < 2; i++) assertTrue(backend.began());
        long before = ProxyGuards.BACKEND_REQUESTS.count();
        assertFalse(backend.began());
        assertEquals(before + 1, ProxyGuards.BACKEND_REQUESTS.count());
        backend.ended(Outcome.SUCCESS, 1, NOW);
        assertTrue(backend.began());
    }

    @Test
    void all_backends_together_take_so_many() {
        var upstream = upstream(UpstreamLimits.standard().requests(3), 2);
        var first = upstream.members().getFirst();
        var second = upstream.members().getLast();
        for (var backend : List.of(first, first, second)) assertTrue(backend.began());
        long before = ProxyGuards.UPSTREAM_REQUESTS.count();
        assertFalse(second.began());
        assertEquals(before + 1, ProxyGuards.UPSTREAM_REQUESTS.count());
        assertEquals(1, second.requests().taken());
        assertEquals(3, upstream.requests().taken());
    }

    @Test
    void when_all_are_full_nobody_is_chosen_and_the_guard_counts() {
        var upstream = upstream(UpstreamLimits.standard().requestsPerBackend(1), 2);
        for (var backend : upstream.members()) assertTrue(backend.began());
        long before = ProxyGuards.BACKEND_REQUESTS.count();
        assertNull(upstream.choose(0, List.of(), NOW));
        assertEquals(before + 1, ProxyGuards.BACKEND_REQUESTS.count());
        assertEquals(NoBackend.ALL_BUSY, upstream.noBackend(List.of()));
    }

    @Test
    void when_the_upstream_is_full_nobody_is_chosen_and_its_guard_counts() {
        var upstream = upstream(UpstreamLimits.standard().requests(1), 2);
        assertTrue(upstream.members().getFirst().began());
        long before = ProxyGuards.UPSTREAM_REQUESTS.count();
        assertNull(upstream.choose(0, List.of(), NOW));
        assertEquals(before + 1, ProxyGuards.UPSTREAM_REQUESTS.count());
    }

    @Test
    void connections_and_requests_that_wait_have_limits_of_their_own() {
        var limits = UpstreamLimits.standard()
                .connections(3)
                .connectionsPerBackend(2)
                .pending(1)
                .pendingPerBackend(0);
        var upstream = upstream(limits, 2);
        var first = upstream.members().getFirst();
        var second = upstream.members().getLast();
        for (int i = 0; i < 2; i++) assertTrue(first.connections().take());
        assertFalse(first.connections().take());
        assertTrue(second.connections().take());
        assertFalse(second.connections().take());
        assertFalse(first.pending().take());
        assertEquals(0, upstream.pending().taken());
    }

    @Test
    void many_threads_never_take_more_than_there_is() throws Exception {
        var upstream = upstream(UpstreamLimits.standard().requests(5).requestsPerBackend(3), 2);
        var threads = new ArrayList<Thread>();
        var failures = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < 50_000; n++) {
                    var backend = upstream.choose(0, List.of(), NOW);
                    if (backend == null || !backend.began()) continue;
                    if (backend.requests().taken() > 3 || upstream.requests().taken() > 5) {
                        synchronized (failures) {
                            failures.add(backend + " has " + backend.requests().taken());
                        }
                    }
                    backend.ended(Outcome.SUCCESS, 1, NOW);
                }
            }));
        }
        for (var thread : threads) thread.join();
        assertEquals(List.of(), failures);
        assertEquals(0, upstream.requests().taken());
        for (var backend : upstream.members())
            assertEquals(0, backend.requests().taken());
    }

    private static Backends upstream(UpstreamLimits limits, int count) {
        return Upstreams.of(Balance.LEAST_REQUESTS, Health.passive(), limits, 1, Upstreams.equal(count));
    }
}
