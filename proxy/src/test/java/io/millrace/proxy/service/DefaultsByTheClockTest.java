package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What people do to a proxy that was given addresses and nothing else, as long as it takes them: by the clock, over
/// real sockets. All of it at the same time, each with backends of its own; `TimesTest` has the same in virtual time.
@Tag("clock")
class DefaultsByTheClockTest {
    private static final int SLOW_BYTES_PER_SECOND = 2_000_000;
    private static final int LARGE_BYTES = 200_000_000;
    private static final int STEPS_PER_SECOND = 10;
    private static final String TOKEN = "seen-by-nobody-else";
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final List<String> SCENARIOS =
            List.of("upload", "download", "late", "socket", "cancelled", "slow", "unavailable");

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final List<AutoCloseable> OPENED = new ArrayList<>();

    private static ProxyService service;
    private static Future<?> upload;
    private static Future<?> download;
    private static Future<?> late;
    private static Future<?> socket;
    private static Future<?> cancelled;
    private static Future<?> slow;
    private static Future<?> unavailable;

    @BeforeAll
    static void begin() throws Exception {
        var text = new StringBuilder("listeners: {web: {address: \"127.0.0.1:0\"}}\n");
        text.append("admin: {address: \"127.0.0.1:0\", token: " + TOKEN + "}\nroutes:\n");
        for (var name : SCENARIOS)
            text.append("  %s: {match: {prefix: /%s}, upstream: %s}\n".formatted(name, name, name));
        text.append("upstreams:\n");
        for (var name : SCENARIOS) {
            text.append("  %s: {endpoints: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}\n"
                    .formatted(name, backend().port(), backend().port()));
        }
        service = Serving.of(text.toString()).service();
        upload = begin(DefaultsByTheClockTest::upload);
        download = begin(DefaultsByTheClockTest::download);
        late = begin(DefaultsByTheClockTest::late);
        socket = begin(DefaultsByTheClockTest::socket);
        cancelled = begin(DefaultsByTheClockTest::cancelled);
        slow = begin(DefaultsByTheClockTest::slow);
        unavailable = begin(DefaultsByTheClockTest::unavailable);
    }

    private static SlowBackend backend() throws IOException {
        var backend = new SlowBackend();
        OPENED.add(backend);
        return backend;
    }

    private static Future<?> begin(Callable<?> scenario) {
        return THREADS.submit(scenario);
    }

    @AfterAll
    static void end() throws Exception {
        THREADS.shutdownNow();
        service.close();
        for (var one : OPENED) one.close();
    }

    @Test
    void an_upload_of_200_megabytes_at_2_a_second_arrives() throws Exception {
        assertHolds(upload, "upload");
    }

    private static Void upload() throws Exception {
        try (var client = connect(web())) {
            say(client, "PUT /upload/ HTTP/1.1\r\nHost: a\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
            var part = new byte[SLOW_BYTES_PER_SECOND / STEPS_PER_SECOND];
            for (int sent = 0; sent < LARGE_BYTES; sent += part.length) {
                client.getOutputStream().write(part);
                passes(Duration.ofMillis(1000 / STEPS_PER_SECOND));
            }
            assertEquals("HTTP/1.1 200 OK", line(client.getInputStream()));
        }
        return null;
    }

    @Test
    void a_download_that_is_read_at_2_megabytes_a_second_arrives() throws Exception {
        assertHolds(download, "download");
    }

    private static Void download() throws Exception {
        try (var client = connect(web())) {
            say(client, "GET /download/" + LARGE_BYTES + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            var in = client.getInputStream();
            assertHead("HTTP/1.1 200 OK", in);
            int part = SLOW_BYTES_PER_SECOND / STEPS_PER_SECOND;
            long received = 0;
            for (int length; (length = in.readNBytes(part).length) > 0; received += length) {
                passes(Duration.ofMillis(1000 / STEPS_PER_SECOND));
            }
            assertEquals(LARGE_BYTES, received);
        }
        return null;
    }

    @Test
    void a_first_byte_after_25_seconds_on_a_connection_kept_for_45_arrives() throws Exception {
        assertHolds(late, "late");
    }

    private static Void late() throws Exception {
        try (var client = connect(web())) {
            for (var target : List.of("/late/0", "/late/25")) {
                say(client, "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
                assertHead("HTTP/1.1 200 OK", client.getInputStream());
                if (target.endsWith("/0")) passes(Duration.ofSeconds(45));
            }
        }
        return null;
    }

    @Test
    void a_web_socket_lives_whose_server_is_silent_for_two_minutes_and_whose_client_pings() throws Exception {
        assertHolds(socket, "socket");
    }

    private static Void socket() throws Exception {
        try (var client = connect(web())) {
            say(client, """
                    GET /socket/ HTTP/1.1
                    Host: a
                    Connection: Upgrade
                    Upgrade: websocket
                    Sec-WebSocket-Version: 13
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

                    """.replace("\n", "\r\n"));
            var in = client.getInputStream();
            assertHead("HTTP/1.1 101 Switching Protocols", in);
            var ping = new byte[] {(byte) 0x89, (byte) 0x80, 1, 2, 3, 4};
            for (int seconds = 0; seconds < 125; seconds += 25) {
                client.getOutputStream().write(ping);
                passes(Duration.ofSeconds(25));
            }
            assertEquals("hello", new String(in.readNBytes(7), 2, 5, StandardCharsets.US_ASCII));
        }
        return null;
    }

    @Test
    void two_hundred_cancelled_downloads_eject_nobody() throws Exception {
        assertHolds(cancelled, "cancelled");
    }

    private static Void cancelled() throws Exception {
        for (int i = 0; i < 200; i++) {
            try (var client = connect(web())) {
                say(client, "GET /cancelled/" + LARGE_BYTES + " HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals("HTTP/1.1 200 OK", line(client.getInputStream()));
                client.getInputStream().readNBytes(100_000);
            }
        }
        return null;
    }

    @Test
    void fifty_slow_uploads_eject_nobody() throws Exception {
        assertHolds(slow, "slow");
    }

    /// At 500 bytes a second, for more than a minute.
    private static Void slow() throws Exception {
        var uploads = new ArrayList<Future<?>>();
        for (int i = 0; i < 50; i++) uploads.add(begin(DefaultsByTheClockTest::slowUpload));
        for (var one : uploads) one.get();
        return null;
    }

    private static Void slowUpload() throws Exception {
        try (var client = connect(web())) {
            say(client, "PUT /slow/ HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n");
            for (int i = 0; i < 80; i++) {
                client.getOutputStream().write(new byte[500]);
                passes(Duration.ofSeconds(1));
            }
            assertEquals("HTTP/1.1 200 OK", line(client.getInputStream()));
        }
        return null;
    }

    @Test
    void a_page_that_answers_503_for_ten_minutes_ejects_nobody() throws Exception {
        assertHolds(unavailable, "unavailable");
    }

    private static Void unavailable() throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var web = (InetSocketAddress) web();
            var uri = URI.create("http://127.0.0.1:" + web.getPort() + "/unavailable/");
            long end = System.nanoTime() + TEN_MINUTES.toNanos();
            while (System.nanoTime() < end) {
                var response = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
                // Ours would say that nobody is there to be asked.
                assertEquals("503 out of order", response.statusCode() + " " + response.body());
                passes(Duration.ofMillis(200));
            }
        }
        return null;
    }

    private static void assertHolds(Future<?> scenario, String upstream) throws Exception {
        try {
            scenario.get();
        } catch (ExecutionException e) {
            throw new AssertionError(upstream + ": " + e.getCause(), e.getCause());
        }
        var able = metrics(upstream, "millrace_backend_available");
        assertEquals(2, able.size(), able::toString);
        assertTrue(able.stream().allMatch(line -> line.endsWith(" 1")), able::toString);
        var ejections = metrics(upstream, "millrace_backend_ejections");
        assertFalse(ejections.isEmpty());
        assertTrue(ejections.stream().allMatch(line -> line.endsWith(" 0")), ejections::toString);
    }

    private static List<String> metrics(String upstream, String name) throws IOException {
        try (var client = connect(service.adminAddress().orElseThrow())) {
            say(
                    client,
                    "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + TOKEN
                            + "\r\nConnection: close\r\n\r\n");
            var text = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> line.startsWith(name) && line.contains("upstream=\"" + upstream + "\""))
                    .toList();
        }
    }

    private static SocketAddress web() {
        return service.addresses().getFirst();
    }

    private static Socket connect(SocketAddress to) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), ((InetSocketAddress) to).getPort());
    }

    private static void say(Socket to, String text) throws IOException {
        to.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// That of a response, read to its end.
    private static void assertHead(String status, InputStream from) throws IOException {
        assertEquals(status, line(from));
        while (!line(from).isEmpty()) {}
    }

    private static String line(InputStream from) throws IOException {
        var line = new StringBuilder();
        for (int c; (c = from.read()) >= 0 && c != '\n'; ) line.append((char) c);
        return line.toString().strip();
    }

    static void passes(Duration time) throws Exception {
        new CompletableFuture<>()
                .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS)
                .get();
    }
}
