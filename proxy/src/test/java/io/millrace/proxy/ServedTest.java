package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.http.ServedRequest;
import io.millrace.proxy.backend.Balance;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is told of requests that are over, in every thread model.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServedTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    /// What a listener can keep.
    record Told(
            String request,
            String agent,
            int status,
            boolean isComplete,
            long requestBytes,
            long responseBytes,
            boolean hasTimes,
            String failure,
            String refusedLine,
            Optional<ProxyInfo> passage) {
        static Told of(ServedRequest served) {
            return new Told(
                    served.request().map(Request::toString).orElse(""),
                    served.request()
                            .flatMap(request -> request.header("User-Agent"))
                            .orElse(""),
                    served.status(),
                    served.isComplete(),
                    served.requestBytes(),
                    served.responseBytes(),
                    served.firstByteNanos() > 0 && served.nanos() >= served.firstByteNanos(),
                    served.failure(),
                    served.refusedLine(),
                    ProxyInfo.of(served));
        }
    }

    private static final class Listening implements RequestListener {
        private final LinkedBlockingQueue<Told> heard = new LinkedBlockingQueue<>();

        @Override
        public void over(ServedRequest served) {
            heard.add(Told.of(served));
        }

        Told next() throws InterruptedException {
            var told = heard.poll(20, TimeUnit.SECONDS);
            if (told == null) throw new AssertionError("nothing was told");
            return told;
        }

        void assertNothingElse() {
            assertEquals(0, heard.size(), heard::toString);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_passed_is_told_once_with_its_backend(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = RawBackend.answering(OK)) {
            try (var proxy = kind.serve(Upstream.of(backend.uri()).name("shop"), listening, upstream -> upstream);
                    var client = proxy.connect()) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\nUser-Agent: me\r\n\r\n");
                assertEquals(200, client.read().status());
                var told = listening.next();
                assertEquals("GET /a", told.request());
                assertEquals("me", told.agent());
                assertEquals(200, told.status());
                assertTrue(told.isComplete() && told.hasTimes(), told::toString);
                assertEquals(5, told.responseBytes());
                assertEquals("", told.failure());
                var passage = told.passage().orElseThrow();
                assertEquals("shop", passage.upstream());
                assertEquals(backend.uri(), "http://" + passage.backend());
                assertEquals(1, passage.attempts());
                assertEquals("", passage.failure());
            }
            listening.assertNothingElse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytes_of_bodies_are_counted_without_their_framing(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    for (var line = RawClient.line(visit.in); !line.equals("0"); line = RawClient.line(visit.in)) {}
                    visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
                    visit.awaitEnd();
                });
                var proxy = kind.serve(Upstream.of(backend.uri()), listening, upstream -> upstream);
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n");
            assertEquals("abc", client.read().text());
            var told = listening.next();
            assertEquals(4, told.requestBytes());
            assertEquals(3, told.responseBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_breaks_off_is_told_with_the_reason(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
                    visit.reset();
                });
                var proxy = kind.serve(Upstream.of(backend.uri()), listening, upstream -> upstream);
                var client = proxy.connect()) {
            client.get("/");
            var told = listening.next();
            assertFalse(told.isComplete(), told::toString);
            // What was there of the response may have been overtaken by the reset.
            assertTrue(told.status() == 200 || told.status() == 502 || told.status() == 0, told::toString);
            assertTrue(told.passage().orElseThrow().failure().startsWith("RESET"), told::toString);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_whose_client_has_gone_is_told_without_a_status(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.awaitEnd();
                });
                var proxy = kind.serve(Upstream.of(backend.uri()), listening, upstream -> upstream)) {
            try (var client = proxy.connect()) {
                client.get("/slow");
                backend.nextHead();
                client.socket().setSoLinger(true, 0);
            }
            var told = listening.next();
            assertEquals("GET /slow", told.request());
            assertEquals(0, told.status());
            assertFalse(told.isComplete(), told::toString);
            assertFalse(told.failure().isEmpty(), told::toString);
            assertEquals("the client left", told.passage().orElseThrow().failure());
        }
    }

    @ParameterizedTest
    @EnumSource
    void attempts_are_counted_and_a_failure_that_was_made_good_is_none(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var broken = new RawBackend(visit -> {
                    visit.head();
                    visit.reset();
                });
                var backend = RawBackend.answering(OK);
                var proxy = kind.serve(
                        Upstream.of(broken.uri(), backend.uri()).balance(Balance.ROUND_ROBIN),
                        listening,
                        upstream -> upstream);
                var client = proxy.connect()) {
            int tries = 0;
            for (int i = 0; i < 2; i++) {
                assertEquals(200, client.get("/").read().status());
                var passage = listening.next().passage().orElseThrow();
                assertEquals("", passage.failure());
                assertEquals(backend.uri(), "http://" + passage.backend());
                tries += passage.attempts();
            }
            // Which one comes first is chosen at random.
            assertTrue(tries >= 3, "attempts of two requests: " + tries);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_that_the_parser_refuses_is_told_as_it_began(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.serve(Upstream.of(backend.uri()), listening, upstream -> upstream)) {
            try (var client = proxy.connect()) {
                client.get("/fine").read();
                assertEquals("GET /fine", listening.next().request());
                assertEquals(
                        400,
                        client.send("GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n")
                                .read()
                                .status());
            }
            var refused = listening.next();
            assertEquals("GET /\u0001 HTTP/1.1", refused.refusedLine());
            assertEquals("", refused.request());
            assertEquals(400, refused.status());
            assertFalse(refused.failure().isEmpty(), refused::toString);
            try (var client = proxy.connect()) {
                client.send("GET /%2e%2e/ HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals(400, client.read().status());
            }
            assertEquals("GET /%2e%2e/ HTTP/1.1", listening.next().refusedLine());
            try (var client = proxy.connect()) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
                assertEquals(431, client.read().status());
            }
            assertEquals(431, listening.next().status());
            listening.assertNothingElse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_handler_throws_is_told(Proxying.Kind kind) throws Exception {
        var listening = new Listening();
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.serve(Upstream.of(backend.uri()), listening, _ -> request -> {
                    if (request.path().equals("/")) return Response.ok("fine");
                    throw new IllegalArgumentException("no such thing");
                });
                var client = proxy.connect()) {
            assertEquals("fine", client.get("/").read().text());
            assertEquals(4, listening.next().responseBytes());
            assertEquals(500, client.get("/a").read().status());
            var told = listening.next();
            assertEquals(500, told.status());
            assertEquals("java.lang.IllegalArgumentException: no such thing", told.failure());
            assertEquals(Optional.empty(), told.passage());
        }
    }
}
