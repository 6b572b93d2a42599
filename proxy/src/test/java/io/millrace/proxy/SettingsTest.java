package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Listen;
import io.millrace.Tcp;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What can be said of an upstream.
class SettingsTest {
    private static final Health HEALTH = Health.http("/");
    private static final UpstreamLimits LIMITS = UpstreamLimits.standard();
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void a_change_is_a_copy() {
        var changed = Balance.HASH.zone("eu-1").spilloverThresholdPercent(50).slowStart(SECOND);
        assertEquals("eu-1", changed.zone());
        assertEquals(50, changed.spilloverThresholdPercent());
        assertEquals(SECOND, changed.slowStart());
        assertEquals("", Balance.HASH.zone());
        assertEquals(70, Balance.HASH.spilloverThresholdPercent());
        assertEquals(Duration.ZERO, Balance.HASH.slowStart());
        assertEquals(7, LIMITS.pending(7).pending());
        assertEquals(1000, LIMITS.pending());
        assertFalse(HEALTH.initiallyHealthy(false).initiallyHealthy());
        assertTrue(HEALTH.initiallyHealthy());
    }

    @Test
    void an_upstream_with_something_set_is_another_one() {
        try (var one = Upstream.of("http://127.0.0.1:9").name("one");
                var other = one.name("other").start()) {
            assertEquals("one", one.name());
            assertEquals("other", other.name());
            assertTrue(one.backends().isEmpty());
            assertTrue(other.backends().isPresent());
        }
    }

    @Test
    void an_upstream_that_has_started_takes_no_more_settings() {
        try (var requests = Upstream.of("http://127.0.0.1:9").name("shop").start();
                var bytes = TcpUpstream.of("127.0.0.1:9").name("disk").start()) {
            var refused = assertThrows(IllegalStateException.class, () -> requests.collect(1));
            assertEquals(
                    "shop has started, and collect would make another upstream: set it before the start, or make two",
                    refused.getMessage());
            assertThrows(IllegalStateException.class, () -> bytes.attempts(1));
        }
    }

    @Test
    void an_upstream_does_not_start_without_what_was_set_and_dropped() {
        try (var upstream = Upstream.of("http://127.0.0.1:9")) {
            var _ = upstream.collect(1);
            var refused = assertThrows(IllegalStateException.class, upstream::start);
            assertTrue(refused.toString().contains("what collect(…) returned was not used"), refused::toString);
        }
    }

    @Test
    void a_server_does_not_start_with_an_upstream_of_layer_4_without_what_was_set_and_dropped() {
        try (var upstream = TcpUpstream.of("127.0.0.1:9")) {
            var _ = upstream.attempts(1);
            var refused = assertThrows(IllegalStateException.class, () -> Tcp.listen(Listen.on(0), upstream));
            assertTrue(refused.toString().contains("what attempts(…) returned was not used"), refused::toString);
        }
    }

    @Test
    void the_statuses_that_are_good_can_be_said() {
        var health = HEALTH.statuses(204, 404);
        assertTrue(health.isExpected(204) && health.isExpected(404));
        assertFalse(health.isExpected(200) || health.isExpected(405));
    }

    @Test
    void an_ejection_that_is_longer_than_the_longest_makes_that_longer() {
        var health = HEALTH.ejectionTime(Duration.ofHours(1));
        assertEquals(Duration.ofHours(1), health.maxEjectionTime());
    }

    static Stream<Executable> nonsense() {
        return Stream.of(
                () -> Balance.HASH.spilloverThresholdPercent(0),
                () -> Balance.HASH.spilloverThresholdPercent(101),
                () -> Balance.HASH.slowStart(Duration.ofSeconds(-1)),
                () -> Health.http("healthz"),
                () -> HEALTH.statuses(199, 299),
                () -> HEALTH.statuses(200, 600),
                () -> HEALTH.statuses(300, 200),
                () -> HEALTH.interval(Duration.ZERO),
                () -> HEALTH.timeout(Duration.ZERO),
                () -> HEALTH.jitterPercent(101),
                () -> HEALTH.healthyThreshold(0),
                () -> HEALTH.unhealthyThreshold(0),
                () -> HEALTH.ejectionFailures(0),
                () -> HEALTH.ejectionTime(Duration.ZERO),
                () -> HEALTH.maxEjectionTime(SECOND),
                () -> HEALTH.maxEjectedPercent(-1),
                () -> LIMITS.connections(0),
                () -> LIMITS.connectionsPerBackend(0),
                () -> LIMITS.pending(-1),
                () -> LIMITS.pendingPerBackend(-1),
                () -> LIMITS.requests(0),
                () -> LIMITS.requestsPerBackend(0),
                () -> LIMITS.retryPercent(101),
                () -> LIMITS.retriesPerSecond(-1));
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void what_makes_no_sense_is_refused_with_what_to_take_instead(Executable change) {
        var refused = assertThrows(IllegalArgumentException.class, change);
        assertTrue(refused.toString().contains("take "), refused::toString);
    }
}
