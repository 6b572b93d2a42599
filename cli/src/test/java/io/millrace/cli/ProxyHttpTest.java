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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The contract of `millrace proxy --layer 7` and `--config`, seen from outside its process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyHttpTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private final EventLoops loops = EventLoops.of(1);
    private final Server backend = Http.listen(
            Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops),
            request -> Response.ok(request.path() + " " + request.header("Via").orElse("directly")));
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        client.close();
        backend.close();
        loops.close();
    }

    private String get(String address, String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    @ParameterizedTest
    @CsvSource({
        "same,   loop,    epoll, 0",
        "shared, loop,    nio,   0",
        "own,    virtual, epoll, 0",
        "own,    pool:2,  nio,   100000",
    })
    void passes_requests_on_then_ends_with_0_on_SIGTERM(
            String upstreamLoops, String dispatch, String transport, String aggregateLimit) throws Exception {
        try (var proxy = Program.start(
                "proxy",
                "--layer",
                "7",
                "--listen",
                "127.0.0.1:0",
                "--to",
                "127.0.0.1:" + backend.port(),
                "--upstream-loops",
                upstreamLoops,
                "--dispatch",
                dispatch,
                "--transport",
                transport,
                "--aggregate-limit",
                aggregateLimit,
                "--loops",
                "2")) {
            assertEquals("/a 1.1 millrace", get(proxy.listening(), "/a"));
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertEquals(List.of(), proxy.troubles());
        }
    }

    @Test
    void has_a_page_that_shows_what_it_does() throws Exception {
        try (var proxy = Program.start(
                "proxy",
                "--layer",
                "7",
                "--listen",
                "127.0.0.1:0",
                "--to",
                "127.0.0.1:" + backend.port(),
                "--admin",
                "127.0.0.1:0",
                "--loops",
                "1")) {
            get(proxy.listening(), "/a");
            var line = proxy.line();
            assertTrue(line.matches("admin page on http://127\\.0\\.0\\.1:\\d+/"), line);
            var page = line.replaceAll(".*http://(.*)/", "$1");
            var name = "\"name\":\"127.0.0.1:" + backend.port() + "\",\"state\":\"up\"";
            assertTrue(get(page, "/api/state").contains(name));
            assertTrue(
                    get(page, "/metrics").contains("millrace_requests_total{listener=\"proxy\",status=\"2xx\"} 1\n"));
        }
    }

    private Path file(Path folder, String prefix) throws IOException {
        return Files.writeString(
                folder.resolve("proxy.yaml"), """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes:
                  app:
                    match: {prefix: /app}
                    upstream: app
                    rewrite: {prefix: PREFIX}
                upstreams: {app: {endpoints: ["127.0.0.1:PORT"]}}
                runtime: {loops: 1}
                """.replace("PREFIX", prefix).replace("PORT", "" + backend.port()));
    }

    @Test
    void serves_a_file_and_what_it_says_when_it_has_changed(@TempDir Path folder) throws Exception {
        var file = file(folder, "/one");
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            var address = proxy.listening();
            assertEquals("/one/a 1.1 millrace", get(address, "/app/a"));
            file(folder, "/second");
            while (get(address, "/app/a").startsWith("/one")) Waiting.briefly();
            assertEquals("/second/a 1.1 millrace", get(address, "/app/a"));
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
        }
    }

    @Test
    void an_included_file_that_has_changed_or_is_new_is_noticed(@TempDir Path folder) throws Exception {
        var file = Files.writeString(
                folder.resolve("proxy.yaml"),
                "listeners: {web: {address: '127.0.0.1:0'}}\ninclude: ['*.route']\nruntime: {loops: 1}\n");
        answering(folder, "one", "first");
        try (var proxy = Program.start("proxy", "--config", file.toString())) {
            var address = proxy.listening();
            assertEquals("first", get(address, "/one"));
            answering(folder, "one", "second");
            while (get(address, "/one").equals("first")) Waiting.briefly();
            answering(folder, "two", "third");
            while (!get(address, "/two").equals("third")) Waiting.briefly();
            assertEquals("second", get(address, "/one"));
        }
    }

    private static void answering(Path folder, String name, String body) throws IOException {
        Files.writeString(
                folder.resolve(name + ".route"),
                "routes: {" + name + ": {match: {path: /" + name + "}, respond: {body: " + body + "}}}\n");
    }

    @Test
    void a_file_that_is_wrong_is_told_with_line_and_remedy(@TempDir Path folder) throws Exception {
        var file = Files.writeString(folder.resolve("bad.yaml"), "listeners:\n  web:\n    adress: :80\n");
        try (var proxy = Program.start("proxy", "--config", file.toString(), "--check")) {
            assertEquals(1, proxy.exitCode(), proxy::err);
            assertTrue(proxy.err().contains("bad.yaml:3:5: listeners.web.adress: "), proxy::err);
        }
    }

    @Test
    void a_file_that_is_right_is_told_so_and_not_served(@TempDir Path folder) throws Exception {
        try (var proxy = Program.start("proxy", "--config", file(folder, "/").toString(), "--check")) {
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertTrue(proxy.line().contains("is fine: 1 listener, 1 route, 1 upstream"));
        }
    }
}
