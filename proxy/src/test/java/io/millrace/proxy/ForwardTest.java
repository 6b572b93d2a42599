package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.server.Http;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a proxy passes on, between real sockets, in every thread model.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForwardTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Mine: yes\r\n\r\nhello";

    @ParameterizedTest
    @EnumSource
    void requests_and_responses_pass(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 3; i++) {
                var reply = client.get("/path?q=" + i).read();
                assertEquals(200, reply.status());
                assertEquals("hello", reply.text());
                assertEquals("yes", reply.header("X-Mine"));
                var head = backend.nextHead();
                assertEquals("GET /path?q=" + i + " HTTP/1.1", head.getFirst());
                assertTrue(head.contains("Host: a.test"), head::toString);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_to_a_backend_serves_many_requests(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 10; i++)
                assertEquals("hello", client.get("/").read().text());
            assertTrue(backend.connections() <= kind.mostConnections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void pipelined_requests_are_answered_in_order(Proxying.Kind kind) throws Exception {
        try (var backend = echo();
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            var all = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                all.append("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
                        .append(10 + i);
            }
            client.send(all.toString());
            for (int i = 0; i < 20; i++)
                assertEquals("" + (10 + i), client.read().text());
        }
    }

    private static RawBackend echo() throws IOException {
        return new RawBackend(visit -> {
            while (true) {
                var head = visit.head();
                int length = Integer.parseInt(field(head, "Content-Length"));
                visit.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                for (int left = length; left > 0; ) {
                    var part = RawClient.exactly(visit.in, Math.min(left, 10_000));
                    visit.send(new String(part, StandardCharsets.ISO_8859_1));
                    left -= part.length;
                }
            }
        });
    }

    private static String field(List<String> head, String name) {
        for (var line : head) {
            if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    @ParameterizedTest
    @EnumSource
    void a_large_body_streams_both_ways_at_once(Proxying.Kind kind) throws Exception {
        var body = random(3_000_000);
        try (var backend = echo();
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length + "\r\n\r\n");
            client.sendMeanwhile(body);
            assertArrayEquals(body, client.read().body());
        }
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void chunks_and_trailers_pass_both_ways(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    var body = new ByteArrayOutputStream();
                    for (int length; (length = Integer.parseInt(RawClient.line(visit.in), 16)) > 0; ) {
                        body.writeBytes(RawClient.exactly(visit.in, length));
                        RawClient.line(visit.in);
                    }
                    var trailers = RawClient.lines(visit.in);
                    visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    visit.send("3\r\nabc\r\n").send(Integer.toHexString(body.size()) + "\r\n" + body + "\r\n");
                    visit.send("0\r\nX-Back: " + trailers.getFirst().substring(7) + "\r\n\r\n");
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send("2\r\nde\r\n1\r\nf\r\n0\r\nX-Sum: 42\r\n\r\n");
            var reply = client.read();
            assertEquals("abcdef", reply.text());
            assertEquals(List.of("X-Back: 42"), reply.trailers());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_of_which_only_the_end_of_its_connection_tells_comes_in_chunks(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("until the end", client.get("/").read().text());
            assertEquals("until the end", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void responses_without_a_body_keep_their_fields(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answeringInTurn(
                        "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n",
                        "HTTP/1.1 204 No Content\r\nX-Mine: 204\r\n\r\n",
                        "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
                        OK);
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("1234", client.read(false).header("Content-Length"));
            assertEquals("204", client.get("/").read().header("X-Mine"));
            assertEquals("\"a\"", client.get("/").read().header("ETag"));
            assertEquals("hello", client.get("/").read().text());
            assertTrue(backend.connections() <= kind.mostConnections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_waits_for_100_continue_waits_for_that_of_the_backend(Proxying.Kind kind) throws Exception {
        var isFirst = new AtomicBoolean(true);
        try (var backend = new RawBackend(visit -> {
                    var head = visit.head();
                    // The second one may come on a connection of its own.
                    if (isFirst.getAndSet(false)) {
                        visit.send("HTTP/1.1 100 Continue\r\n\r\n");
                        RawClient.exactly(visit.in, Integer.parseInt(field(head, "Content-Length")));
                        visit.send(OK).head();
                    }
                    visit.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            var head = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
            client.send(head);
            assertEquals(100, client.read().status());
            assertEquals("hello", client.send("body").read().text());
            client.send(head);
            assertEquals(403, client.read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void interim_responses_pass(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + OK);
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            var hints = client.get("/").read();
            assertEquals(103, hints.status());
            assertEquals("</a.css>", hints.header("Link"));
            assertEquals("hello", client.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_early_response_ends_an_upload(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\nsome");
            assertEquals("big", client.read().text());
            backend.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_dies_in_a_body_cuts_the_clients_connection(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.get("/");
            assertThrows(IOException.class, client::read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_leaves_ends_its_request_at_the_backend(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri())) {
            try (var client = proxy.connect()) {
                client.get("/");
                backend.nextHead();
                client.socket().setSoLinger(true, 0);
            }
            backend.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_leaves_in_a_response_ends_it(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nhello");
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri())) {
            try (var client = proxy.connect()) {
                client.get("/");
                RawClient.lines(client.socket().getInputStream());
                client.socket().setSoLinger(true, 0);
            }
            backend.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void bodies_may_be_collected_before_they_pass(Proxying.Kind kind) throws Exception {
        var large = "x".repeat(500_000);
        try (var backend = RawBackend.answering(
                        "HTTP/1.1 200 OK\r\nContent-Length: " + large.length() + "\r\n\r\n" + large);
                var proxy = kind.to(upstream -> upstream.collect(400_000), backend.uri());
                var other = kind.to(upstream -> upstream.collect(600_000), backend.uri());
                var client = proxy.connect();
                var second = other.connect()) {
            assertEquals(large, client.get("/").read().text());
            assertEquals(large, second.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_around_it_passes_whole_bodies(Proxying.Kind kind) throws Exception {
        try (var backend = echo();
                var proxy = kind.serve(Upstream.of(backend.uri()), upstream -> Http.whole(1 << 20, upstream));
                var client = proxy.connect()) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n");
            assertEquals("whole", client.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_of_http_1_0_gets_what_it_understands(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(
                        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send("GET / HTTP/1.0\r\n\r\n");
            var all = new String(client.readAll(), StandardCharsets.ISO_8859_1);
            assertTrue(all.startsWith("HTTP/1.1 200 OK\r\n") && all.endsWith("\r\n\r\nok"), all);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_does_not_read_costs_little(Proxying.Kind kind) throws Exception {
        int length = 50_000_000;
        try (var backend = new RawBackend(visit -> {
                    while (true) {
                        if (visit.head().getFirst().contains("/small")) {
                            visit.send(OK);
                            continue;
                        }
                        visit.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                        var part = "x".repeat(100_000);
                        for (int i = 0; i < length / 100_000; i++) visit.send(part);
                    }
                });
                var proxy = kind.to(backend.uri());
                var slow = proxy.connect();
                var fast = proxy.connect()) {
            slow.get("/large");
            for (int i = 0; i < 300; i++) {
                assertEquals("hello", fast.get("/small").read().text());
                assertTrue(proxy.slabBytes() < 3 << 20, () -> proxy.slabBytes() + " bytes of slabs");
            }
            assertEquals(length, slow.read().body().length);
        }
    }

    /// It comes in many small pieces, each of which finds the one before already on its way.
    @ParameterizedTest
    @EnumSource
    void a_backend_that_does_not_read_costs_little(Proxying.Kind kind) throws Exception {
        int chunks = 20_000;
        var chunk = "3e8\r\n" + "x".repeat(1000) + "\r\n";
        var isTooLate = new CountDownLatch(1);
        try (var backend = new RawBackend(visit -> {
                    while (visit.head().getFirst().contains("/small")) visit.send(OK);
                    awaitUninterruptibly(isTooLate);
                    int length = RawClient.chunks(visit.in, List.of()).body().length;
                    visit.send("HTTP/1.1 200 OK\r\nX-Length: " + length + "\r\nContent-Length: 0\r\n\r\n");
                });
                var proxy = kind.to(backend.uri());
                var large = proxy.connect();
                var small = proxy.connect()) {
            large.send("POST /large HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            large.sendMeanwhile((chunk.repeat(chunks) + "0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            try {
                for (int i = 0; i < 300; i++) {
                    assertEquals("hello", small.get("/small").read().text());
                    assertTrue(proxy.slabBytes() < 3 << 20, () -> proxy.slabBytes() + " bytes of slabs");
                }
            } finally {
                isTooLate.countDown();
            }
            assertEquals("" + 1000 * chunks, large.read().header("X-Length"));
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
