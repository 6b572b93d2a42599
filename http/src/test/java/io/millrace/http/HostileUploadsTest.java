package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.NetException;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.sim.Simulation;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bodies that a client writes for servers that are none of ours.
class HostileUploadsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

    private static Uploading hello() {
        return new Uploading("hello".getBytes(StandardCharsets.ISO_8859_1), 3);
    }

    // What is sent.

    @Test
    void a_body_in_chunks_looks_so() throws IOException {
        var heads = new ArrayList<String>();
        var expected = "3\r\nhel\r\n2\r\nlo\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n";
        try (var server = ScriptedServer.start(talk -> {
                    heads.add(talk.head());
                    assertEquals(expected, talk.text(expected.length()));
                    talk.send(OK).awaitEnd();
                });
                var asking = Asking.start()) {
            var request = Request.post(server.url("/"), hello())
                    .trailers(() -> Headers.EMPTY.with("X-Sum", "1").with("X-Sum", "2"));
            assertEquals("hello", asking.client().send(request).text());
            var host = server.url("").substring(7);
            assertEquals(List.of("POST / HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n"), heads);
        }
    }

    @Test
    void a_body_with_a_length_looks_so() throws IOException {
        var heads = new ArrayList<String>();
        try (var server = ScriptedServer.start(talk -> {
                    heads.add(talk.head());
                    assertEquals("hello", talk.text(5));
                    talk.send(OK).awaitEnd();
                });
                var asking = Asking.start()) {
            var request = Request.of("PUT", server.url("/"), hello()).length(5);
            assertEquals("hello", asking.client().send(request).text());
            var host = server.url("").substring(7);
            assertEquals(List.of("PUT / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 5\r\n\r\n"), heads);
        }
    }

    // Answers before the end.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 303 See Other\r\nLocation: /\r\nContent-Length: 5\r\n\r\nhello",
                OK
            })
    void an_answer_before_the_end_is_given_and_ends_the_connection(String answer) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    talk.send(talk.number == 1 ? answer : OK).awaitEnd();
                });
                var asking = Asking.start()) {
            var body = Uploading.endless();
            assertEquals(
                    "hello",
                    asking.client().send(Request.post(server.url("/"), body)).text());
            body.assertClosedOnce();
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals(2, server.accepted());
        }
    }

    /// Who says no and goes on talking is not sent more meanwhile.
    @Test
    void a_body_stops_at_the_head_of_an_error() throws IOException {
        var mayGoOn = new CompletableFuture<Void>();
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    talk.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\nhe");
                    mayGoOn.join();
                    talk.send("llo");
                    talk.awaitEnd();
                });
                var asking = Asking.start()) {
            var body = Uploading.endless();
            var text = asking.client().send(Request.post(server.url("/"), body), (head, in) -> {
                assertEquals(500, head.status());
                body.assertClosedOnce();
                mayGoOn.complete(null);
                return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            });
            assertEquals("hello", text);
        }
    }

    // Expect: 100-continue.

    @Test
    void a_body_waits_until_it_is_asked_for() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    for (int i = 0; i < 6; i++) {
                        assertTrue(talk.head().contains("\r\nExpect: 100-continue\r\n"));
                        talk.send("HTTP/1.1 103 Early Hints\r\n\r\n" + CONTINUE);
                        assertEquals("hello", talk.text(5));
                        talk.send(OK);
                    }
                });
                var asking = Asking.start()) {
            for (int i = 0; i < 3; i++) {
                var body = hello();
                var written = Request.post(server.url("/"), body).length(5);
                assertEquals("hello", expecting(asking, written).text());
                body.assertClosedOnce();
                var whole = Request.post(server.url("/"), Bytes.utf8("hello"));
                assertEquals("hello", expecting(asking, whole).text());
            }
            assertEquals(1, server.accepted());
        }
    }

    private static Response expecting(Asking asking, Request request) throws IOException {
        return asking.client().send(request.addHeader("Expect", "100-continue"));
    }

    @ParameterizedTest
    @ValueSource(strings = {OK, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nhello"})
    void a_body_that_is_not_asked_for_is_not_sent(String answer) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    talk.send(answer);
                    assertEquals(0, talk.countRest());
                });
                var asking = Asking.start()) {
            var body = hello();
            assertEquals(
                    "hello",
                    expecting(asking, Request.post(server.url("/"), body)).text());
            assertEquals(0, body.written());
            body.assertClosedOnce();
            var whole = Request.post(server.url("/"), Bytes.utf8("hello"));
            assertEquals("hello", expecting(asking, whole).text());
            assertEquals(2, server.accepted());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {OK, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nhello"})
    void who_asks_for_a_body_and_answers_at_once_is_one_of_those_who_answer_early(String answer) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    talk.send(CONTINUE + answer).awaitEnd();
                });
                var asking = Asking.start()) {
            var body = Uploading.endless();
            assertEquals(
                    "hello",
                    expecting(asking, Request.post(server.url("/"), body)).text());
            body.assertClosedOnce();
        }
    }

    @Test
    void a_body_that_nobody_asks_for_is_sent_after_a_second() {
        try (var network = new Simulation(1)) {
            var received = new StringBuilder();
            var server = network.listen(80, connection -> in -> {
                received.append(in.readUtf8(in.remaining()));
                if (isComplete(received.toString())) connection.output().writeUtf8(OK);
            });
            var client = client(network);
            var request = Request.post("http://127.0.0.1/", hello()).addHeader("Expect", "100-continue");
            var answer = client.sendAsync(request).toCompletableFuture();
            network.advance(Duration.ofMillis(900));
            assertTrue(received.toString().endsWith("Transfer-Encoding: chunked\r\n\r\n"), received::toString);
            network.advance(Duration.ofSeconds(2));
            assertEquals("hello", answer.join().text());
            client.close();
            server.close();
            network.advance(Duration.ofSeconds(5));
        }
    }

    private static HttpClient client(Simulation network) {
        return HttpClient.of(
                ClientSettings.standard().loops(network.loops()).connect(host -> network.to(host.getPort())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "100-continue, x", ""})
    void another_expectation_is_refused_before(String value) {
        try (var asking = Asking.start()) {
            var request = Request.post("http://127.0.0.1:1/", hello()).addHeader("Expect", value);
            assertThrows(IllegalArgumentException.class, () -> asking.client().send(request));
        }
    }

    @Test
    void nothing_cannot_be_expected() {
        try (var asking = Asking.start()) {
            var request = Request.get("http://127.0.0.1:1/").addHeader("Expect", "100-continue");
            assertThrows(IllegalArgumentException.class, () -> asking.client().send(request));
        }
    }

    // Ends in the middle.

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_server_that_goes_in_the_middle_fails_the_call(boolean resets) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    talk.text(1_000_000);
                    if (resets) talk.reset();
                });
                var asking = Asking.start()) {
            var body = Uploading.endless();
            assertThrows(Reset.class, () -> asking.client().send(Request.post(server.url("/"), body)));
            body.assertClosedOnce();
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void a_server_that_is_not_there_ends_a_body_that_has_not_begun() throws IOException {
        int port = Machine.closedPort();
        try (var asking = Asking.start()) {
            var body = Uploading.endless();
            var request = Request.post("http://127.0.0.1:" + port + "/", body);
            assertThrows(Refused.class, () -> asking.client().send(request));
            assertEquals(0, body.written());
            body.assertClosedOnce();
        }
    }

    @Test
    void a_request_whose_body_is_written_is_not_repeated() throws IOException {
        var requests = new AtomicInteger();
        try (var server = ScriptedServer.start(talk -> {
                    if (!talk.hasRequest()) return;
                    requests.incrementAndGet();
                    talk.send(OK);
                    if (talk.hasRequest()) requests.incrementAndGet();
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            var body = hello();
            var request = Request.of("PUT", server.url("/"), body).length(5);
            assertThrows(Reset.class, () -> asking.client().send(request));
            body.assertClosedOnce();
            assertEquals(2, requests.get());
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void loops_that_are_gone_end_a_body_that_has_not_begun() {
        try (var asking = Asking.start()) {
            asking.loops().close();
            var body = Uploading.endless();
            assertThrows(NetException.class, () -> asking.client().send(Request.post("http://127.0.0.1:1/", body)));
            body.assertClosedOnce();
        }
    }

    // Time.

    @Test
    void a_server_that_takes_nothing_is_given_up() throws IOException {
        var hasFailed = new CompletableFuture<Void>();
        try (var server = ScriptedServer.start(talk -> {
                    talk.head();
                    hasFailed.join();
                });
                var asking = Asking.start(setup -> setup.firstByteTimeout(Duration.ofMillis(200)))) {
            var body = Uploading.endless();
            var thrown = assertThrows(TimedOut.class, () -> asking.client().send(Request.post(server.url("/"), body)));
            Asking.assertSays("http.client.timeout.first-byte", thrown);
            body.assertClosedOnce();
            hasFailed.complete(null);
        }
    }

    @Test
    void a_body_without_an_end_is_given_up_at_the_end_of_its_time() throws IOException {
        try (var server = ScriptedServer.start(ScriptedServer.Talk::awaitEnd);
                var asking = Asking.start()) {
            var body = Uploading.endless();
            var request = Request.post(server.url("/"), body).timeout(Duration.ofMillis(100));
            var thrown = assertThrows(TimedOut.class, () -> asking.client().send(request));
            Asking.assertSays("(http.client.timeout)", thrown);
            body.assertClosedOnce();
        }
    }

    // Back-pressure.

    /// Everything between the writer and the server that does not read is bounded: the socket's buffers, one piece,
    /// and what one call of the writer wrote.
    @Test
    void a_server_that_does_not_read_holds_the_writer() {
        int buffers = 100_000;
        Simulation.forEachSeed(20, network -> {
            network.buffers(1000, buffers);
            var server = network.listen(80, connection -> {
                connection.pause();
                return _ -> {};
            });
            var client = client(network);
            var body = Uploading.endless();
            var answer =
                    client.sendAsync(Request.post("http://127.0.0.1/", body)).toCompletableFuture();
            network.advance(Duration.ofSeconds(20));
            long most = 2L * buffers + (64 << 10) + 10_000;
            assertTrue(body.written() <= most, () -> body.written() + " bytes, of " + most);
            for (var loop : network.loops().counters()) {
                assertTrue(loop.slabBytesInUse() <= 8 * (64 << 10), loop::toString);
            }
            network.advance(Duration.ofMinutes(2));
            var thrown = assertThrows(CompletionException.class, answer::join);
            assertTrue(thrown.getCause() instanceof TimedOut, thrown::toString);
            body.assertClosedOnce();
            client.close();
            server.close();
            network.advance(Duration.ofSeconds(5));
        });
    }

    @Test
    void a_server_that_reads_now_and_then_gets_all_of_it() {
        Simulation.forEachSeed(50, network -> {
            network.buffers(1000, 50_000);
            var received = new StringBuilder();
            var server = network.listen(80, connection -> in -> {
                received.append(in.readUtf8(in.remaining()));
                if (isComplete(received.toString())) connection.output().writeUtf8(OK);
                connection.pause();
                var _ = connection.loop().after(Duration.ofMillis(10), connection::resume);
            });
            var client = client(network);
            var body = new Uploading(new byte[300_000], 7000);
            var answer =
                    client.sendAsync(Request.post("http://127.0.0.1/", body)).toCompletableFuture();
            network.advance(Duration.ofSeconds(50));
            assertEquals("hello", answer.join().text());
            assertTrue(received.length() > 300_000);
            body.assertClosedOnce();
            client.close();
            server.close();
            network.advance(Duration.ofSeconds(5));
        });
    }

    private static boolean isComplete(String request) {
        return request.endsWith("\r\n0\r\n\r\n");
    }

    // Trailers of responses.

    private static final String TRAILERS = "X-Sum: 1\r\nx-sum: 2\r\n\r\n";
    private static final String WITH_TRAILERS =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" + TRAILERS;

    @Test
    void a_response_has_its_trailers() throws IOException {
        try (var server = ScriptedServer.answering(WITH_TRAILERS);
                var asking = Asking.start()) {
            for (int i = 0; i < 2; i++) {
                var response = asking.get(server.url("/"));
                assertEquals("hello", response.text());
                assertEquals(List.of("1", "2"), response.trailers().all("X-Sum"));
                assertEquals(false, response.headers().has("X-Sum"));
            }
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void a_response_without_trailers_has_none() throws IOException {
        try (var server = ScriptedServer.answering(OK);
                var asking = Asking.start()) {
            assertEquals(Headers.EMPTY, asking.get(server.url("/")).trailers());
        }
    }

    @Test
    void a_reader_gets_trailers_behind_the_body() throws IOException {
        try (var server = ScriptedServer.answering(WITH_TRAILERS);
                var asking = Asking.start()) {
            var read = asking.client().sendAsync(Request.get(server.url("/")), new Trailing());
            assertEquals("hello 1", read.toCompletableFuture().join());
        }
    }

    private static final class Trailing implements ResponseReader<String> {
        private String all = "";

        @Override
        public void onHead(Response head) {}

        @Override
        public void onBody(Input part) {
            all += part.readUtf8(part.remaining());
        }

        @Override
        public void onTrailers(Headers trailers) {
            all += " " + trailers.first("X-Sum").orElseThrow();
        }

        @Override
        public String onEnd() {
            return all;
        }
    }
}
