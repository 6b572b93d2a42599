package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.WebSocket;
import io.millrace.net.Guard;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `websockets` of a listener and of a route in the file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketLimitsTest {
    private final EventLoops loops = EventLoops.of(1);
    private final Server backend = Http.listen(
            Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops),
            request -> WebSocket.accept(request, socket -> socket::send));

    @AfterEach
    void stop() {
        backend.close();
        loops.close();
    }

    private Serving serving(String ofListener, String ofRoute) throws IOException {
        return Serving.of("""
                listeners: {web: {address: "127.0.0.1:0"%s}}
                routes:
                  few: {match: {prefix: /few}, upstream: app%s}
                  all: {upstream: app}
                upstreams: {app: {endpoints: ["127.0.0.1:%d"]}}
                runtime: {loops: 1}
                """.formatted(ofListener, ofRoute, backend.port()));
    }

    private static int ask(RawClient client, String path) throws IOException {
        return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .read()
                .status();
    }

    private static void assertRefused(RawClient client, String path, Guard guard) throws IOException {
        long acted = guard.count();
        assertEquals(503, ask(client, path));
        assertEquals(acted + 1, guard.count());
    }

    /// Until a place is free: its socket ends on the other side of the proxy, too.
    private static void awaitPlace(Serving proxy, String path) throws IOException {
        int status = 0;
        while (status != 101) {
            try (var client = proxy.connect()) {
                status = ask(client, path);
            }
            Waiting.briefly();
        }
    }

    @Test
    void each_counts_for_its_route_and_for_its_listener_until_it_ends() throws Exception {
        try (var proxy = serving(", websockets: {max: 2}", ", websockets: {max: 1}");
                var other = proxy.connect();
                var refused = proxy.connect()) {
            try (var first = proxy.connect()) {
                assertEquals(101, ask(first, "/few"));
                assertRefused(refused, "/few", ProxyGuards.WEBSOCKETS);
                assertEquals(101, ask(other, "/"));
                assertRefused(refused, "/", ProxyGuards.WEBSOCKETS);
                assertEquals(426, refused.get("/few").read().status(), "other requests pass");
            }
            awaitPlace(proxy, "/few");
        }
    }

    @Test
    void one_address_has_its_own_limit() throws Exception {
        try (var proxy = serving("", ", websockets: {max-per-address: 1}");
                var other = proxy.connect();
                var refused = proxy.connect()) {
            try (var first = proxy.connect()) {
                assertEquals(101, ask(first, "/few"));
                assertRefused(refused, "/few", ProxyGuards.WEBSOCKETS_PER_ADDRESS);
                assertEquals(101, ask(other, "/"));
            }
            awaitPlace(proxy, "/few");
        }
    }
}
