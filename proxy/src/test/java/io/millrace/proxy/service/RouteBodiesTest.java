package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `request-body` of a route in the file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RouteBodiesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final String PUT = "PUT /small HTTP/1.1\r\nHost: a\r\n";

    /// One route with a limit, one that buffers, and one with neither.
    private static Serving serving(RawBackend backend) throws Exception {
        return Serving.of("""
                listeners: {web: {address: "127.0.0.1:0"}}
                routes:
                  small: {match: {path: /small}, upstream: app, request-body: {max-size: 10}}
                  keepalive: {match: {path: /kept}, upstream: app, rewrite: {path: /new}, request-body: {buffer: 1KiB}}
                  all: {upstream: app}
                upstreams: {app: {endpoints: ["127.0.0.1:%d"]}}
                runtime: {loops: 1}
                """.formatted(backend.port()));
    }

    @Test
    void a_body_that_says_it_is_too_long_is_refused_before_a_backend_is_asked() throws Exception {
        long acted = HttpGuards.BODY.count();
        try (var backend = RawBackend.answering(OK);
                var proxy = serving(backend);
                var client = proxy.connect()) {
            var refused = client.send(PUT + "Expect: 100-continue\r\nContent-Length: 11\r\n\r\n")
                    .read();
            assertEquals(413, refused.status());
            assertEquals(0, backend.connections());
            assertEquals(acted + 1, HttpGuards.BODY.count());
        }
    }

    @Test
    void one_in_chunks_is_refused_when_it_is_too_long() throws Exception {
        try (var backend = new RawBackend(RawBackend.Visit::head);
                var proxy = serving(backend);
                var client = proxy.connect()) {
            client.send(PUT + "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\nabcdef\r\n");
            assertEquals(413, client.read().status());
        }
    }

    @Test
    void one_that_is_not_passes_and_so_do_longer_ones_of_other_routes() throws Exception {
        // A body that ends as a head does is read like one.
        try (var backend = new RawBackend(visit -> {
                    while (true) {
                        visit.head();
                        visit.head();
                        visit.send(OK);
                    }
                });
                var proxy = serving(backend);
                var client = proxy.connect()) {
            client.send(PUT + "Content-Length: 10\r\n\r\n012345\r\n\r\n");
            assertEquals("hello", client.read().text());
            client.send("PUT /other HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n0123456\r\n\r\n");
            assertEquals("hello", client.read().text());
        }
    }

    @Test
    void one_that_is_collected_takes_no_backend_while_it_arrives() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = serving(backend);
                var client = proxy.connect();
                var other = proxy.connect()) {
            client.send("PUT /kept HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
            assertEquals("hello", other.get("/other").read().text());
            assertEquals("GET /other HTTP/1.1", backend.nextHead().getFirst());
            assertEquals("hello", rest(client).text());
            var head = backend.nextHead();
            assertEquals("PUT /new HTTP/1.1", head.getFirst());
            assertTrue(head.contains("Content-Length: 5"), head::toString);
        }
    }

    private static RawClient.Reply rest(RawClient client) throws Exception {
        return client.send("3\r\ncde\r\n0\r\n\r\n").read();
    }
}
