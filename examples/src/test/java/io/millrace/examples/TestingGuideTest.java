package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Guards;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.HttpClient;
import io.millrace.http.kit.HttpKit;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.net.TimedOut;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// What docs/guide-testing.md shows.
class TestingGuideTest {
    private final WebApp app = new WebApp();

    @Test
    void a_handler_runs_to_its_complete_response() throws Exception {
        var served = HttpKit.asServedOnLoop(app);
        var response = served.handle(Request.post("/checksum", Bytes.utf8("123456789")));
        assertEquals("cbf43926", response.text());
    }

    @Test
    void an_endless_response_is_looked_at() throws Exception {
        HttpHandler news = _ -> Response.events(stream -> stream.send("first"));
        var response = HttpKit.soFar(news, Request.get("/news"), Duration.ofSeconds(5));
        assertEquals("data: first\n\n", response.text());
    }

    @Test
    void a_protocol_echoes() {
        Simulation.forEachSeed(200, network -> {
            network.listen(7, conn -> in -> conn.output().move(in));
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
        });
    }

    @Test
    void a_client_goes_on_behind_a_cut() {
        Simulation.forEachSeed(100, network -> {
            try (var _ = Http.listen(network.on(80), app);
                    var client = HttpKit.client(network)) {
                network.cutAfter(200);
                var numbers = Request.get("http://app/numbers?n=1000");
                assertThrows(NetException.class, () -> client.send(numbers));
                network.heal();
                assertTrue(client.send(numbers).text().endsWith("1000\n"));
            }
        });
    }

    @Test
    void a_server_misbehaves() {
        Simulation.forEachSeed(100, network -> {
            network.answer(
                    80,
                    peer -> peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
                            .end());
            try (var client = HttpKit.client(network)) {
                assertThrows(NetException.class, () -> client.send(Request.get("http://app/")));
            }
        });
    }

    @Test
    void a_timeout_is_tested_without_waiting() {
        Simulation.forEachSeed(100, network -> {
            network.answer(80, Peer::pause);
            try (var client = HttpClient.of(HttpKit.settings(network).timeout(Duration.ofMinutes(5)))) {
                var call = client.sendAsync(Request.get("http://app/")).toCompletableFuture();
                network.advance(Duration.ofMinutes(6));
                assertInstanceOf(
                        TimedOut.class,
                        assertThrows(CompletionException.class, call::join).getCause());
            }
        });
    }

    @Test
    void a_limit_acts() {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), app)) {
            long before = Guards.count("http.request-line");
            network.connect(80).send("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: a\r\n\r\n");
            network.run();
            assertEquals(before + 1, Guards.count("http.request-line"));
        }
    }

    @Test
    void a_simulation_is_made_with_something_else() {
        var settings = SimulationSettings.standard().threads(2).carriers(0.5);
        Simulation.forEachSeed(50, settings, network -> {
            network.serve(7, conn -> {
                while (conn.read()) conn.output().move(conn.input());
            });
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
        });
    }
}
