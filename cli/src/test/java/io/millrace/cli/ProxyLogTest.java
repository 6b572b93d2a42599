package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    /// The lines without their times, those of the proxy's logger without that, and without those of its end.
    private static List<String> story(Program proxy) {
        return lines(proxy)
                .filter(line -> !line.startsWith("INFO process " + proxy.pid()))
                .toList();
    }

    private static Stream<String> lines(Program proxy) {
        return proxy.err()
                .lines()
                .map(line -> line.replaceFirst("^\\S+ ", "").replaceFirst(" io\\.millrace\\.proxy:", ""));
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
    @EnabledOnOs(OS.LINUX)
    void a_disk_without_room_for_the_access_log_is_told_once_and_with_what_was_lost() throws Exception {
        var file = file("""
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: one}}}
                access-log: {file: /dev/full}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """);
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            var address = proxy.listening();
            var page = page(proxy);
            for (int i = 1; i <= 3; i++) {
                assertEquals("one", get("http://" + address + "/"));
                awaitMetric(page, "millrace_access_log_dropped_total " + i);
            }
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertStory(
                    List.of(
                            "WARNING io\\.millrace\\.http: the access log /dev/full: lines are lost from now on: No space.*",
                            "WARNING io\\.millrace\\.http: the access log /dev/full ends: 3 lines were lost"),
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
                // In turn, and one of them is its.
                for (int i = 0; i < 2; i++) assertEquals("hello", get("http://" + address + "/"));
                proxy.terminate();
                assertEquals(0, proxy.exitCode(), proxy::err);
                var name = "app: 127\\.0\\.0\\.1:" + bad.port();
                assertStory(
                        List.of(
                                "WARNING " + name
                                        + " is ejected for 1 s: 3 requests in a row failed, and the last one was"
                                        + " cut off before it was answered",
                                "INFO " + name + " is back: its ejection is over",
                                "INFO " + name + " answers again, after 1\\d* m?s"),
                        story(proxy));
            }
        } finally {
            good.close();
        }
    }

    @Test
    void a_drain_is_told_with_what_it_waits_for_and_with_what_it_cuts() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var file = file("""
                    listeners: {web: {address: "127.0.0.1:0"}}
                    routes: {all: {upstream: app}}
                    upstreams: {app: {endpoints: ["127.0.0.1:PORT"]}}
                    drain-timeout: 1s
                    runtime: {loops: 1}
                    """.replace("PORT", "" + silent.getLocalPort()));
            try (var proxy = Program.start("proxy", "--config", file.toString());
                    var client = proxy.connect()) {
                client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                try (var _ = silent.accept()) {
                    proxy.terminate();
                    assertEquals(0, proxy.exitCode(), proxy::err);
                }
                var process = "process " + proxy.pid();
                assertStory(
                        List.of(
                                "INFO " + process + " ends when 1 connection, with 1 request and 0 WebSockets at"
                                        + " backends, has ended, at the latest in 1 s \\(drain-timeout\\)",
                                "WARNING " + process
                                        + " has cut 1 connection, open after 1\\d* m?s \\(drain-timeout\\)"),
                        lines(proxy).toList());
            }
        }
    }

    @Test
    void a_backend_that_nobody_checks_is_told_when_it_cannot_be_reached_and_when_it_answers_again() throws Exception {
        var backend = backend(0);
        int port = backend.port();
        try (var proxy = Program.start(
                "proxy", "--layer", "7", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:" + port, "--loops", "1")) {
            var uri = "http://" + proxy.listening() + "/";
            assertEquals("hello", get(uri));
            backend.close();
            for (int i = 0; i < 12; i++) assertNotEquals("hello", get(uri));
            backend = backend(port);
            assertEquals("hello", get(uri));
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            var name = "upstream: 127\\.0\\.0\\.1:" + port;
            assertStory(
                    List.of(
                            "WARNING " + name + " cannot be reached: .*refused.*",
                            "INFO " + name + " answers again, after \\d+ m?s"),
                    story(proxy));
        } finally {
            backend.close();
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
