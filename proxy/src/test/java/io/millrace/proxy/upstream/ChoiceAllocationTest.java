package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.testing.AllocatedBytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class ChoiceAllocationTest {
    private static final int REQUESTS = 100_000;

    /// With priorities, a zone, slow start, one that is away and one that was tried.
    @ParameterizedTest
    @EnumSource
    void choosing_a_backend_and_using_it_allocates_nothing(Balance.Way way) {
        var endpoints = new ArrayList<Endpoint>();
        for (int i = 0; i < 20; i++) endpoints.add(Upstreams.endpoint(i, 1 + i % 3, i % 2, i % 5 == 0 ? "here" : ""));
        var balance = Balance.of(way).zone("here").slowStart(Duration.ofSeconds(10));
        var upstream = Upstreams.of(balance, List.of());
        upstream.update(endpoints, Upstreams.START);
        upstream.found(upstream.members().getFirst(), false, "ill", Upstreams.START);
        var tried = List.of(upstream.members().get(5));
        requests(upstream, tried);
        long before = AllocatedBytes.now();
        requests(upstream, tried);
        double bytes = (double) (AllocatedBytes.now() - before) / REQUESTS;
        assertTrue(bytes < 0.1, bytes + " bytes for a request");
    }

    private static void requests(Backends upstream, List<Backend> tried) {
        for (int i = 0; i < REQUESTS; i++) {
            long now = Upstreams.START + i;
            var backend = upstream.choose(i, tried, now);
            if (backend == null || !backend.began()) throw new IllegalStateException("nobody");
            upstream.retries().asked();
            backend.ended(i % 7 == 0 ? Outcome.ABANDONED : Outcome.SUCCESS, 1000, now);
        }
    }
}
