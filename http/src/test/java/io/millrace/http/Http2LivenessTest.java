package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.raw.FrameText;
import io.millrace.http.websocket.CloseCode;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketSettings;
import io.millrace.net.TimedOut;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// How a client of HTTP/2 finds out that a server is gone, and when it lets a connection go.
class Http2LivenessTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /// Room for a long body in the first stream.
    private static final String WIDE = window(0) + window(1);

    /// The server's ends of connections, in the order in which they came.
    private final List<Peer> visits = new ArrayList<>();

    private HttpClient client(Simulation network) {
        return client(network, FrameText.HELLO);
    }

    private HttpClient client(Simulation network, String hello) {
        return client(network, hello, 1);
    }

    private HttpClient client(Simulation network, String hello, int connections) {
        network.answer(PORT, peer -> {
            visits.add(peer);
            send(peer, hello);
        });
        return HttpClient.of(ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .connections(connections)
                .firstByteTimeout(Duration.ZERO)
                .timeout(Duration.ZERO)
                .version(HttpVersion.HTTP_2));
    }

    private static void send(Peer peer, String frames) {
        peer.send(frames.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String window(int stream) {
        return FrameText.frame(FrameText.WINDOW_UPDATE, 0, stream, FrameText.int32(1 << 30));
    }

    private static CompletableFuture<Response> ask(HttpClient client, Simulation network) {
        var answer =
                client.sendAsync(Request.get("http://127.0.0.1:" + PORT + "/")).toCompletableFuture();
        network.advance(SECOND);
        return answer;
    }

    /// How many frames of a type have come.
    private static int count(Peer peer, int type) {
        var bytes = peer.receivedBytes();
        int count = 0;
        for (int at = FrameText.PREFACE.length(); at + 9 <= bytes.length; at += 9 + length(bytes, at))
            if (bytes[at + 3] == type) count++;
        return count;
    }

    private static int length(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 16 | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff);
    }

    private static void awaitPing(Peer peer, Simulation network) {
        for (int seconds = 0; seconds < 20 && count(peer, FrameText.PING) == 0; seconds++) network.advance(SECOND);
        assertEquals(1, count(peer, FrameText.PING));
    }

    private static final String ANSWERED = FrameText.frame(FrameText.PING, 1, 0, "12345678");

    @Test
    void a_server_that_sends_nothing_is_asked_and_dropped_when_it_is_gone() {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var answer = ask(client, network);
            network.advance(Duration.ofSeconds(8));
            assertEquals(0, count(visits.getFirst(), FrameText.PING));
            awaitPing(visits.getFirst(), network);
            network.advance(Duration.ofSeconds(6));
            var error = assertThrows(CompletionException.class, answer::join);
            assertTrue(error.getCause() instanceof TimedOut, error::toString);
            SimulatedClient.close(client, network);
        }
    }

    @Test
    void a_server_that_answers_is_left_alone() {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var answer = ask(client, network);
            awaitPing(visits.getFirst(), network);
            send(visits.getFirst(), ANSWERED);
            network.advance(Duration.ofMinutes(4));
            assertEquals(1, count(visits.getFirst(), FrameText.PING));
            send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
            network.advance(SECOND);
            assertEquals(200, answer.join().status());
            SimulatedClient.close(client, network);
        }
    }

    /// Its network holds a minute of what is sent, so that a PING arrives late.
    @Test
    void a_server_that_takes_a_long_request_slowly_is_left_alone() {
        try (var network = new Simulation(1)) {
            network.bandwidth(10_000).buffers(600_000, 600_000);
            try (var client = client(network)) {
                var body = new byte[3_000_000];
                var answer = client.sendAsync(Request.post("http://127.0.0.1:" + PORT + "/", new Uploading(body, 1000)))
                        .toCompletableFuture();
                network.advance(SECOND);
                send(visits.getFirst(), WIDE);
                network.advance(Duration.ofMinutes(4));
                assertFalse(answer.isDone(), () -> answer.exceptionNow().toString());
                send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
                network.advance(SECOND);
                assertEquals(200, answer.join().status());
                SimulatedClient.close(client, network);
            }
        }
    }

    @Test
    void a_server_that_takes_no_more_of_a_long_request_is_dropped() {
        try (var network = new Simulation(1)) {
            network.bandwidth(100_000).buffers(50_000, 50_000);
            try (var client = client(network)) {
                var answer = client.sendAsync(Request.post("http://127.0.0.1:" + PORT + "/", Uploading.endless()))
                        .toCompletableFuture();
                network.advance(SECOND);
                send(visits.getFirst(), WIDE);
                network.advance(SECOND);
                network.partition(PORT);
                network.advance(Duration.ofMinutes(2));
                assertTrue(answer.isDone());
                var error = assertThrows(CompletionException.class, answer::join);
                assertTrue(error.getCause() instanceof TimedOut, error::toString);
                SimulatedClient.close(client, network);
            }
        }
    }

    @Test
    void a_request_on_a_connection_that_was_idle_for_long_goes_elsewhere_when_that_is_dead() {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var first = ask(client, network);
            send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
            network.advance(Duration.ofSeconds(20));
            assertEquals(200, first.join().status());
            var second = ask(client, network);
            assertEquals(1, count(visits.getFirst(), FrameText.PING));
            network.advance(Duration.ofSeconds(8));
            assertEquals(2, visits.size());
            assertFalse(second.isDone());
            send(visits.getLast(), FrameText.whole(1, FrameText.OK));
            network.advance(SECOND);
            assertEquals(200, second.join().status());
            SimulatedClient.close(client, network);
        }
    }

    @Test
    void a_connection_that_carries_nothing_ends() {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var answer = ask(client, network);
            send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
            network.advance(Duration.ofSeconds(45));
            assertEquals(200, answer.join().status());
            assertEquals(0, count(visits.getFirst(), FrameText.GOAWAY));
            network.advance(Duration.ofSeconds(10));
            assertEquals(1, count(visits.getFirst(), FrameText.GOAWAY));
            assertTrue(visits.getFirst().isEnded());
            SimulatedClient.close(client, network);
        }
    }

    @Test
    void a_server_that_goes_away_loses_its_connection_when_it_has_answered() {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var answer = ask(client, network);
            send(visits.getFirst(), FrameText.goAway(1, FrameText.NO_ERROR));
            network.advance(SECOND);
            assertFalse(visits.getFirst().isEnded());
            var next = ask(client, network);
            assertFalse(next.isDone());
            send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
            network.advance(SECOND);
            assertEquals(200, answer.join().status());
            assertTrue(visits.getFirst().isEnded());
            visits.getFirst().end();
            network.advance(SECOND);
            assertEquals(2, visits.size());
            send(visits.getLast(), FrameText.whole(1, FrameText.OK));
            network.advance(SECOND);
            assertEquals(200, next.join().status());
            SimulatedClient.close(client, network);
        }
    }

    /// A PING or a window would meet a socket that is gone, and its reset would take what waits here.
    @Test
    void a_response_that_has_arrived_whole_may_be_read_long_after_its_server_has_gone() throws IOException {
        try (var network = new Simulation(1);
                var client = client(network)) {
            var _ = network.loops().next().after(SECOND, () -> {
                var peer = visits.getFirst();
                send(peer, FrameText.headers(1, FrameText.OK) + FrameText.end(1, "x".repeat(16_000)));
                send(peer, FrameText.goAway(1, FrameText.NO_ERROR));
                peer.close();
            });
            var read = client.send(Request.get("http://127.0.0.1:" + PORT + "/"), (_, in) -> {
                int first = in.readNBytes(1).length;
                network.advance(Duration.ofMinutes(5));
                return first + in.readAllBytes().length;
            });
            assertEquals(16_000, read);
            SimulatedClient.close(client, network);
        }
    }

    @Test
    void a_request_that_was_given_back_and_has_failed_is_not_sent() {
        try (var network = new Simulation(1);
                var client = client(network, FrameText.HELLO, 9)) {
            var _ = ask(client, network);
            send(visits.getFirst(), FrameText.whole(1, FrameText.OK));
            network.advance(SECOND);
            var all = new ArrayList<CompletableFuture<Response>>();
            for (int i = 0; i < 5; i++) {
                var request = Request.post("http://127.0.0.1:" + PORT + "/", Bytes.utf8("once"))
                        .timeout(Duration.ofSeconds(5));
                all.add(client.sendAsync(request).toCompletableFuture());
            }
            network.advance(SECOND);
            int visitsBefore = visits.size();
            for (var visit : visits)
                send(visit, FrameText.goAway(visit == visits.getFirst() ? 1 : 0, FrameText.NO_ERROR));
            // The next connection comes when the requests are over.
            network.delays(Duration.ofSeconds(2), Duration.ofSeconds(2));
            network.advance(Duration.ofSeconds(30));
            for (var one : all) assertTrue(one.isCompletedExceptionally());
            assertTrue(visits.size() > visitsBefore, () -> visits + " " + all);
            for (var later : visits.subList(visitsBefore, visits.size()))
                assertEquals(0, count(later, FrameText.HEADERS));
            SimulatedClient.close(client, network);
        }
    }

    @Test
    void a_websocket_that_waits_for_the_settings_of_a_server_fails_when_that_ends() {
        try (var network = new Simulation(1);
                var client = client(network, "")) {
            var url = Request.get("http://127.0.0.1:" + PORT + "/");
            var connected = WebSocket.connect(client, url, WebSocketSettings.standard(), _ -> _ -> {});
            network.advance(SECOND);
            assertEquals(0, count(visits.getFirst(), FrameText.HEADERS));
            visits.getFirst().end();
            network.advance(SECOND);
            assertTrue(connected.toCompletableFuture().isCompletedExceptionally());
            SimulatedClient.close(client, network);
        }
    }

    /// It has ended, and takes nothing of what was sent to it before.
    @Test
    void a_tunnel_that_closes_while_its_server_takes_nothing_is_reset_in_time() {
        var settings = WebSocketSettings.standard().pingAfter(Duration.ZERO).idleTimeout(Duration.ZERO);
        var ends = new ArrayList<Integer>();
        try (var network = new Simulation(1);
                var client = client(network, FrameText.setting(8, 1) + FrameText.setting(4, 0))) {
            var url = Request.get("http://127.0.0.1:" + PORT + "/");
            var connected = WebSocket.connect(client, url, settings, _ -> new WebSocketHandler() {
                @Override
                public void onText(String text) {}

                @Override
                public void onClose(int code, String reason) {
                    ends.add(code);
                }
            });
            network.advance(SECOND);
            send(visits.getFirst(), FrameText.headers(1, FrameText.OK));
            network.advance(SECOND);
            assertTrue(connected.join().send("waits"));
            send(visits.getFirst(), FrameText.end(1, ""));
            awaitPing(visits.getFirst(), network);
            send(visits.getFirst(), ANSWERED);
            network.advance(Duration.ofSeconds(40));
            assertEquals(0, count(visits.getFirst(), FrameText.RST_STREAM));
            network.advance(Duration.ofSeconds(20));
            assertEquals(1, count(visits.getFirst(), FrameText.RST_STREAM));
            assertEquals(List.of(CloseCode.ABNORMAL), ends);
            SimulatedClient.close(client, network);
        }
    }
}
