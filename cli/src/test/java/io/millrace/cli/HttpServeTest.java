package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract of `millrace http`, seen from outside its process by the JDK's own client.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HttpServeTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String ANY_PORT = "127.0.0.1:0";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ParameterizedTest
    @ValueSource(strings = {"loop", "virtual", "pool:2"})
    void serves_what_it_says_then_ends_with_0_on_SIGTERM(String dispatch) throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT, "--dispatch", dispatch)) {
            var base = "http://" + server.listening();
            var plain = get(base + "/plaintext");
            assertEquals("Hello, World!", plain.body());
            assertEquals(
                    "text/plain", plain.headers().firstValue("content-type").orElseThrow());
            assertEquals("millrace", plain.headers().firstValue("server").orElseThrow());
            assertTrue(plain.headers().firstValue("date").isPresent());
            assertEquals("13", plain.headers().firstValue("content-length").orElseThrow());
            assertEquals("Hello, World!", get(base + "/").body());
            assertEquals("{\"message\":\"Hello, World!\"}", get(base + "/json").body());
            assertEquals("/p/b~", get(base + "/p/a/../b%7E").body());
            assertEquals(12345, get(base + "/large?n=12345").body().length());
            assertEquals(400, get(base + "/large?n=many").statusCode());
            assertEquals(400, get(base + "/large?n=" + ((1L << 30) + 1)).statusCode());
            assertEquals(404, get(base + "/elsewhere").statusCode());
            assertEchoes(base);
            server.terminate();
            assertEquals(0, server.exitCode(), server::err);
            assertEquals(List.of(), server.rest());
        }
    }

    private HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    private void assertEchoes(String base) throws IOException, InterruptedException {
        var sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);
        var uri = URI.create(base + "/echo");
        for (var body : List.of(BodyPublishers.ofByteArray(sent), chunked(sent))) {
            var reply = client.send(HttpRequest.newBuilder(uri).POST(body).build(), BodyHandlers.ofByteArray());
            assertArrayEquals(sent, reply.body());
        }
    }

    /// Of a length that nobody knows.
    private static HttpRequest.BodyPublisher chunked(byte[] bytes) {
        return BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes));
    }

    @Test
    void events_tick() throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT)) {
            var uri = URI.create("http://" + server.listening() + "/events");
            var reply = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofLines());
            assertEquals(
                    "text/event-stream",
                    reply.headers().firstValue("content-type").orElseThrow());
            try (var lines = reply.body()) {
                var first = lines.limit(3).toList();
                assertEquals("event: tick", first.get(0));
                assertTrue(first.get(1).startsWith("data: 20"), first::toString);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ws", "/ws/chat"})
    void messages_of_a_web_socket_come_back(String path) throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT)) {
            var got = new CompletableFuture<String>();
            var listener = new WebSocket.Listener() {
                @Override
                public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean isLast) {
                    got.complete(text.toString());
                    return null;
                }
            };
            var socket = client.newWebSocketBuilder()
                    .header("Origin", "https://elsewhere.example")
                    .buildAsync(URI.create("ws://" + server.listening() + path), listener)
                    .get(20, TimeUnit.SECONDS);
            var _ = socket.sendText("hello", true);
            assertEquals("hello", got.get(20, TimeUnit.SECONDS));
            socket.abort();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ws", "/ws/chat"})
    void a_browser_gets_a_page_that_opens_the_web_socket(String path) throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT)) {
            var uri = URI.create("http://" + server.listening() + path);
            var page = client.send(
                    HttpRequest.newBuilder(uri)
                            .header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
                            .build(),
                    BodyHandlers.ofString());
            assertEquals(200, page.statusCode());
            assertTrue(page.body().contains("new WebSocket("), page::body);
            var other = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            assertEquals(426, other.statusCode());
        }
    }

    @Test
    void close_ends_each_connection_behind_its_response() throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT, "--close");
                var socket = server.connect()) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(reply.contains("\r\nConnection: close\r\n"), reply);
            assertTrue(reply.endsWith("\r\n\r\nHello, World!"), reply);
        }
    }

    @Test
    void a_root_is_a_folder_of_files_and_nothing_outside_of_it(@TempDir Path folder) throws Exception {
        var root = Files.createDirectory(folder.resolve("public"));
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Files.writeString(root.resolve("index.html"), "<h1>hello</h1>");
        Files.writeString(root.resolve("a b.txt"), "0123456789");
        try (var server = Program.start("http", "--listen", ANY_PORT, "--root", root.toString())) {
            var base = "http://" + server.listening();
            assertEquals("<h1>hello</h1>", get(base + "/").body());
            assertEquals("0123456789", get(base + "/a%20b.txt").body());
            assertEquals("Hello, World!", get(base + "/plaintext").body());
            assertEquals(404, get(base + "/none.txt").statusCode());
            for (var path :
                    List.of("/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%252e%252e/secret.txt")) {
                assertTrue(raw(base, path).matches("(?s)HTTP/1.1 40[04] .*"), path);
            }
            var part = client.send(
                    HttpRequest.newBuilder(URI.create(base + "/a%20b.txt"))
                            .header("Range", "bytes=2-4")
                            .build(),
                    BodyHandlers.ofString());
            assertEquals(206, part.statusCode());
            assertEquals("234", part.body());
        }
    }

    /// As it is, without a client that tidies it up.
    private static String raw(String base, String path) throws IOException {
        var uri = URI.create(base);
        try (var socket = new java.net.Socket(uri.getHost(), uri.getPort())) {
            var request = "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void a_root_is_served_as_its_options_say(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("empty"));
        for (var name : List.of("index.html", "a.css", "a.css.gz"))
            Files.writeString(folder.resolve(name), (name + " ").repeat(200));
        try (var server = Program.start(
                "http",
                "--listen",
                ANY_PORT,
                "--root",
                folder.toString(),
                "--listing",
                "--try-files",
                "/index.html",
                "--precompressed",
                "br,gzip",
                "--compression")) {
            var base = "http://" + server.listening();
            assertTrue(get(base + "/empty/").body().contains("<h1>/empty/</h1>"));
            assertTrue(get(base + "/rooms/7").body().startsWith("index.html"));
            var asking = HttpRequest.newBuilder().header("Accept-Encoding", "gzip");
            var coded = client.send(asking.uri(URI.create(base + "/a.css")).build(), BodyHandlers.ofString());
            assertTrue(coded.body().startsWith("a.css.gz"));
            var packed =
                    client.send(asking.uri(URI.create(base + "/index.html")).build(), BodyHandlers.ofByteArray());
            assertEquals(List.of("gzip"), packed.headers().allValues("content-encoding"));
            assertTrue(packed.body().length < 200);
            server.terminate();
            assertEquals(0, server.exitCode(), server::err);
        }
    }

    @Test
    void files_have_an_age_and_errors_a_page(@TempDir Path folder) throws Exception {
        for (var name : List.of("home.htm", "a.css", "a.png", "missing.html"))
            Files.writeString(folder.resolve(name), name);
        try (var server = Program.start(
                "http",
                "--listen",
                ANY_PORT,
                "--root",
                folder.toString(),
                "--index",
                "index.html,home.htm",
                "--expires",
                "image/*=30d,text/css=1h",
                "--error-page",
                "404=/missing.html,4xx=/a.css")) {
            var base = "http://" + server.listening();
            assertEquals("home.htm", get(base + "/").body());
            assertEquals(List.of(), age(base + "/"));
            assertEquals(List.of("max-age=3600"), age(base + "/a.css"));
            assertEquals(List.of("max-age=2592000"), age(base + "/a.png"));
            var missing = get(base + "/elsewhere");
            assertEquals(404, missing.statusCode());
            assertEquals("missing.html", missing.body());
            server.terminate();
            assertEquals(0, server.exitCode(), server::err);
        }
    }

    private List<String> age(String url) throws IOException, InterruptedException {
        return get(url).headers().allValues("cache-control");
    }

    @Test
    void a_root_that_is_no_folder_is_a_wrong_option() throws Exception {
        try (var server = Program.start("http", "--listen", ANY_PORT, "--root", "/no/such/folder")) {
            assertEquals(2, server.exitCode(), server::err);
            assertTrue(server.err().contains("--root /no/such/folder is not a folder"), server::err);
        }
    }
}
