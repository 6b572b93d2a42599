package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpFilter;
import io.millrace.http.Request;
import io.millrace.http.server.Http;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A filter that passes a copy of a request on loses nothing without a word.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CopiedRequestTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final String LENGTH = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
    private static final String CHUNKED =
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    private static final String UPGRADE =
            "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n";

    private final AtomicReference<Throwable> thrown = new AtomicReference<>();

    private final HttpFilter copying = next -> request -> {
        try {
            return next.handle(request.timeout(Duration.ofMinutes(1)).addHeader("X-Tenant", "t"));
        } catch (RuntimeException e) {
            thrown.set(e);
            throw e;
        }
    };

    private void refuses(Proxying.Kind kind, String request, String word) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.serve(Upstream.of(backend.uri()), copying::around);
                var client = proxy.connect()) {
            assertEquals(500, client.send(request).read().status());
            assertEquals(0, backend.connections());
            var message = String.valueOf(thrown.get());
            assertTrue(
                    message.contains(word) && message.contains("/a") && message.contains("forward the request"),
                    message);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_would_stay_behind_is_refused(Proxying.Kind kind) throws Exception {
        refuses(kind, LENGTH.replace("4", "100000"), "the body");
    }

    @Test
    void so_is_one_in_chunks() throws Exception {
        refuses(Proxying.Kind.NIO_SAME, CHUNKED, "the body");
    }

    @Test
    void a_change_of_protocol_that_would_have_no_connection_is_refused() throws Exception {
        refuses(Proxying.Kind.NIO_SAME, UPGRADE, "another protocol");
    }

    @Test
    void a_copy_without_either_is_passed_on() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.serve(Upstream.of(backend.uri()), copying::around);
                var client = proxy.connect()) {
            assertEquals("hello", client.get("/a").read().text());
            assertTrue(backend.nextHead().contains("X-Tenant: t"));
        }
    }

    @Test
    void a_handler_that_gets_bodies_whole_passes_them_on_in_a_copy() throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                            + new String(RawClient.exactly(visit.in, 4), java.nio.charset.StandardCharsets.US_ASCII));
                });
                var proxy = Proxying.Kind.NIO_SAME.serve(
                        Upstream.of(backend.uri()),
                        upstream -> Http.whole(10, request -> upstream.handle(tenant(request))));
                var client = proxy.connect()) {
            assertEquals("body", client.send(LENGTH).read().text());
        }
    }

    private static Request tenant(Request request) {
        return request.timeout(Duration.ofMinutes(1)).addHeader("X-Tenant", "t");
    }
}
