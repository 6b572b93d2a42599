package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.http.HttpVersion;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Checks by the real client against real servers, on networks that shake them. A simulation fails by itself when
/// a slab is missing.
@Tag("simulation")
class HealthSeedsTest {
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final Health HTTP = often(Health.http("/healthz?deep"));
    private static final Health TCP = often(Health.tcp());

    private static Health often(Health health) {
        return health.interval(Duration.ofSeconds(2)).timeout(Duration.ofSeconds(3));
    }

    @Test
    void a_backend_is_well_while_its_status_is_as_expected() {
        Simulation.forEachSeed(40, network -> {
            var status = new AtomicInteger(200);
            try (var _ = Http.listen(network.on(81), _ -> Response.status(status.get()));
                    var _ = Http.listen(network.on(82), _ -> Response.status(299));
                    var checked = new Checked(network, HTTP, 81, 82)) {
                network.advance(LONG);
                assertEquals(List.of(true, true), checked.areAble());
                status.set(503);
                network.advance(LONG);
                assertEquals(List.of(false, true), checked.areAble());
                assertEquals("answered with status 503", checked.finding(0));
                status.set(204);
                network.advance(LONG);
                assertEquals(List.of(true, true), checked.areAble());
            }
        });
    }

    @Test
    void a_check_asks_for_its_path_at_its_host_on_a_connection_of_its_own() {
        Simulation.forEachSeed(20, network -> {
            var heads = new ArrayList<String>();
            var remotes = new ArrayList<String>();
            try (var _ = Http.listen(network.on(81), request -> {
                        heads.add(request.path() + "?" + request.query() + " "
                                + request.header("Host").orElse(""));
                        remotes.add(request.remote().toString());
                        return Response.ok("fine");
                    });
                    var _ = new Checked(network, HTTP.host("app.example"), 81)) {
                network.advance(LONG);
                assertTrue(heads.size() > 5);
                for (var head : heads) assertEquals("/healthz?deep app.example", head);
                assertEquals(remotes.size(), remotes.stream().distinct().count());
            }
        });
    }

    @Test
    void nobody_there_and_nobody_who_answers_are_unhealthy() {
        Simulation.forEachSeed(20, network -> {
            network.answer(81, _ -> {});
            network.answer(82, peer -> peer.send("no response\r\n\r\n"));
            network.answer(83, peer -> peer.close());
            try (var checked = new Checked(network, HTTP, 81, 82, 83, 84)) {
                network.advance(LONG);
                assertEquals(List.of(false, false, false, false), checked.areAble());
            }
        });
    }

    @Test
    void a_server_that_goes_and_comes_is_unhealthy_meanwhile() {
        Simulation.forEachSeed(40, network -> {
            var server = network.listen(81, _ -> in -> in.skip(in.remaining()));
            try (var checked = new Checked(network, TCP, 81)) {
                network.advance(LONG);
                assertEquals(List.of(true), checked.areAble());
                server.close();
                network.advance(LONG);
                assertEquals(List.of(false), checked.areAble());
                server = network.listen(81, _ -> in -> in.skip(in.remaining()));
                network.advance(LONG);
                assertEquals(List.of(true), checked.areAble());
            }
            server.close();
        });
    }

    @Test
    void whatever_the_network_does_checks_go_on_and_tell_the_truth_afterwards() {
        Simulation.forEachSeed(80, network -> {
            var health = network.random(2) == 0 ? HTTP : TCP;
            network.resets(0.3).refusals(0.2).silences(0.2);
            try (var _ = Http.listen(network.on(81), _ -> Response.ok("fine"));
                    var checked = new Checked(network, health, 81, 82)) {
                network.advance(Duration.ofSeconds(network.random(120)));
                network.resets(0).refusals(0).silences(0);
                network.advance(LONG);
                assertEquals(List.of(true, false), checked.areAble());
            }
        });
    }

    @Test
    void the_list_may_change_at_any_moment() {
        Simulation.forEachSeed(40, network -> {
            try (var _ = Http.listen(network.on(81), _ -> Response.ok("fine"));
                    var checked = new Checked(network, HTTP.initiallyHealthy(false), 81, 82)) {
                for (int i = 0; i < 10; i++) {
                    network.advance(Duration.ofMillis(network.random(3000)));
                    checked.list(81 + network.random(3), 84 + network.random(2));
                }
                checked.list(82, 81);
                network.advance(LONG);
                assertEquals(List.of(false, true), checked.areAble());
            }
        });
    }

    /// An upstream whose backends are ports of the simulation.
    private static final class Checked implements AutoCloseable {
        private final Simulation network;
        private final EventLoop loop;
        private final Backends upstream;
        private final HealthChecks checks;

        Checked(Simulation network, Health health, int... ports) {
            this.network = network;
            this.loop = (EventLoop) network.loops().all().getFirst();
            this.upstream = new Backends(
                    "test", Balance.ROUND_ROBIN, health, UpstreamLimits.standard(), network.seed(), loop.nowNanos());
            list(ports);
            checks = HealthChecks.start(upstream, network.loops(), HttpVersion.HTTP_1_1, Connect::to);
        }

        void list(int... ports) {
            var endpoints = new ArrayList<Endpoint>();
            for (int port : ports) endpoints.add(Endpoint.of(Simulation.address(port)));
            upstream.update(endpoints, loop.nowNanos());
        }

        List<Boolean> areAble() {
            return upstream.members().stream().map(Backend::isAble).toList();
        }

        String finding(int member) {
            return upstream.members().get(member).finding();
        }

        /// Nothing of it is left.
        @Override
        public void close() {
            checks.close();
            network.advance(Duration.ofSeconds(10));
            int ours = 0;
            for (var counters : network.loops().counters()) ours += (int) counters.connections();
            assertFalse(ours > 0, ours + " connections are left");
        }
    }
}
