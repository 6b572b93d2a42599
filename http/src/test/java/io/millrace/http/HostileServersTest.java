package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.testing.Machine;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a client makes of servers that are none of ours, and mean no good.
class HostileServersTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    // What is no response.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.9\r\n",
                "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n",
                "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\n Content-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000004\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;\nhello\r\n0\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
            })
    void what_is_no_response_is_refused_and_its_connection_dropped(String bytes) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest())
                        talk.send(talk.number == 1 ? bytes : OK).awaitEnd();
                });
                var asking = Asking.start()) {
            assertThrows(ProtocolError.class, () -> asking.get(server.url("/")));
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals(2, server.accepted());
        }
    }

    @Test
    void a_head_without_an_end_is_refused() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\n");
                    sendForEver(talk, "X-Field: " + "x".repeat(1000) + "\r\n");
                });
                var asking = Asking.start()) {
            assertThrows(ProtocolError.class, () -> asking.get(server.url("/")));
        }
    }

    @Test
    void a_field_without_an_end_is_refused() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\nX: ");
                    sendForEver(talk, "x".repeat(1000));
                });
                var asking = Asking.start()) {
            assertThrows(ProtocolError.class, () -> asking.get(server.url("/")));
        }
    }

    @Test
    void more_fields_than_the_limit_are_refused() throws IOException {
        var many = "A: b\r\n".repeat(101);
        try (var server = ScriptedServer.answering("HTTP/1.1 200 OK\r\n" + many + "\r\n");
                var asking = Asking.start()) {
            assertThrows(ProtocolError.class, () -> asking.get(server.url("/")));
        }
    }

    @Test
    void a_body_without_an_end_is_refused_at_the_limit() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\n\r\n");
                    sendForEver(talk, "x".repeat(10_000));
                });
                var asking = Asking.start()) {
            assertThrows(Overloaded.class, () -> asking.get(server.url("/")));
        }
    }

    private static void sendForEver(ScriptedServer.Talk talk, String part) {
        try {
            while (true) talk.send(part);
        } catch (IOException _) {
            // The client has gone, as it should.
        }
    }

    // Interim responses.

    @Test
    void interim_responses_are_skipped() throws IOException {
        var early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        try (var server = ScriptedServer.answering("HTTP/1.1 100 Continue\r\n\r\n" + early + OK);
                var asking = Asking.start()) {
            for (int i = 0; i < 3; i++) {
                var response = asking.get(server.url("/"));
                assertEquals("hello", response.text());
                assertFalse(response.headers().has("Link"));
            }
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void a_flood_of_interim_responses_is_refused() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    sendForEver(talk, "HTTP/1.1 100 Continue\r\n\r\n");
                });
                var asking = Asking.start()) {
            assertThrows(ProtocolError.class, () -> asking.get(server.url("/")));
        }
    }

    // Early ends.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 20",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
            })
    void a_response_that_ends_early_fails(String bytes) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send(bytes);
                });
                var asking = Asking.start()) {
            assertThrows(Reset.class, () -> asking.get(server.url("/")));
            assertThrows(
                    Reset.class,
                    () -> asking.client().send(Request.get(server.url("/")), (_, body) -> body.readAllBytes()));
            assertEquals(2, server.accepted());
        }
    }

    @Test
    void a_body_until_the_end_is_whole_when_the_peer_ends() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\n\r\nhello");
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            var read = asking.client().send(Request.get(server.url("/")), (_, body) -> body.readAllBytes());
            assertEquals(5, read.length);
        }
    }

    @Test
    void a_body_until_the_end_is_not_whole_when_the_peer_resets() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\n\r\nhello");
                    talk.reset();
                });
                var asking = Asking.start()) {
            assertThrows(Reset.class, () -> asking.get(server.url("/")));
        }
    }

    @Test
    void nobody_there_is_refused() throws IOException {
        int port = Machine.closedPort();
        try (var asking = Asking.start()) {
            assertThrows(Refused.class, () -> asking.get("http://127.0.0.1:" + port + "/"));
        }
    }

    // Bytes that belong to nothing.

    @Test
    void bytes_behind_a_response_end_its_connection() throws IOException {
        var smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) talk.send(OK + smuggled);
                });
                var asking = Asking.start()) {
            for (int i = 1; i <= 5; i++) {
                assertEquals("hello", asking.get(server.url("/")).text());
                assertEquals(i, server.accepted());
            }
        }
    }

    @Test
    void bytes_behind_a_response_without_a_body_end_its_connection() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) talk.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello");
                });
                var asking = Asking.start()) {
            for (int i = 1; i <= 3; i++) {
                assertEquals(204, asking.get(server.url("/")).status());
                assertEquals(i, server.accepted());
            }
        }
    }

    @Test
    void a_response_that_nobody_asked_for_ends_an_idle_connection() throws Exception {
        var told = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        try (var server = ScriptedServer.start(talk -> {
                    if (!talk.hasRequest()) return;
                    talk.send(OK);
                    if (talk.number > 1) return;
                    told.await();
                    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                            .awaitEnd();
                    gone.countDown();
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            told.countDown();
            gone.await();
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals(2, server.accepted());
        }
    }

    /// It may be the answer, or not; in no case does it become that of another request.
    @Test
    void a_response_before_its_request_answers_one_request_at_most() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.send(talk.number == 1 ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly" : OK);
                    if (talk.hasRequest()) talk.end();
                    talk.awaitEnd();
                });
                var asking = Asking.start()) {
            asking.get(server.url("/"));
            assertEquals("hello", asking.get(server.url("/")).text());
        }
    }

    @Test
    void an_answer_before_the_request_was_read_ends_the_connection() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.number == 1) talk.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
                    if (talk.number == 1) talk.awaitEnd();
                    else if (talk.hasRequest()) talk.send(OK);
                });
                var asking = Asking.start()) {
            var large = Bytes.of(new byte[50_000_000]);
            assertEquals(
                    413,
                    asking.client().send(Request.post(server.url("/"), large)).status());
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals(2, server.accepted());
        }
    }

    // Idle connections.

    @Test
    void an_idle_connection_that_the_peer_ends_leaves_at_once() throws Exception {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest()) talk.send(OK).end();
                    talk.awaitEnd();
                });
                var asking = Asking.start()) {
            for (int i = 1; i <= 3; i++) {
                // Not idempotent: it would fail on a connection that has ended.
                var response = asking.client().send(Request.post(server.url("/"), Bytes.EMPTY));
                assertEquals("hello", response.text());
                assertEquals(i, server.accepted());
                while (asking.connections() > 0) Waiting.briefly();
            }
        }
    }

    @Test
    void a_peer_may_say_how_long_it_waits() throws Exception {
        var early = "HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\nContent-Length: 5\r\n\r\nhello";
        var ended = new CountDownLatch(1);
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest()) talk.send(early);
                    assertFalse(talk.hasRequest());
                    ended.countDown();
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            ended.await();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            })
    void a_last_response_is_not_followed_by_a_request(String last) throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest()) talk.send(last);
                    assertFalse(talk.hasRequest());
                });
                var asking = Asking.start()) {
            for (int i = 1; i <= 3; i++) {
                assertEquals("hello", asking.get(server.url("/")).text());
                assertEquals(i, server.accepted());
            }
        }
    }

    // Once more.

    /// Answers one request of each connection, and ends it when the second has come.
    private static ScriptedServer forgetful(AtomicInteger requests) throws IOException {
        return ScriptedServer.start(talk -> {
            if (!talk.hasRequest()) return;
            requests.incrementAndGet();
            talk.send(OK);
            if (talk.hasRequest()) requests.incrementAndGet();
        });
    }

    @Test
    void a_request_that_may_be_repeated_is_sent_again_on_a_new_connection() throws IOException {
        var requests = new AtomicInteger();
        try (var server = forgetful(requests);
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals("hello", asking.get(server.url("/")).text());
            assertEquals(3, requests.get());
            assertEquals(2, server.accepted());
        }
    }

    @Test
    void a_request_that_may_not_be_repeated_fails() throws IOException {
        var requests = new AtomicInteger();
        try (var server = forgetful(requests);
                var asking = Asking.start()) {
            var request = Request.post(server.url("/"), Bytes.utf8("once"));
            assertEquals("hello", asking.client().send(request).text());
            assertThrows(Reset.class, () -> asking.client().send(request));
            assertEquals(2, requests.get());
        }
    }

    @Test
    void a_request_is_repeated_once() throws IOException {
        var requests = new AtomicInteger();
        try (var server = ScriptedServer.start(talk -> {
                    for (int i = 0; talk.hasRequest(); i++) {
                        requests.incrementAndGet();
                        if (talk.number > 1 || i > 0) return;
                        talk.send(OK);
                    }
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            assertThrows(Reset.class, () -> asking.get(server.url("/")));
            assertEquals(3, requests.get());
        }
    }

    @Test
    void a_request_on_a_new_connection_is_not_repeated() throws IOException {
        var requests = new AtomicInteger();
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest()) requests.incrementAndGet();
                });
                var asking = Asking.start()) {
            assertThrows(Reset.class, () -> asking.get(server.url("/")));
            assertEquals(1, requests.get());
        }
    }

    @Test
    void a_request_whose_response_has_begun_is_not_repeated() throws IOException {
        var requests = new AtomicInteger();
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) {
                        if (requests.incrementAndGet() == 2) {
                            talk.send("H");
                            return;
                        }
                        talk.send(OK);
                    }
                });
                var asking = Asking.start()) {
            assertEquals("hello", asking.get(server.url("/")).text());
            assertThrows(Reset.class, () -> asking.get(server.url("/")));
            assertEquals(2, requests.get());
        }
    }

    // Time.

    @Test
    void a_response_without_a_first_byte_is_given_up() throws IOException {
        try (var server = ScriptedServer.start(ScriptedServer.Talk::awaitEnd);
                var asking = Asking.start(setup -> setup.firstByteTimeout(Duration.ofMillis(50)))) {
            var thrown = assertThrows(TimedOut.class, () -> asking.get(server.url("/")));
            Asking.assertSays("http.client.timeout.first-byte", thrown);
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void a_response_that_drips_is_given_up() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                    sendForEver(talk, "x");
                });
                var asking = Asking.start(setup -> setup.timeout(Duration.ofMillis(100)))) {
            var thrown = assertThrows(
                    TimedOut.class,
                    () -> asking.client()
                            .send(
                                    Request.get(server.url("/")),
                                    (_, body) -> body.transferTo(java.io.OutputStream.nullOutputStream())));
            Asking.assertSays("(http.client.timeout)", thrown);
        }
    }

    @Test
    void a_request_may_have_less_time_than_others() throws IOException {
        try (var server = ScriptedServer.start(ScriptedServer.Talk::awaitEnd);
                var asking = Asking.start()) {
            var request = Request.get(server.url("/")).timeout(Duration.ofMillis(50));
            var thrown = assertThrows(TimedOut.class, () -> asking.client().send(request));
            Asking.assertSays("within 50 ms (http.client.timeout)", thrown);
        }
    }

    @Test
    void a_request_that_waits_for_a_connection_is_given_up() throws IOException {
        var mayAnswer = new CompletableFuture<Void>();
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) {
                        mayAnswer.join();
                        talk.send(OK);
                    }
                });
                var asking = Asking.start(setup -> setup.connections(1))) {
            var first = asking.client().sendAsync(Request.get(server.url("/"))).toCompletableFuture();
            var second = Request.get(server.url("/")).timeout(Duration.ofMillis(50));
            var thrown = assertThrows(TimedOut.class, () -> asking.client().send(second));
            Asking.assertSays("nor a connection", thrown);
            mayAnswer.complete(null);
            assertEquals("hello", first.join().text());
        }
    }

    // Limits.

    @Test
    void more_than_may_wait_are_refused() throws IOException {
        var mayAnswer = new CompletableFuture<Void>();
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) {
                        mayAnswer.join();
                        talk.send(OK);
                    }
                });
                var asking = Asking.start(setup -> setup.connections(2).waiting(1))) {
            var request = Request.get(server.url("/"));
            var answers = new CompletableFuture<?>[3];
            for (int i = 0; i < 3; i++)
                answers[i] = asking.client().sendAsync(request).toCompletableFuture();
            var thrown = assertThrows(Overloaded.class, () -> asking.client().send(request));
            Asking.assertSays("http.client.waiting", thrown);
            mayAnswer.complete(null);
            for (var answer : answers) assertEquals("hello", ((Response) answer.join()).text());
            assertEquals(2, server.accepted());
        }
    }

    @Test
    void who_waits_gets_the_connection_that_comes_after_one_that_died() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest() && talk.number > 1) talk.send(OK);
                    else talk.reset();
                    talk.awaitEnd();
                });
                var asking = Asking.start(setup -> setup.connections(1))) {
            var request = Request.get(server.url("/"));
            var first = asking.client().sendAsync(request).toCompletableFuture();
            var second = asking.client().sendAsync(request).toCompletableFuture();
            assertThrows(Exception.class, first::join);
            assertEquals("hello", second.join().text());
        }
    }
}
