package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Bodies that a client writes, on networks that shake them: whatever happens, each is told once that it is over, a
/// server never takes a part of one for the whole, and nothing is left.
@Tag("simulation")
class UploadSeedsTest {
    private static final int PORT = 80;

    /// More than one piece.
    private static final int LARGEST = 150_000;

    private static final String URI = "http://127.0.0.1:" + PORT;

    /// @param expected the body of an answer that is no error
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Sent(Uploading body, CompletableFuture<Response> answer, byte[] expected, int status) {
        void assertAnswered() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            var response = answer.join();
            assertEquals(status, response.status());
            if (status == 200) assertArrayEquals(expected, response.body().toArray());
            body.assertClosedOnce();
        }

        void assertOver() {
            body.assertClosedOnce();
            try {
                assertAnswered();
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof NetException, () -> "no way to fail: " + e.getCause());
            }
        }
    }

    /// Of all clients here.
    HttpVersion version() {
        return HttpVersion.NEGOTIATED;
    }

    private HttpClient start(Simulation network) {
        return SimulatedClient.start(network, version());
    }

    @Test
    void every_body_is_written_and_answered() {
        Simulation.forEachSeed(150, network -> {
            try (var _ = serve(network);
                    var client = start(network)) {
                var all = sendAll(network, client, 1 + network.random(10));
                network.advance(Duration.ofSeconds(50));
                all.forEach(Sent::assertAnswered);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void every_body_ends_whatever_the_network_does() {
        Simulation.forEachSeed(150, network -> {
            network.resets(0.3).refusals(0.05).silences(0.05);
            try (var _ = serve(network);
                    var client = start(network)) {
                var all = new ArrayList<Sent>();
                for (int i = 0; i < 4; i++) {
                    all.addAll(sendAll(network, client, network.random(6)));
                    network.advance(Duration.ofMillis(network.random(3000)));
                }
                network.advance(Duration.ofMinutes(2));
                all.forEach(Sent::assertOver);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void a_client_that_is_closed_at_any_moment_ends_its_bodies() {
        Simulation.forEachSeed(50, network -> {
            try (var _ = serve(network);
                    var client = start(network)) {
                var all = sendAll(network, client, 1 + network.random(10));
                network.advance(Duration.ofMillis(network.random(300)));
                SimulatedClient.close(client, network);
                all.forEach(Sent::assertOver);
            }
        });
    }

    @Test
    void little_time_ends_a_body_at_any_moment() {
        Simulation.forEachSeed(150, network -> {
            network.bandwidth(100_000 + network.random(1_000_000));
            try (var _ = serve(network);
                    var client = start(network)) {
                var all = new ArrayList<Sent>();
                for (int i = 0; i < 5; i++) all.add(send(network, client, Duration.ofMillis(1 + network.random(300))));
                network.advance(Duration.ofSeconds(10));
                all.forEach(Sent::assertOver);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void servers_that_answer_at_any_moment_and_end_do_no_harm() {
        Simulation.forEachSeed(150, network -> {
            var answers = List.of(
                    "HTTP/1.1 100 Continue\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                    "HTTP/1.1 200 OK\r\n\r\nhello",
                    "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nhello",
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
            network.answer(PORT, peer -> {
                for (int i = network.random(3); i >= 0; i--) peer.send(answers.get(network.random(answers.size())));
                if (network.random(2) == 0) peer.end();
                else if (network.random(3) == 0) peer.close();
            });
            try (var client = start(network)) {
                var all = new ArrayList<Sent>();
                for (int i = 0; i < 8; i++) all.add(send(network, client, Duration.ofSeconds(60)));
                network.advance(Duration.ofMinutes(3));
                for (var one : all) {
                    assertTrue(one.answer().isDone());
                    one.body().assertClosedOnce();
                }
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void the_test_itself_may_wait() {
        Simulation.forEachSeed(100, network -> {
            network.resets(network.random(2) * 0.1);
            try (var _ = serve(network);
                    var client = start(network)) {
                for (int i = 0; i < 4; i++) assertRead(network, client);
                SimulatedClient.close(client, network);
            }
        });
    }

    private static void assertRead(Simulation network, HttpClient client) {
        var content = network.randomBytes(1 + network.random(network.random(20) == 0 ? LARGEST : 5000));
        var body = new Uploading(content, 1 + content.length / 50 + network.random(5000));
        int enough = network.random(3) == 0 ? network.random(content.length) : content.length + 1;
        try {
            var read = client.send(Request.post(URI + "/echo", body), (_, in) -> in.readNBytes(enough));
            assertArrayEquals(java.util.Arrays.copyOf(content, Math.min(enough, content.length)), read);
        } catch (IOException e) {
            assertTrue(e instanceof NetException, e::toString);
        }
        network.advance(Duration.ofMinutes(2));
        body.assertClosedOnce();
    }

    // The client.

    private static List<Sent> sendAll(Simulation network, HttpClient client, int count) {
        return Several.of(count, () -> send(network, client, Duration.ofSeconds(60)));
    }

    private static Sent send(Simulation network, HttpClient client, Duration time) {
        var content = network.randomBytes(1 + network.random(network.random(20) == 0 ? LARGEST : 5000));
        var body = new Uploading(content, 1 + content.length / 50 + network.random(20_000));
        var path = List.of("/echo", "/whole", "/full").get(network.random(3));
        var request = Request.post(URI + path, body).timeout(time);
        if (network.random(2) == 0) request = request.length(content.length);
        else if (network.random(2) == 0) request = request.trailers(() -> Headers.EMPTY.with("X-Sum", "1"));
        if (network.random(3) == 0) request = request.addHeader("Expect", "100-continue");
        int status = path.equals("/full") ? 507 : 200;
        return new Sent(body, client.sendAsync(request).toCompletableFuture(), content, status);
    }

    // The server.

    private static Server serve(Simulation network) {
        return Http.listen(network.on(PORT), request -> switch (request.path()) {
            case "/echo" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/whole" -> Response.reading(new Collecting());
            default -> Response.status(507);
        });
    }

    private static final class Collecting implements BodyReader {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();

        @Override
        public void onBody(Input part) {
            var bytes = new byte[(int) part.remaining()];
            part.read(bytes, 0, bytes.length);
            all.writeBytes(bytes);
        }

        @Override
        public Response onEnd() {
            return Response.ok(Bytes.of(all.toByteArray()), "application/octet-stream");
        }
    }
}
