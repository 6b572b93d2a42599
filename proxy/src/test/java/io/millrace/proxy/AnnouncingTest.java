package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.ProxyProtocol.Version;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Backends of layer 7 that are told by the PROXY protocol whose connection it is.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnnouncingTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static String line(RawClient client, Proxying proxy) {
        return "PROXY TCP4 127.0.0.1 127.0.0.1 " + client.socket().getLocalPort() + " "
                + proxy.server().port();
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_begins_with_its_client_and_serves_nobody_else(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(upstream -> upstream.sendProxyProtocol(Version.V1), backend.uri());
                var one = proxy.connect();
                var other = proxy.connect()) {
            assertEquals("ok", one.get("/a").read().text());
            assertEquals("ok", other.get("/b").read().text());
            assertEquals(
                    line(one, proxy) + " GET /a HTTP/1.1",
                    String.join(" ", backend.nextHead().subList(0, 2)));
            assertEquals(
                    line(other, proxy) + " GET /b HTTP/1.1",
                    String.join(" ", backend.nextHead().subList(0, 2)));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_SAME", "EPOLL_SAME", "URING_SAME", "NIO_OWN"})
    void a_client_that_asks_again_is_on_its_connection(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(upstream -> upstream.sendProxyProtocol(Version.V1), backend.uri());
                var one = proxy.connect();
                var other = proxy.connect()) {
            assertEquals("ok", one.get("/a").read().text());
            assertEquals("ok", one.get("/b").read().text());
            assertEquals("ok", other.get("/c").read().text());
            var head = backend.nextHead();
            assertEquals(line(one, proxy), head.get(0));
            assertEquals("GET /a HTTP/1.1", head.get(1));
            assertEquals("GET /b HTTP/1.1", backend.nextHead().getFirst());
            assertEquals(line(other, proxy), backend.nextHead().getFirst());
            assertEquals(2, backend.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void version_2_is_in_bytes(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    var header = RawClient.exactly(visit.in, 28);
                    var signature = new String(header, 0, 12, StandardCharsets.ISO_8859_1);
                    boolean isRight = signature.equals("\r\n\r\n\0\r\nQUIT\n") && header[12] == 0x21;
                    visit.head();
                    visit.send(isRight ? OK : "HTTP/1.1 500 Wrong\r\nContent-Length: 0\r\n\r\n");
                });
                var proxy = kind.to(upstream -> upstream.sendProxyProtocol(Version.V2), backend.uri());
                var client = proxy.connect()) {
            assertEquals(200, client.get("/").read().status());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_SAME", "EPOLL_OWN", "URING_SAME"})
    void a_check_announces_nobody(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(
                        upstream -> upstream.sendProxyProtocol(Version.V1).health("/healthz", Duration.ofMillis(50)),
                        backend.uri());
                var client = proxy.connect()) {
            client.get("/");
            assertEquals("ok", client.read().text());
            var heads = backend.nextHead();
            while (!heads.getFirst().equals("PROXY UNKNOWN")) heads = backend.nextHead();
            assertTrue(heads.contains("GET /healthz HTTP/1.1"), heads::toString);
        }
    }
}
