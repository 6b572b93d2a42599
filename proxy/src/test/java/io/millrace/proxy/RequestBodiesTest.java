package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.Retries.Condition;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies of requests that are kept, and those that are too long.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestBodiesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHUNKED = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    private static Proxying with(Proxying.Kind kind, RequestBodies bodies, Upstream upstream) {
        return kind.serve(upstream, whole -> whole.with(bodies));
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_kept_takes_no_connection_while_it_arrives(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = with(kind, new RequestBodies(1 << 20, Long.MAX_VALUE), Upstream.of(backend.uri()));
                var slow = proxy.connect();
                var quick = proxy.connect()) {
            slow.send(CHUNKED + "2\r\nab\r\n");
            assertEquals("hello", quick.get("/").read().text());
            assertEquals(1, backend.heads.size());
            assertEquals("hello", slow.send("3\r\ncde\r\n0\r\n\r\n").read().text());
            backend.nextHead();
            assertTrue(backend.nextHead().contains("Content-Length: 5"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_kept_is_sent_to_another_backend(Proxying.Kind kind) throws Exception {
        var retries = new Retries(Set.of(Condition.RESET), 2, Duration.ZERO, 2 << 20);
        int length = 1_500_000;
        try (var bad = new RawBackend(visit -> {
                    visit.head();
                    RawClient.exactly(visit.in, length);
                    visit.reset();
                });
                var good = new RawBackend(visit -> {
                    visit.head();
                    RawClient.exactly(visit.in, length);
                    visit.send(OK);
                });
                var proxy = kind.to(upstream -> upstream.retries(retries), bad.uri(), good.uri());
                var client = proxy.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length));
            assertEquals("hello", client.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_says_it_is_too_long_is_refused_at_once(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = with(kind, new RequestBodies(0, 10), Upstream.of(backend.uri()));
                var client = proxy.connect()) {
            var reply = client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                    .read();
            assertEquals(413, reply.status());
            assertEquals("close", reply.header("Connection"));
            assertEquals(0, backend.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_turns_out_to_be_too_long_is_refused_then(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(RawBackend.Visit::awaitEnd);
                var proxy = with(kind, new RequestBodies(0, 10), Upstream.of(backend.uri()));
                var client = proxy.connect()) {
            client.send(CHUNKED + "6\r\nabcdef\r\n").send("6\r\nabcdef\r\n");
            assertEquals(413, client.read().status());
        }
    }
}
