package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.http.HttpVersion;
import io.millrace.http.door.RequiringHttp1;
import io.millrace.http.door.RequiringHttp1.Announced;
import io.millrace.proxy.backend.UpstreamLimits;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A backend over TLS that speaks HTTP/2, and does not announce WebSocket in it (RFC 8441 section 3) or refuses it
/// there, gets a connection of HTTP/1.1 for it.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeFallbackTest {
    private static void assertFallsBack(Proxying.Kind kind, Announced announced) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = RequiringHttp1.changing(
                        loops,
                        announced,
                        head -> RawHandshake.agreeing(head.lines().toList()));
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.NEGOTIATED).tls(RequiringHttp1.trusting()),
                        backend.url())) {
            assertEchoes(proxy);
            assertEquals(List.of("h2", "http/1.1"), backend.agreed);
            assertEchoes(proxy);
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_gets_the_place_of_an_idle_connection(Proxying.Kind kind) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = RequiringHttp1.changing(
                        loops,
                        Announced.NOTHING,
                        head -> RawHandshake.agreeing(head.lines().toList()));
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.NEGOTIATED)
                                .limits(UpstreamLimits.standard().connectionsPerBackend(1))
                                .tls(RequiringHttp1.trusting()),
                        backend.url())) {
            assertEchoes(proxy);
            assertEquals(List.of("h2", "http/1.1"), backend.agreed);
        }
    }

    private static void assertEchoes(Proxying proxy) throws IOException {
        try (var client = proxy.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            client.send("words").socket().shutdownOutput();
            assertEquals("words", new String(client.readAll(), ISO_8859_1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_is_asked_in_HTTP_1_and_the_next_one_at_once(Proxying.Kind kind) throws IOException {
        assertFallsBack(kind, Announced.NOTHING);
    }

    @ParameterizedTest
    @EnumSource
    void one_that_requires_HTTP_1_gets_it(Proxying.Kind kind) throws IOException {
        assertFallsBack(kind, Announced.CHANGES);
    }
}
