package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What the log and the journal say of backends: a line when one goes, and a line when it is back.
class BackendNewsTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Health PASSIVE = Health.passive().ejectionFailures(3).ejectionTime(Duration.ofSeconds(10));
    private static final long START = Upstreams.START;
    private static final long SECOND = 1_000_000_000;

    private final String name = "news-" + NAMES.incrementAndGet();

    private Backends upstream(Health health, int count) {
        var made = new Backends(name, Balance.ROUND_ROBIN, health, UpstreamLimits.standard(), 1, START);
        made.update(Upstreams.equal(count), START);
        return made;
    }

    private static void succeed(Backend backend, long nowNanos) {
        assertTrue(backend.began());
        backend.ended(Outcome.SUCCESS, 200, 1, nowNanos);
    }

    /// Those of this upstream, without its name.
    private List<String> story() {
        return ProxyEvents.ofProcess().all().stream()
                .filter(event -> event.what().startsWith(name + ": "))
                .map(event -> (event.isTrouble() ? "WARNING " : "INFO ")
                        + event.what().substring(name.length() + 2))
                .toList();
    }

    @Test
    void the_only_backend_that_cannot_be_reached_is_told_once_and_its_return() {
        var upstream = upstream(PASSIVE, 1);
        var only = upstream.members().getFirst();
        for (int i = 0; i < 20; i++) {
            only.unreachable("connection refused", START);
            Upstreams.fail(only, 1, START);
        }
        succeed(only, START + 12 * SECOND);
        succeed(only, START + 13 * SECOND);
        assertEquals(
                List.of(
                        "WARNING 10.0.0.0:80 cannot be reached: connection refused",
                        "INFO 10.0.0.0:80 answers again, after 12 s"),
                story());
    }

    @Test
    void one_that_fails_and_is_not_ejected_is_told_with_the_reason() {
        var upstream = upstream(PASSIVE, 1);
        var only = upstream.members().getFirst();
        Upstreams.fail(only, 30, START);
        succeed(only, START + SECOND);
        assertEquals(
                List.of(
                        "WARNING 10.0.0.0:80 fails, and stays in use, because at most 50 % of 1 backend may be ejected:"
                                + " 3 requests in a row failed, and the last one was cut off before it was answered",
                        "INFO 10.0.0.0:80 answers again, after 1 s"),
                story());
    }

    @Test
    void an_ejection_is_told_with_its_end_and_with_the_first_request_that_succeeds() {
        var upstream = upstream(PASSIVE, 2);
        var bad = upstream.members().getFirst();
        Upstreams.fail(bad, 3, START);
        // One that was under way says nothing.
        bad.counted(Outcome.SUCCESS, 200, 1, START + SECOND);
        assertTrue(upstream.mayTake(bad, List.of(), START + 10 * SECOND));
        succeed(bad, START + 11 * SECOND);
        assertEquals(
                List.of(
                        "WARNING 10.0.0.0:80 is ejected for 10 s: 3 requests in a row failed, and the last one was cut"
                                + " off before it was answered",
                        "INFO 10.0.0.0:80 is back: its ejection is over",
                        "INFO 10.0.0.0:80 answers again, after 11 s"),
                story());
    }

    @Test
    void a_backend_that_is_checked_is_told_of_by_its_checks_alone() {
        var upstream = upstream(Health.tcp(), 1);
        var only = upstream.members().getFirst();
        only.unreachable("connection refused", START);
        upstream.found(only, false, "connection refused", START + SECOND);
        upstream.found(only, true, "connected", START + 3 * SECOND);
        succeed(only, START + 4 * SECOND);
        assertEquals(
                List.of(
                        "WARNING 10.0.0.0:80 is unhealthy, and gets no requests: connection refused",
                        "INFO 10.0.0.0:80 is healthy after 2 s: connected"),
                story());
    }

    @Test
    void a_backend_that_flaps_does_not_flood_the_log_which_ends_with_its_state() {
        var upstream = upstream(Health.tcp(), 1);
        var only = upstream.members().getFirst();
        for (int i = 1; i <= 1001; i++) upstream.found(only, i % 2 == 0, "finding " + i, START);
        assertEquals(10, story().size());
        upstream.found(only, false, "finding 1002", START + 10 * SECOND);
        assertEquals(
                "WARNING 10.0.0.0:80 is unhealthy, and gets no requests: finding 1001 (the log leaves out 990 changes"
                        + " before it)",
                story().getLast());
    }
}
