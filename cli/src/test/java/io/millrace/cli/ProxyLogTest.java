package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The log of `millrace proxy --config` as its operator reads it, at the verbosity that it has by itself: what,
/// whom, why and for how long, and nothing about what is normal.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyLogTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private final EventLoops loops = EventLoops.of(1);
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        client.close();
        loops.close();
    }

    private Server backend(int port) {
        var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return Http.listen(Listen.on(at).loops(loops), _ -> Response.ok("hello"));
    }

    private String get(String uri) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(uri))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("proxy.yaml"), text);
    }

    private static String page(Program proxy) throws IOException {
        return proxy.line().replaceFirst("admin page on ", "");
    }

    private void awaitMetric(String page, String line) throws IOException, InterruptedException {
        while (!get(page + "metrics").contains("\n" + line + "\n")) Waiting.briefly();
    }

    /// The lines without their times, and those of the proxy's logger without that.
    private static List<String> story(Program proxy) {
        return proxy.err()
                .lines()
                .map(line -> line.replaceFirst("^\\S+ ", "").replaceFirst(" io\\.millrace\\.proxy:", ""))
                .toList();
    }

    private static void assertStory(List<String> expected, List<String> story) {
        assertEquals(expected.size(), story.size(), story::toString);
        for (int i = 0; i < expected.size(); i++) {
            var line = story.get(i);
            assertTrue(line.matches(expected.get(i)), () -> line + " in " + story);
        }
    }

    @Test
    void a_restart_of_a_backend_is_told_from_its_end_to_its_return() throws Exception {
        var backend = backend(0);
        int port = backend.port();
        var file = file("""
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {upstream: app}}
                upstreams:
                  app:
                    endpoints: ["127.0.0.1:PORT"]
                    health: {check: tcp, interval: 100ms, healthy-threshold: 1, unhealthy-threshold: 1}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """.replace("PORT", "" + port));
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            var address = proxy.listening();
            var page = page(proxy);
            assertEquals("hello", get("http://" + address + "/"));
            var labels = "{layer=\"7\",upstream=\"app\",backend=\"127.0.0.1:" + port + "\"}";
            backend.close();
            awaitMetric(page, "millrace_backend_healthy" + labels + " 0");
            backend = backend(port);
            awaitMetric(page, "millrace_backend_healthy" + labels + " 1");
            assertEquals("hello", get("http://" + address + "/"));
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            var name = "app: 127\\.0\\.0\\.1:" + port;
            assertStory(
                    List.of(
                            "WARNING " + name + " is unhealthy, and gets no requests: .+",
                            "INFO " + name + " is healthy after \\d+ m?s: connected"),
                    story(proxy));
        } finally {
            backend.close();
        }
    }

    @Test
    void a_reload_is_told_with_what_has_changed() throws Exception {
        var text = """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: one}}}
                runtime: {loops: 1}
                """;
        var file = file(text);
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            var address = proxy.listening();
            file(text.replace("one", "two"));
            while (!get("http://" + address + "/").equals("two")) Waiting.briefly();
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertStory(
                    List.of("INFO \\S*proxy\\.yaml is in force, because it has changed: changed route all"),
                    story(proxy));
        }
    }

    @Test
    void a_new_listener_tells_where_it_listens_and_one_that_is_gone_that_it_ends() throws Exception {
        var text = """
                listeners: {one: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: hi}}}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """;
        var file = file(text);
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            proxy.listening();
            var page = page(proxy);
            file(text.replace("one: {address: \"127.0.0.1:0\"}", "two: {address: \"[::1]:0\"}"));
            awaitMetric(page, "millrace_config_reloads_total{result=\"used\"} 2");
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            var story = story(proxy).stream().sorted().toList();
            assertStory(
                    List.of(
                            "INFO \\S*proxy\\.yaml is in force, .*: new listener two, removed listener one",
                            "INFO listener one on 127\\.0\\.0\\.1:\\d+ accepts no more, and ends when its requests have",
                            "INFO listener two on \\[::1\\]:\\d+ listens"),
                    story);
        }
    }

    @Test
    void a_file_that_cannot_listen_is_told_in_one_line_and_without_a_stack() throws Exception {
        var text = """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: one}}}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """;
        var file = file(text);
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var proxy = Program.start("proxy", "--config", file.toString())) {
            proxy.listening();
            var page = page(proxy);
            file(text.replace(
                    "{web: {address: \"127.0.0.1:0\"}}",
                    "{web: {address: \"127.0.0.1:" + taken.getLocalPort() + "\"}}"));
            awaitMetric(page, "millrace_config_last_reload_successful 0");
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertStory(
                    List.of(
                            "WARNING \\S*proxy\\.yaml is not used, and the configuration before stays in force: .*127\\.0\\.0\\.1:"
                                    + taken.getLocalPort() + ".*in use.*"),
                    story(proxy));
        }
    }

    @Test
    void an_ejection_is_told_with_its_cause_and_its_end() throws Exception {
        var good = backend(0);
        try (var bad = new ClosingBackend()) {
            var file = file("""
                    listeners: {web: {address: "127.0.0.1:0"}}
                    routes: {all: {upstream: app}}
                    upstreams:
                      app:
                        endpoints: ["127.0.0.1:GOOD", "127.0.0.1:BAD"]
                        balance: round-robin
                        health: {ejection-failures: 3, ejection-time: 1s}
                        limits: {retry-percent: 100}
                    admin: {address: "127.0.0.1:0"}
                    runtime: {loops: 1}
                    """.replace("GOOD", "" + good.port()).replace("BAD", "" + bad.port()));
            try (var proxy = Program.start("proxy", "--config", file.toString())) {
                var address = proxy.listening();
                var page = page(proxy);
                var labels = "{layer=\"7\",upstream=\"app\",backend=\"127.0.0.1:" + bad.port() + "\"}";
                while (!get(page + "metrics").contains("\nmillrace_backend_ejected" + labels + " 1\n")) {
                    assertEquals("hello", get("http://" + address + "/"));
                }
                bad.mend();
                while (!get(page + "metrics").contains("\nmillrace_backend_ejected" + labels + " 0\n")) {
                    assertEquals("hello", get("http://" + address + "/"));
                }
                proxy.terminate();
                assertEquals(0, proxy.exitCode(), proxy::err);
                var name = "app: 127\\.0\\.0\\.1:" + bad.port();
                assertStory(
                        List.of(
                                "WARNING " + name
                                        + " is ejected for 1 s: 3 requests in a row failed, and the last one was"
                                        + " cut off before it was answered",
                                "INFO " + name + " is back: its ejection is over"),
                        story(proxy));
            }
        } finally {
            good.close();
        }
    }

    /// Closes each connection when it has been asked for something, until it is mended.
    private static final class ClosingBackend implements AutoCloseable {
        private static final byte[] HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
                .getBytes(StandardCharsets.US_ASCII);

        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private volatile boolean isMended;

        ClosingBackend() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            while (!socket.isClosed()) {
                try (var one = socket.accept()) {
                    var in = one.getInputStream();
                    for (int ends = 0; ends < 4; ) {
                        int c = in.read();
                        if (c < 0) break;
                        ends = c == '\r' || c == '\n' ? ends + 1 : 0;
                    }
                    if (isMended) one.getOutputStream().write(HELLO);
                } catch (IOException _) {
                    // The next one, or the end.
                }
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        void mend() {
            isMended = true;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
