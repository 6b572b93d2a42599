package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.lab.load.SimulatedLoad.VirtualClock;
import io.millrace.net.Connection;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// What the figures say about a server whose behaviour is known, in virtual time.
class FiguresTest {
    private static final Duration ONE_WAY = Duration.ofMillis(1);
    private static final Duration STALL = Duration.ofMillis(200);
    private static final double STALL_MICROS = 200_000;

    @Test
    void a_closed_loop_measures_the_round_trip_and_the_rate_that_follows_from_it() {
        Simulation.forEachSeed(10, seed -> {
            var network = plain(seed, ONE_WAY);
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var settings = settings().connections(4).depth(2).duration(Duration.ofSeconds(1));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(1, result.seconds());
            // In some seeds loops are slow, and nobody can be faster than the network.
            assertTrue(result.latency().p50Micros() >= 2000 * 0.99, result::toString);
            var messagesUnderWay = result.messagesPerSecond() * result.latency().averageMicros() / 1e6;
            assertEquals(4 * 2, messagesUnderWay, 0.1);
        });
    }

    @Test
    void the_warm_up_does_not_count() {
        Simulation.forEachSeed(10, seed -> {
            var network = plain(seed, ONE_WAY);
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var settings = settings().connections(1).duration(Duration.ofSeconds(1));
            var result = new SimulatedLoad(network, settings.warmUp(Duration.ofSeconds(1))).result();
            assertTrue(Math.abs(result.messages() - 500) <= 2, result::toString);
        });
    }

    @Test
    void the_open_loop_shows_a_stall_of_the_server_at_the_99_9th_percentile() {
        Simulation.forEachSeed(10, seed -> {
            var result = withStall(seed, settings().connections(10).rate(1000));
            assertEquals(2000, result.messages());
            assertEquals(STALL_MICROS, result.latency().p999Micros(), 5_000);
            assertTrue(result.latency().p99Micros() > STALL_MICROS / 2, result::toString);
        });
    }

    @Test
    void the_closed_loop_hides_it() {
        Simulation.forEachSeed(10, seed -> {
            var result = withStall(seed, settings().connections(10));
            assertEquals(STALL_MICROS, result.latency().maxMicros(), 5_000);
            assertTrue(result.latency().p999Micros() < 5_000, result::toString);
        });
    }

    /// Two seconds, in the middle of which the server does nothing for 200 ms.
    private static LoadResult withStall(Simulation seed, LoadSettings settings) throws IOException {
        var network = plain(seed, Duration.ofNanos(300_000));
        var served = new ArrayList<Connection>();
        network.listen(PORT, conn -> {
            served.add(conn);
            return in -> conn.output().move(in);
        });
        var load = new SimulatedLoad(network, settings.duration(Duration.ofSeconds(2)));
        network.advance(Duration.ofSeconds(1));
        served.forEach(Connection::pause);
        network.advance(STALL);
        served.forEach(Connection::resume);
        return load.result();
    }

    @Test
    void the_open_loop_shows_a_stall_of_an_HTTP_server_too() {
        Simulation.forEachSeed(10, seed -> {
            var network = plain(seed, Duration.ofNanos(300_000));
            var end = Duration.ofSeconds(1).plus(STALL);
            Http.listen(network.on(PORT), request -> {
                var left = end.minus(network.now());
                boolean isStalled = left.isPositive() && left.compareTo(STALL) <= 0;
                return isStalled ? Response.later(after(network, left)) : Response.ok("hello");
            });
            var settings = settings().with(HttpMessages.get("a", "/")).connections(10);
            var load = new SimulatedLoad(network, settings.rate(1000).duration(Duration.ofSeconds(2)));
            var result = load.result();
            assertEquals(2000, result.messages());
            assertEquals(STALL_MICROS, result.latency().p999Micros(), 5_000);
            assertTrue(result.latency().p99Micros() > STALL_MICROS / 2, result::toString);
        });
    }

    private static CompletableFuture<Response> after(Simulation network, Duration time) {
        var response = new CompletableFuture<Response>();
        var _ = network.loops().next().after(time, () -> response.complete(Response.ok("hello")));
        return response;
    }

    @Test
    void a_stop_ends_it_with_what_was_measured() {
        Simulation.forEachSeed(10, seed -> {
            var network = plain(seed, ONE_WAY);
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var load = new SimulatedLoad(network, settings().rate(1000).duration(Duration.ofDays(1)));
            network.advance(Duration.ofSeconds(3));
            load.stop();
            var result = load.result();
            assertEquals(0, result.errors());
            assertEquals(1000, result.messagesPerSecond(), 5);
        });
    }

    @Test
    void a_busy_loop_makes_a_closed_loop_invalid() throws IOException {
        assertTrue(withCpuShare(0.96).contains("used 96 % of a core"));
    }

    @Test
    void a_loop_with_time_left_does_not() throws IOException {
        assertEquals("", withCpuShare(0.94));
    }

    private static String withCpuShare(double share) throws IOException {
        try (var network = new Simulation(1)) {
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var clock = new VirtualClock(network) {
                @Override
                public long cpuNanos() {
                    return (long) (nanos() * share);
                }
            };
            var settings = settings().connections(2).duration(Duration.ofSeconds(1));
            return new SimulatedLoad(network, settings, clock).result().invalidBecause();
        }
    }

    @Test
    void an_open_loop_that_cannot_keep_up_is_invalid() throws IOException {
        assertTrue(withClockThatTakes(5_000_000).contains("fell behind its schedule"));
    }

    @Test
    void an_open_loop_that_keeps_up_is_valid() throws IOException {
        assertEquals("", withClockThatTakes(5_000));
    }

    /// On a machine where looking at the clock takes so long.
    private static String withClockThatTakes(long nanos) throws IOException {
        try (var network = plain(new Simulation(1), ONE_WAY)) {
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var clock = new VirtualClock(network) {
                private long workNanos;

                @Override
                public long nanos() {
                    workNanos += nanos;
                    return super.nanos() + workNanos;
                }
            };
            var settings = settings().rate(1000).messages(1000);
            return new SimulatedLoad(network, settings, clock).result().invalidBecause();
        }
    }

    private static Simulation plain(Simulation network, Duration oneWay) {
        return network.delays(oneWay, oneWay)
                .chunks(1 << 20, 1 << 20)
                .buffers(1 << 20, 1 << 20)
                .partialWrites(0);
    }
}
