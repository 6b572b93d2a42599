package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// When too few are left, all are asked but those that somebody has disabled.
class PanicTest {
    private static final long NOW = Upstreams.START;
    private static final Health CHECKED =
            Health.tcp().ejectionFailures(3).ejectionTime(Duration.ofHours(1)).maxEjectedPercent(100);

    private static Backends of(int panicThresholdPercent, int count) {
        return Upstreams.of(
                Balance.ROUND_ROBIN,
                CHECKED.panicThresholdPercent(panicThresholdPercent),
                UpstreamLimits.standard(),
                1,
                Upstreams.equal(count));
    }

    private static void unhealthy(Backends backends, int... members) {
        for (int member : members) backends.found(backends.members().get(member), false, "ill", NOW);
    }

    /// The places of those that get requests.
    private static Set<Integer> asked(Backends backends) {
        var all = new TreeSet<Integer>();
        var counts = Upstreams.chosen(backends, 200, NOW);
        for (int i = 0; i < counts.length; i++) if (counts[i] > 0) all.add(i);
        return all;
    }

    @Test
    void all_are_asked_when_fewer_than_the_threshold_are_left_and_not_before() {
        long acted = ProxyGuards.UPSTREAM_PANIC.count();
        var backends = of(50, 4);
        unhealthy(backends, 0, 1);
        assertEquals(Set.of(2, 3), asked(backends), "half of them are left, which is not fewer");
        assertEquals(acted, ProxyGuards.UPSTREAM_PANIC.count());
        unhealthy(backends, 2);
        assertEquals(Set.of(0, 1, 2, 3), asked(backends));
        assertEquals(acted + 1, ProxyGuards.UPSTREAM_PANIC.count());
        backends.found(backends.members().get(0), true, "well", NOW);
        assertEquals(Set.of(0, 3), asked(backends), "health counts again");
    }

    @Test
    void those_that_are_ejected_are_asked_and_those_that_are_disabled_are_not() {
        var backends = of(60, 4);
        var all = backends.members();
        assertTrue(backends.setDisabled(all.get(3).toString(), true, NOW));
        Upstreams.fail(all.get(0), 3, NOW);
        assertTrue(all.get(0).isEjected());
        assertEquals(Set.of(1, 2), asked(backends), "two of three that are not disabled");
        unhealthy(backends, 1);
        assertEquals(Set.of(0, 1, 2), asked(backends));
        assertTrue(backends.setDisabled(all.get(2).toString(), true, NOW));
        assertEquals(Set.of(0, 1), asked(backends), "nobody is left, and two are not disabled");
    }

    @Test
    void nobody_is_asked_in_vain_when_no_threshold_is_chosen() {
        var backends =
                Upstreams.of(Balance.ROUND_ROBIN, Health.tcp(), UpstreamLimits.standard(), 1, Upstreams.equal(2));
        unhealthy(backends, 0, 1);
        assertNull(backends.choose(1, List.of(), NOW));
    }

    @Test
    void a_threshold_of_the_next_configuration_holds_at_once() {
        var backends = of(0, 2);
        unhealthy(backends, 0, 1);
        assertNull(backends.choose(1, List.of(), NOW));
        backends.become(Balance.ROUND_ROBIN, CHECKED.panicThresholdPercent(10), UpstreamLimits.standard(), NOW);
        assertEquals(Set.of(0, 1), asked(backends));
        backends.become(Balance.ROUND_ROBIN, CHECKED, UpstreamLimits.standard(), NOW);
        assertNull(backends.choose(1, List.of(), NOW));
    }
}
