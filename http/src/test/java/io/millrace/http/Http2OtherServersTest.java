package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Our client of HTTP/2 asks the server of nghttp2, which sends back what it gets.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class Http2OtherServersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int LARGE_BYTES = 3_000_000;
    private static final int MANY = 300;
    private static final int SLOW = 40;

    @TempDir
    private Path folder;

    private int port;
    private @Nullable Process server;

    private void start(List<String> options, List<Path> identity) throws Exception {
        var program =
                Machine.program(List.of("nghttpd")).orElseThrow(() -> Machine.lacks("there is no nghttpd on the PATH"));
        Files.writeString(folder.resolve("index.html"), "hello");
        port = Machine.freePort();
        var command = new ArrayList<>(List.of(program.toString(), "-a", "127.0.0.1", "--echo-upload"));
        command.addAll(options);
        command.addAll(List.of("-d", folder.toString(), "" + port));
        identity.forEach(file -> command.add(file.toString()));
        var started = new ProcessBuilder(command).inheritIO().start();
        server = started;
        while (started.isAlive()) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertTrue(socket.isConnected());
                return;
            } catch (IOException _) {
                Thread.onSpinWait();
            }
        }
        throw new AssertionError("it has ended with " + started.waitFor());
    }

    @AfterEach
    void it_ends() throws InterruptedException {
        if (server == null) return;
        server.destroy();
        server.waitFor();
    }

    private static ClientSettings limits(ClientSettings settings) {
        return settings.limits(HttpLimits.standard().bodyBytes(2L * LARGE_BYTES));
    }

    @Test
    void it_answers_in_clear_text() throws Exception {
        start(List.of("--no-tls"), List.of());
        try (var asking = Asking.start(settings -> limits(settings).version(HttpVersion.HTTP_2))) {
            assertAnswers(asking, "http://127.0.0.1:" + port + "/");
        }
    }

    @Test
    void it_answers_over_tls_where_it_is_chosen() throws Exception {
        var files = PemFiles.make(folder, "server", "localhost");
        var trusted = Tls.client().trusting(TlsIdentity.certificates(files.chain()));
        start(List.of(), List.of(files.key(), files.chain()));
        try (var asking = Asking.start(settings -> limits(settings).tls(trusted))) {
            assertAnswers(asking, "https://localhost:" + port + "/");
        }
    }

    @Test
    void few_streams_at_a_time_are_enough() throws Exception {
        start(List.of("--no-tls", "--max-concurrent-streams=2"), List.of());
        try (var asking =
                Asking.start(settings -> limits(settings).connections(1).version(HttpVersion.HTTP_2))) {
            assertAnswers(asking, "http://127.0.0.1:" + port + "/");
        }
    }

    @Test
    void callers_who_do_not_read_keep_no_others_from_reading() throws Exception {
        var body = "x".repeat(300_000);
        Files.writeString(folder.resolve("large"), body);
        start(List.of("--no-tls"), List.of());
        var url = "http://127.0.0.1:" + port + "/large";
        var mayRead = new CountDownLatch(1);
        var haveBegun = new CountDownLatch(SLOW);
        try (var asking = Asking.start(settings -> settings.connections(1).version(HttpVersion.HTTP_2));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slow = new ArrayList<Future<Integer>>();
            for (int i = 0; i < SLOW; i++)
                slow.add(threads.submit(() -> asking.client().send(Request.get(url), (_, in) -> {
                    haveBegun.countDown();
                    await(mayRead);
                    return in.readAllBytes().length;
                })));
            haveBegun.await();
            assertEquals(body, asking.get(url).text());
            mayRead.countDown();
            for (var one : slow) assertEquals(body.length(), one.get());
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void assertAnswers(Asking asking, String url) throws Exception {
        assertEquals("hello", asking.get(url).text());
        var all = new ArrayList<CompletableFuture<Response>>();
        for (int i = 0; i < MANY; i++)
            all.add(asking.client().sendAsync(Request.get(url)).toCompletableFuture());
        for (var one : all) assertEquals("hello", one.get().text());
        var body = new byte[LARGE_BYTES];
        new Random(1).nextBytes(body);
        var echo = asking.client().send(Request.post(url, Bytes.of(body)));
        assertArrayEquals(body, echo.body().toArray());
        var uploaded = asking.client().send(Request.post(url, new Uploading(body, 10_000)));
        assertArrayEquals(body, uploaded.body().toArray());
        assertEquals(404, asking.get(url + "nothing").status());
        assertTrue(asking.connections() <= 3, () -> asking.connections() + " connections");
    }
}
