package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A response of a backend that is the last of its client's connection says so to that.
@Tag("simulation")
class LastResponsesTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String UPLOAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nsome";
    private static final String LENGTH = "HTTP/1.1 %d Said\r\nContent-Length: 2\r\n\r\nno";
    private static final String CHUNKS = "HTTP/1.1 %d Said\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n";
    private static final String EMPTY = "HTTP/1.1 %d Said\r\nContent-Length: 0\r\n\r\n";

    private interface Scenario {
        void run(Simulation network, Server proxy, List<Peer> visits);
    }

    private static void inFront(UnaryOperator<Upstream> setup, Scenario scenario) {
        Simulation.forEachSeed(3, network -> {
            var visits = new ArrayList<Peer>();
            network.answer(PORT + 1, visits::add);
            var same = setup.apply(Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1))))));
            var upstream = network.random(2) == 0 ? same.upstreamLoops(network.loops()) : same;
            try (var proxy = Http.listen(network.on(PORT), upstream);
                    upstream) {
                scenario.run(network, proxy, visits);
            }
        });
    }

    private static void assertLast(int status, Peer client) {
        assertTrue(client.received().contains("HTTP/1.1 " + status + " "), client::received);
        assertTrue(client.received().contains("\r\nConnection: close\r\n"), client::received);
        assertTrue(client.isEnded());
    }

    @Test
    void a_refusal_in_front_of_the_end_of_its_request_is() {
        for (var form : List.of(LENGTH, CHUNKS, EMPTY)) {
            for (int status : new int[] {300, 307, 403, 413, 417, 500}) {
                for (var request :
                        List.of(UPLOAD, UPLOAD.replace("\r\n\r\nsome", "\r\nExpect: 100-continue\r\n\r\n"))) {
                    inFront(upstream -> upstream, (network, _, visits) -> {
                        var client = network.connect(PORT).send(request);
                        network.advance(SECOND);
                        visits.getFirst().send(form.formatted(status));
                        network.advance(Duration.ofSeconds(5));
                        assertLast(status, client);
                    });
                }
            }
        }
    }

    /// A body that is collected for retries is as pending as any.
    @Test
    void a_refusal_of_our_own_is() {
        var limits = UpstreamLimits.standard().connections(1).pending(0);
        inFront(upstream -> upstream.limits(limits), (network, _, _) -> {
            network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            network.advance(SECOND);
            var client = network.connect(PORT).send(UPLOAD);
            network.advance(Duration.ofSeconds(5));
            assertLast(503, client);
        });
    }

    @Test
    void an_answer_that_lets_its_request_go_on_is_not() {
        inFront(upstream -> upstream, (network, _, visits) -> {
            var client = network.connect(PORT).send(UPLOAD);
            network.advance(SECOND);
            visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nn");
            network.advance(SECOND);
            client.send("x".repeat(99_996));
            network.advance(SECOND);
            visits.getFirst().send("o");
            network.advance(SECOND);
            assertTrue(client.received().endsWith("no"), client::received);
            assertFalse(client.received().contains("Connection: close"), client::received);
            assertFalse(client.isEnded());
        });
    }

    @Test
    void one_that_begins_while_the_proxy_drains_is() {
        for (var form : List.of(LENGTH, CHUNKS, EMPTY)) {
            inFront(upstream -> upstream, (network, proxy, visits) -> {
                var client = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(SECOND);
                network.loops().next().after(SECOND, () -> visits.getFirst().send(form.formatted(200)));
                assertTrue(proxy.drain(Duration.ofMinutes(1)));
                network.advance(SECOND);
                assertLast(200, client);
            });
        }
    }
}
