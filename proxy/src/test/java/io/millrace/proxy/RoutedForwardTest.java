package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.routing.Routing;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A route's changes on their way through a proxy, in every thread model.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoutedForwardTest {
    private static final int LENGTH = 300_000;

    private static Routing routing(Upstream upstream) {
        var file = """
                listeners: {web: {address: ":80"}}
                upstreams: {app: {endpoints: [10.0.0.1:80]}}
                routes:
                  api:
                    match: {prefix: /api}
                    upstream: app
                    rewrite: {prefix: /v2}
                    request-headers: {set: {X-Set: new}, remove: [X-Gone]}
                    response-headers: {add: {X-Added: here}, remove: [X-Mine]}
                """;
        var good = (CheckedFile.Good) ConfigurationFile.parse("proxy.yaml", Path.of("/"), file, Map.of());
        return Routing.of(good.configuration().routesOf("web"), _ -> upstream);
    }

    @ParameterizedTest
    @EnumSource
    void a_rewritten_request_arrives_with_its_whole_body_and_the_response_is_changed(Proxying.Kind kind)
            throws Exception {
        var body = new AtomicReference<>("");
        try (var backend = new RawBackend(visit -> {
                    var head = String.join("\n", visit.head());
                    body.set(head + "\n" + RawClient.exactly(visit.in, LENGTH).length);
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Mine: yes\r\n\r\nok");
                });
                var proxy = kind.serve(Upstream.of(backend.uri()), RoutedForwardTest::routing);
                var client = proxy.connect()) {
            client.send("POST /api/a?b HTTP/1.1\r\nHost: a\r\nX-Gone: 1\r\nX-Set: old\r\nContent-Length: " + LENGTH
                    + "\r\n\r\n");
            client.send("x".repeat(LENGTH));
            var reply = client.read();
            assertEquals("ok", reply.text());
            assertEquals("here", reply.header("X-Added"));
            assertEquals("", reply.header("X-Mine"));
            assertTrue(body.get().startsWith("POST /v2/a?b HTTP/1.1\n"), body::get);
            assertTrue(body.get().contains("\nX-Set: new\n") && body.get().endsWith("\n" + LENGTH), body::get);
            assertFalse(body.get().contains("X-Gone") || body.get().contains("old"), body::get);
        }
    }
}
