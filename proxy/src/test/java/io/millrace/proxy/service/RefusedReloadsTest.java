package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a configuration that cannot be served leaves in upstreams: nothing.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedReloadsTest {
    private static final String UNUSED = """
            listeners: {web: {address: "127.0.0.1:0"}}
            routes: {all: {respond: {body: nobody}}}
            upstreams: {app: {endpoints: ["127.0.0.1:PORT"]}}
            runtime: {loops: 1}
            """;
    private static final String USED = UNUSED.replace("respond: {body: nobody}", "upstream: app");
    private static final String LAYER_4 = ", layer: 4, upstream: app";

    /// A backend, and how many follow its list at this moment.
    private static final class Watched implements EndpointSource {
        final AtomicInteger began = new AtomicInteger();
        final AtomicInteger watching = new AtomicInteger();
        private final RawBackend backend;

        Watched(RawBackend backend) {
            this.backend = backend;
        }

        @Override
        public AutoCloseable watch(Consumer<List<Endpoint>> listener) {
            began.incrementAndGet();
            watching.incrementAndGet();
            listener.accept(
                    List.of(Endpoint.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), backend.port()))));
            return watching::decrementAndGet;
        }
    }

    private static RawBackend saying(String text) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    private static Configuration configuration(String text, RawBackend backend) {
        return Serving.configuration(text.replace("PORT", String.valueOf(backend.port())));
    }

    /// With the backend of a source, and a listener more.
    private static Configuration used(Watched source, int port, String more) {
        var listener = "more: {address: \"127.0.0.2:" + port + "\"" + more + "}";
        var next = configuration(USED.replace("listeners: {", "listeners: {" + listener + ", "), source.backend);
        var upstreams = new LinkedHashMap<>(next.upstreams());
        upstreams.computeIfPresent(
                "app", (_, app) -> new ConfiguredUpstream(app.settings().source(source), app.loops(), app.files()));
        return new Configuration(
                next.listeners(),
                next.routes(),
                upstreams,
                next.forwarding(),
                next.accessLog(),
                next.admin(),
                next.runtime(),
                next.drain());
    }

    private static String ask(Serving proxy) throws IOException {
        try (var client = proxy.connect()) {
            return client.get("/").read().text();
        }
    }

    /// Its listener's port is taken.
    private static void refuse(Serving proxy, Watched source, String more) throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            var next = used(source, taken.getLocalPort(), more);
            assertThrows(IOException.class, () -> proxy.service().reload(next));
        }
        assertEquals(1, source.began.get());
        assertEquals(0, source.watching.get());
    }

    @Test
    void an_upstream_that_nobody_used_begins_with_the_settings_in_force() throws Exception {
        try (var one = saying("one");
                var other = saying("other");
                var proxy = new Serving(ProxyService.start(configuration(UNUSED, one)))) {
            var others = new Watched(other);
            refuse(proxy, others, "");
            assertEquals("nobody", ask(proxy));
            proxy.service().reload(configuration(USED, one));
            assertEquals("one", ask(proxy));
            assertEquals(1, others.began.get());
        }
    }

    @Test
    void an_upstream_that_is_in_use_on_one_layer_ends_on_the_other_and_goes_on() throws Exception {
        try (var one = saying("one");
                var other = saying("other");
                var proxy = new Serving(ProxyService.start(configuration(USED, one)))) {
            var others = new Watched(other);
            refuse(proxy, others, LAYER_4);
            assertEquals("one", ask(proxy));
            proxy.service().reload(used(others, 0, LAYER_4));
            assertEquals(2, others.watching.get());
        }
    }
}
