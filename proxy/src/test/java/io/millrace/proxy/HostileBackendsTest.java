package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyEvents;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Backends that answer what nobody may believe: their client sees a failure, nobody else sees anything, and
/// their connection is not used again.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileBackendsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    /// The first visit gets this, and is then read to its end; others get what is right.
    private static RawBackend first(String bytes) throws IOException {
        return first(visit -> {
            visit.head();
            visit.send(bytes).awaitEnd();
        });
    }

    private static RawBackend first(RawBackend.Script script) throws IOException {
        var visits = new AtomicInteger();
        return new RawBackend(visit -> {
            if (visits.incrementAndGet() == 1) {
                script.run(visit);
                return;
            }
            while (true) {
                visit.head();
                visit.send(OK);
            }
        });
    }

    private static void assertServedElsewhere(RawBackend backend, Proxying proxy) throws IOException {
        try (var other = proxy.connect()) {
            assertEquals("hello", other.get("/other").read().text());
            assertEquals("hello", other.get("/other").read().text());
        }
        assertEquals(2, backend.connections());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.9\r\n",
                "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 204 No Content\r\nContent-Length: 5, 6\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\u0081\u0005hello",
                "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            })
    void what_is_no_response_is_502(String bytes) throws IOException {
        try (var backend = first(bytes);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.get("/").readFinal();
            assertEquals(502, reply.status());
            assertTrue(!reply.text().contains("hello"), reply::text);
            assertServedElsewhere(backend, proxy);
        }
    }

    /// As grpc-go and Netty begin, and as Netty ends when it has read HTTP/1.1.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\0\0\0\4\0\0\0\0\0",
                "\0\0\6\4\0\0\0\0\0\0\3\0\0\0\1",
                "\0\0\u000f\7\0\0\0\0\0\177\377\377\377\0\0\0\1HTTP/1."
            })
    void a_backend_that_speaks_only_HTTP_2_is_told_apart(String bytes) throws IOException {
        var name = "only-" + bytes.length();
        try (var backend = first(bytes);
                var proxy = Proxying.Kind.NIO_SAME.to(upstream -> upstream.name(name), backend.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.get("/").read().status());
            assertServedElsewhere(backend, proxy);
            var told = ProxyEvents.ofProcess().all().stream()
                    .map(event -> event.what().replaceFirst("127\\S+ ", ""))
                    .filter(what -> what.startsWith(name + ": "))
                    .map(what -> what.replaceFirst("after .*", "after"))
                    .toList();
            assertEquals(
                    List.of(
                            name + ": speaks HTTP/2, and gets requests of HTTP/1.1, which fail: set protocol: h2 of the"
                                    + " upstream " + name,
                            name + ": answers again, after"),
                    told);
        }
    }

    @Test
    void a_flood_of_interim_responses_is_502() throws IOException {
        try (var backend = first("HTTP/1.1 102 Processing\r\n\r\n".repeat(1000) + OK);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.get("/");
            int interim = 0;
            var reply = client.read();
            for (; reply.status() < 200; reply = client.read()) interim++;
            assertEquals(502, reply.status());
            assertTrue(interim <= 8, interim + " of them reach the client");
            assertServedElsewhere(backend, proxy);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Field: 1\r\n", "X", "X-Long: \r\n Y"})
    void a_flood_of_fields_is_502(String part) throws IOException {
        try (var backend = first("HTTP/1.1 200 OK\r\n" + part.repeat(200_000 / part.length()));
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.get("/").read().status());
            assertServedElsewhere(backend, proxy);
        }
    }

    /// The rest is good.
    @ParameterizedTest
    @ValueSource(strings = {"0\r\nContent-Length: 5\r\n\r\n", "0\r\nSet-Cookie: a=b\r\n\r\n", "0;LONG\r\n\r\n"})
    void what_may_not_stand_at_the_end_of_a_body_is_left_out(String end) throws IOException {
        var last = end.replace("LONG", "x=" + "y".repeat(1000));
        try (var backend = RawBackend.answering(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + last);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.get("/").read();
            assertEquals("hello", reply.text());
            assertEquals("hello", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n100000004\r\nhello",
                "Transfer-Encoding: chunked\r\n\r\n5;\nhello\r\n0\r\n\r\n"
            })
    void a_body_that_is_none_is_cut(String rest) throws IOException {
        try (var backend = first("HTTP/1.1 200 OK\r\n" + rest);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.get("/");
            assertThrows(IOException.class, client::read);
            assertServedElsewhere(backend, proxy);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 6\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"})
    void a_body_that_ends_too_early_is_cut(String rest) throws IOException {
        try (var backend = first(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\n" + rest);
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.get("/");
            assertThrows(IOException.class, client::read);
            assertServedElsewhere(backend, proxy);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"
            })
    void bytes_behind_a_response_are_nobodys(String head) throws IOException {
        var body = head.contains("200 OK\r\nContent") ? "yes" : "";
        try (var backend = first(head + body + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.get("/").read();
            assertEquals(head.substring(9, 12), "" + reply.status());
            assertEquals(head.contains("200") ? "yes" : "", reply.text());
            assertServedElsewhere(backend, proxy);
            assertEquals("hello", client.get("/").read().text());
        }
    }

    @Test
    void the_body_of_a_response_to_head_is_nobodys() throws IOException {
        try (var backend = first(
                        "HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("42", client.read(false).header("Content-Length"));
            assertServedElsewhere(backend, proxy);
            assertEquals("hello", client.get("/").read().text());
        }
    }

    @Test
    void a_response_in_front_of_its_request_is_nobodys() throws Exception {
        try (var backend = first(visit -> {
                    visit.head();
                    visit.send(OK).head();
                    // The proxy rests its connection by now: what it has read of the second request came behind
                    // this.
                    visit.send(OK);
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                            .awaitEnd();
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("hello", client.get("/").read().text());
            assertEquals("hello", client.get("/").read().text());
            backend.awaitClosed();
            assertServedElsewhere(backend, proxy);
            assertEquals("hello", client.get("/").read().text());
        }
    }

    @Test
    void a_connection_whose_request_was_answered_too_early_is_not_used_again() throws Exception {
        try (var backend = first(visit -> {
                    visit.head();
                    visit.send(OK).awaitEnd();
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nsome");
            assertEquals("hello", client.read().text());
            client.socket().close();
            backend.awaitClosed();
            assertServedElsewhere(backend, proxy);
        }
    }

    @Test
    void a_backend_that_says_nothing_and_goes_is_502() throws IOException {
        try (var backend = new RawBackend(RawBackend.Visit::head);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
            assertEquals(502, client.read().status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE"})
    void the_same_when_it_may_be_tried_again_and_nobody_is_left(String method) throws IOException {
        try (var backend = new RawBackend(RawBackend.Visit::head);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals(502, client.read().status());
        }
    }
}
