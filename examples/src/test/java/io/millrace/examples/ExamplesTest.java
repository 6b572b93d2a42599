package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.HttpClient;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.Waiting;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Each example as a user starts it: a JVM of its own, and a client that speaks to it.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExamplesTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() throws InterruptedException {
        for (var process : started) {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void echo_answers() throws IOException {
        assertEquals("hello", talk(start(Echo.class), "hello"));
    }

    @Test
    void direct_echo_answers() throws IOException {
        assertEquals("hello", talk(start(DirectEcho.class), "hello"));
    }

    @Test
    void forwarder_reaches_its_upstream() throws IOException {
        int upstream = start(Echo.class);
        connect(upstream).close();
        assertEquals("hello", talk(start(Forwarder.class, "127.0.0.1", String.valueOf(upstream)), "hello"));
    }

    @Test
    void chat_tells_everybody() throws IOException {
        assertEquals("hi all", talk(start(Chat.class), "hi all"));
    }

    @Test
    void hello_is_served() throws IOException {
        var request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        var reply = new StringBuilder();
        try (var socket = connect(start(Hello.class))) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            reply.append(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        }
        assertEquals("hello", reply.substring(reply.indexOf("\r\n\r\n") + 4));
    }

    @Test
    void fetch_shows_what_hello_serves() throws IOException {
        int port = start(Hello.class);
        connect(port).close();
        assertEquals("200 hello\n", said(Fetch.class, "http://127.0.0.1:" + port + "/"));
    }

    @Test
    void upload_sends_a_file(@TempDir Path folder) throws IOException {
        int port = start(WebApp.class);
        connect(port).close();
        var file = Files.write(folder.resolve("file"), new byte[300_000]);
        assertEquals("200\n", said(Upload.class, "http://127.0.0.1:" + port + "/checksum", file.toString()));
    }

    @Test
    void web_app_knows_whose_request_it_is_whatever_the_client_says() throws IOException {
        int port = start(WebApp.class);
        connect(port).close();
        try (var client = HttpClient.create()) {
            var asked = Request.get("http://127.0.0.1:" + port + "/tenant").addHeader("X-Tenant", "admin");
            assertEquals("127", client.send(asked).text());
        }
    }

    @Test
    void packed_packs_and_unpacks() throws IOException {
        int port = start(Packed.class);
        connect(port).close();
        var uri = "http://127.0.0.1:" + port;
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed);
                var client = HttpClient.create()) {
            var report = client.send(Request.get(uri + "/report").addHeader("Accept-Encoding", "gzip"));
            assertEquals("gzip", report.header("Content-Encoding").orElse("none"));
            gzip.write(new byte[5000]);
            gzip.finish();
            var log = Request.post(uri + "/log", Bytes.of(packed.toByteArray())).addHeader("Content-Encoding", "gzip");
            assertEquals("5000 bytes", client.send(log).text());
        }
    }

    /// Before its code has earned the loop, and after.
    @Test
    void database_answers_with_what_is_in_the_table() throws Exception {
        try (var postgres = Postgres.start();
                var client = HttpClient.create()) {
            int port = start(Database.class, postgres.url());
            connect(port).close();
            var uri = "http://127.0.0.1:" + port;
            for (int i = 0; i < 20; i++) {
                var answers = new ArrayList<CompletableFuture<String>>();
                for (int id = 1; id <= 100; id++)
                    answers.add(client.sendAsync(Request.get(uri + "/square?id=" + id))
                            .thenApply(Response::text)
                            .toCompletableFuture());
                for (int id = 1; id <= 100; id++)
                    assertEquals("" + id * id, answers.get(id - 1).get());
            }
            assertEquals("Hello, World!", client.send(Request.get(uri + "/")).text());
            assertEquals(404, client.send(Request.get(uri + "/square?id=0")).status());
        }
    }

    /// What an example prints that ends by itself.
    private String said(Class<?> example, String... arguments) throws IOException {
        var command = java(example);
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(process);
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void a_polite_server_exits_with_0_on_sigterm() throws IOException, InterruptedException {
        assertEquals("bye", talk(start(Politely.class), "bye"));
        var server = started.getLast();
        server.destroy();
        assertEquals(0, server.waitFor());
    }

    private static List<String> java(Class<?> example) {
        return new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("jdk.module.path", "") + ":" + System.getProperty("java.class.path"),
                example.getName()));
    }

    private int start(Class<?> example, String... arguments) throws IOException {
        int port = Machine.freePort();
        var command = java(example);
        command.add(String.valueOf(port));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).inheritIO();
        Map.of("LC_ALL", "C.UTF-8").forEach(builder.environment()::put);
        started.add(builder.start());
        return port;
    }

    private String talk(int port, String line) throws IOException {
        try (var socket = connect(port)) {
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    /// Tries until the example listens, or has died.
    private Socket connect(int port) throws IOException {
        while (true) {
            var socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return socket;
            } catch (IOException e) {
                socket.close();
                if (!started.getLast().isAlive()) throw e;
                Waiting.briefly();
            }
        }
    }
}
