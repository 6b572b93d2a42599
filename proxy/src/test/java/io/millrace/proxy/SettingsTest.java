package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        var changed = Balance.HASH.withZone("eu-1").withEnough(50).withSlowStart(SECOND);
        assertEquals("eu-1", changed.zone());
        assertEquals(50, changed.enoughPercent());
        assertEquals(SECOND, changed.slowStart());
        assertEquals("", Balance.HASH.zone());
        assertEquals(70, Balance.HASH.enoughPercent());
        assertEquals(Duration.ZERO, Balance.HASH.slowStart());
        assertEquals(7, LIMITS.withPending(7).pending());
        assertEquals(1000, LIMITS.pending());
        assertFalse(HEALTH.withInitiallyHealthy(false).isInitiallyHealthy());
        assertTrue(HEALTH.isInitiallyHealthy());
    }

    @Test
    void the_statuses_that_are_good_can_be_said() {
        var health = HEALTH.withStatuses(204, 404);
        assertTrue(health.isExpected(204) && health.isExpected(404));
        assertFalse(health.isExpected(200) || health.isExpected(405));
    }

    @Test
    void an_ejection_that_is_longer_than_the_longest_makes_that_longer() {
        var health = HEALTH.withEjection(1, Duration.ofHours(1));
        assertEquals(Duration.ofHours(1), health.longestEjection());
    }

    static Stream<Executable> nonsense() {
        return Stream.of(
                () -> Balance.HASH.withEnough(0),
                () -> Balance.HASH.withEnough(101),
                () -> Balance.HASH.withSlowStart(Duration.ofSeconds(-1)),
                () -> Health.http("healthz"),
                () -> HEALTH.withStatuses(199, 299),
                () -> HEALTH.withStatuses(200, 600),
                () -> HEALTH.withStatuses(300, 200),
                () -> HEALTH.withInterval(Duration.ZERO),
                () -> HEALTH.withTimeout(Duration.ZERO),
                () -> HEALTH.withJitter(101),
                () -> HEALTH.withThresholds(0, 1),
                () -> HEALTH.withThresholds(1, 0),
                () -> HEALTH.withEjection(0, SECOND),
                () -> HEALTH.withEjection(1, Duration.ZERO),
                () -> HEALTH.withLongestEjection(SECOND),
                () -> HEALTH.withMostEjected(-1),
                () -> LIMITS.withConnections(0),
                () -> LIMITS.withConnectionsPerBackend(0),
                () -> LIMITS.withPending(-1),
                () -> LIMITS.withPendingPerBackend(-1),
                () -> LIMITS.withRequests(0),
                () -> LIMITS.withRequestsPerBackend(0),
                () -> LIMITS.withRetryPercent(101),
                () -> LIMITS.withRetriesPerSecond(-1));
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void what_makes_no_sense_is_refused_with_what_to_take_instead(Executable change) {
        var refused = assertThrows(IllegalArgumentException.class, change);
        assertTrue(refused.toString().contains("take "), refused::toString);
    }
}
