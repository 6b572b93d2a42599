package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is wrong with one exchange of a client takes nothing from those before it, and what is wrong behind a
/// response, or at its edges, nothing from that.
@Tag("simulation")
class BrokenExchangesTest {
    private static final int PORT = 80;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String LARGE = "0123456789".repeat(10_000);
    private static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE.length() + "\r\n\r\n" + LARGE;
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);

    /// A proxy in front of a backend, whose connections are in the list.
    private static void inFront(Simulation network, BiConsumer<Simulation, List<Peer>> scenario) {
        var visits = new ArrayList<Peer>();
        network.answer(PORT + 1, visits::add);
        boolean isElsewhere = network.random(2) == 0;
        var same = Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1)))));
        var upstream = isElsewhere ? same.upstreamLoops(network.loops()) : same;
        try (var _ = Http.listen(network.on(PORT), upstream);
                upstream) {
            scenario.accept(network, visits);
        }
    }

    @Test
    void a_response_that_breaks_off_takes_nothing_of_the_one_before() {
        var length = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome of it";
        var chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nsome of it\r\n";
        breakingOff(length, Peer::end);
        breakingOff(length, Peer::abort);
        breakingOff(length, _ -> {});
        breakingOff(chunks, Peer::end);
        breakingOff(chunks, Peer::abort);
        breakingOff(chunks, visit -> visit.send("nonsense\r\n"));
    }

    private static void breakingOff(String begun, Consumer<Peer> end) {
        Simulation.forEachSeed(
                20,
                seeded -> inFront(seeded.buffers(1 << 10, 32 << 10), (network, visits) -> {
                    var client = network.connect(PORT).pause().send(GET + GET);
                    network.advance(SOON);
                    visits.getFirst().send(GOOD);
                    network.advance(SOON);
                    // It takes so much that the second one is asked for, and no more.
                    client.resume();
                    while (visits.getFirst().received().split("GET /", -1).length < 3)
                        network.advance(Duration.ofMillis(1));
                    client.pause();
                    visits.getFirst().send(begun);
                    network.advance(SOON);
                    end.accept(visits.getFirst());
                    network.advance(Duration.ofSeconds(30));
                    client.resume();
                    network.advance(LONG);
                    assertFalse(client.isReset(), () -> "reset after " + client.receivedCount() + " bytes");
                    assertTrue(client.received().contains("\r\n\r\n" + LARGE), () -> client.receivedCount() + " bytes");
                    // The proxy may have read nothing of what a reset took along.
                    boolean isUnread = client.received().contains("HTTP/1.1 502 ");
                    assertTrue(isUnread || client.isEnded());
                    assertTrue(
                            isUnread || body(client).startsWith("some of it"), () -> client.receivedCount() + " bytes");
                    assertFalse(client.received().endsWith("\r\n0\r\n\r\n"), "it looks complete");
                }));
    }

    /// That of the last response, in whatever chunks it came.
    private static String body(Peer client) {
        var last = client.received().substring(client.received().lastIndexOf("HTTP/1.1 "));
        return last.substring(last.indexOf("\r\n\r\n") + 2)
                .replaceAll("\r\n[0-9a-f]+\r\n", "")
                .strip();
    }

    @Test
    void requests_in_front_of_one_that_is_none_are_answered_wherever_they_are_cut() {
        var requests = GET + GET + "GET\0/ HTTP/1.1\r\n\r\n";
        Simulation.forEachSeed(
                requests.length() + 1,
                seeded -> inFront(seeded, (network, visits) -> {
                    int at = cut(network, requests);
                    var client = network.connect(PORT).send(requests.substring(0, at));
                    network.advance(SOON);
                    client.send(requests.substring(at));
                    network.advance(SOON);
                    visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine");
                    network.advance(SOON);
                    visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine");
                    network.advance(LONG);
                    assertEquals(3, client.received().split("\r\nfine", -1).length, client::received);
                    assertTrue(client.received().contains("HTTP/1.1 400 "), client::received);
                    assertTrue(client.isEnded() && !client.isReset(), "cut at " + at);
                }));
    }

    /// Seeds in a row cut at each place once.
    private static int cut(Simulation network, String text) {
        return Math.floorMod(network.seed(), text.length() + 1);
    }

    /// A field that may not stand at the end of a body is left out, and a long extension read over.
    @Test
    void a_response_arrives_whatever_is_at_its_edges_and_wherever_that_is_cut() {
        var chunks =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;EXT\r\nfine\r\n0\r\nHost: b\r\nX-Sum: 7\r\n\r\n"
                        .replace("EXT", "x=" + "y".repeat(300));
        var length = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
        for (var behind : List.of("", "nonsense\r\n", length.replace("fine", "evil"))) {
            for (var good : List.of(length, chunks)) {
                assertArrives(good + behind);
            }
        }
    }

    private static void assertArrives(String all) {
        Simulation.forEachSeed(
                all.length() + 1,
                seeded -> inFront(seeded, (network, visits) -> {
                    int at = cut(network, all);
                    var client = network.connect(PORT).send(GET);
                    network.advance(SOON);
                    visits.getFirst().send(all.substring(0, at));
                    network.advance(SOON);
                    if (visits.getFirst().isOpen()) visits.getFirst().send(all.substring(at));
                    network.advance(SOON);
                    var got = client.received();
                    assertTrue(got.startsWith("HTTP/1.1 200 "), got);
                    assertTrue(body(client).startsWith("fine"), got);
                    if (all.contains("X-Sum")) assertTrue(got.endsWith("\r\n0\r\nX-Sum: 7\r\n\r\n"), got);
                    assertFalse(got.contains("evil") || got.contains("Host: b"), got);
                    assertFalse(client.isEnded() || client.isReset(), "the client's connection goes on");
                }));
    }
}
