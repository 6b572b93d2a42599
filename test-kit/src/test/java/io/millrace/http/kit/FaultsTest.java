package io.millrace.http.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A handler, a client and what goes wrong between them, in one simulation.
@Tag("simulation")
class FaultsTest {
    private static final int LONG = 100_000;
    private static final HttpHandler APP = request -> switch (request.path()) {
        case "/long" -> Response.ok("x".repeat(LONG));
        default -> Response.ok("hello");
    };

    private static Server serve(Simulation network) {
        return Http.listen(network.on(80), APP);
    }

    @Test
    void a_client_asks_whoever_serves_a_port() {
        Simulation.forEachSeed(20, network -> {
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                assertEquals(
                        "hello", client.send(Request.get("http://anybody/")).text());
                assertEquals(
                        LONG,
                        client.send(Request.get("http://anybody/long")).text().length());
            }
        });
    }

    @Test
    void bytes_that_come_one_at_a_time_are_the_same_response() {
        Simulation.forEachSeed(20, network -> {
            network.oneByteAtATime();
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                assertEquals("hello", client.send(Request.get("http://a/")).text());
            }
        });
    }

    @Test
    void a_connection_that_is_cut_in_a_response_fails_the_call() {
        Simulation.forEachSeed(50, network -> {
            network.cutAfter(1000 + network.random(LONG - 1000));
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                assertThrows(NetException.class, () -> client.send(Request.get("http://a/long")));
                network.heal();
                assertEquals(
                        LONG, client.send(Request.get("http://a/long")).text().length());
            }
        });
    }

    @Test
    void a_connection_may_be_cut_before_its_first_byte() {
        Simulation.forEachSeed(20, network -> {
            network.cutAfter(0);
            network.listen(7, conn -> in -> conn.output().move(in));
            var peer = network.connect(7).send("hello");
            network.run();
            assertTrue(peer.isReset());
            assertEquals(0, peer.receivedCount());
        });
    }

    @Test
    void no_more_arrives_than_the_cut_lets_through() {
        Simulation.forEachSeed(50, network -> {
            int most = network.random(1000);
            network.cutAfter(most);
            network.answer(7, peer -> peer.send(network.randomBytes(2000)));
            var peer = network.connect(7);
            network.run();
            assertTrue(peer.isReset());
            assertTrue(peer.receivedCount() <= most, peer::received);
        });
    }

    @Test
    void a_port_may_refuse() {
        Simulation.forEachSeed(20, network -> {
            network.refuse(80);
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                assertThrows(Refused.class, () -> client.send(Request.get("http://a/")));
                network.heal();
                assertEquals("hello", client.send(Request.get("http://a/")).text());
            }
        });
    }

    @Test
    void a_server_behind_a_partition_is_not_reached_and_the_other_one_is() {
        Simulation.forEachSeed(30, network -> {
            network.partition(80);
            try (var _ = serve(network);
                    var _ = Http.listen(network.on(81), APP);
                    var client = HttpClient.of(HttpKit.settings(network).connectTimeout(Duration.ofSeconds(3)))) {
                assertThrows(TimedOut.class, () -> client.send(Request.get("http://a/")));
                assertEquals("hello", client.send(Request.get("http://a:81/")).text());
            }
        });
    }

    @Test
    void what_was_sent_into_a_partition_arrives_when_it_heals() {
        Simulation.forEachSeed(50, network -> {
            network.listen(7, conn -> in -> conn.output().move(in));
            var peer = network.connect(7).send("before ");
            network.run();
            network.partition(7);
            peer.send("meanwhile ");
            network.advance(Duration.ofSeconds(30));
            assertEquals("before ", peer.received());
            network.heal();
            peer.send("behind").end();
            network.run();
            assertEquals("before meanwhile behind", peer.received());
            assertTrue(peer.isEnded());
        });
    }

    @Test
    void a_call_in_a_partition_goes_on_when_it_heals() {
        Simulation.forEachSeed(30, network -> {
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                network.partition(80);
                var call = client.sendAsync(Request.get("http://a/")).toCompletableFuture();
                network.advance(Duration.ofSeconds(2));
                assertFalse(call.isDone());
                network.heal();
                network.advance(Duration.ofSeconds(1));
                assertEquals("hello", call.join().text());
            }
        });
    }

    @Test
    void a_peer_that_resets_fails_the_call() {
        Simulation.forEachSeed(30, network -> {
            network.answer(80, peer -> {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
                network.loops().next().after(Duration.ofSeconds(1), peer::abort);
            });
            try (var client = HttpKit.client(network)) {
                var call = client.sendAsync(Request.get("http://a/")).toCompletableFuture();
                network.advance(Duration.ofSeconds(5));
                var thrown = assertThrows(CompletionException.class, call::join);
                assertInstanceOf(Reset.class, thrown.getCause());
            }
        });
    }

    @Test
    void a_peer_that_never_reads_loses_its_connection() {
        Simulation.forEachSeed(20, network -> {
            network.buffers(1000, 5000);
            try (var server = Http.listen(network.on(80).writeTimeout(Duration.ofSeconds(10)), APP)) {
                var peer = network.connect(80).pause().send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofSeconds(5));
                assertEquals(1, server.connections());
                network.advance(Duration.ofSeconds(60));
                assertEquals(0, server.connections());
                assertEquals(0, peer.receivedCount());
            }
        });
    }

    @Test
    void a_slow_peer_takes_its_time() {
        Simulation.forEachSeed(20, network -> {
            network.bandwidth(10_000);
            try (var _ = serve(network);
                    var client = HttpKit.client(network)) {
                var before = network.now();
                assertEquals(
                        LONG, client.send(Request.get("http://a/long")).text().length());
                assertTrue(network.now().minus(before).compareTo(Duration.ofSeconds(10)) >= 0);
            }
        });
    }

    @Test
    void a_clock_that_is_put_forward_ends_what_waits() {
        Simulation.forEachSeed(20, network -> {
            var settings = HttpSettings.standard().limits(HttpLimits.standard().headTimeout(Duration.ofSeconds(10)));
            try (var server = Http.listen(network.on(80), settings, APP)) {
                network.connect(80).send("GET / HT");
                network.advance(Duration.ofSeconds(5));
                assertEquals(1, server.connections());
                network.advance(Duration.ofSeconds(20));
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void all_at_once_every_call_ends() {
        Simulation.forEachSeed(50, network -> {
            try (var server = serve(network);
                    var client = HttpKit.client(network)) {
                var calls = new ArrayList<CompletableFuture<Response>>();
                for (int i = 0; i < 10; i++) {
                    shake(network);
                    calls.add(client.sendAsync(Request.get("http://a/" + (i % 2 == 0 ? "long" : "")))
                            .toCompletableFuture());
                    network.advance(Duration.ofMillis(network.random(500)));
                }
                network.heal();
                network.advance(Duration.ofMinutes(3));
                for (var call : calls) assertTrue(call.isDone());
                network.advance(Duration.ofMinutes(2));
                assertEquals(0, server.connections());
            }
        });
    }

    private static void shake(Simulation network) {
        switch (network.random(5)) {
            case 0 -> network.partition(80);
            case 1 -> network.refuse(80);
            case 2 -> network.cutAfter(network.random(LONG));
            default -> network.heal();
        }
    }
}
