package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        server = Http2Answers.listening(new ProcessBuilder(command), port);
    }

    @AfterEach
    void it_ends() throws InterruptedException {
        if (server == null) return;
        server.destroy();
        server.waitFor();
    }

    @Test
    void it_answers_in_clear_text() throws Exception {
        start(List.of("--no-tls"), List.of());
        try (var asking = Asking.start(settings -> Http2Answers.limits(settings).version(HttpVersion.HTTP_2))) {
            Http2Answers.assertAll(asking, "http://127.0.0.1:" + port + "/");
        }
    }

    @Test
    void it_answers_over_tls_where_it_is_chosen() throws Exception {
        var files = PemFiles.make(folder, "server", "localhost");
        var trusted = Tls.client().trusting(TlsIdentity.certificates(files.chain()));
        start(List.of(), List.of(files.key(), files.chain()));
        try (var asking = Asking.start(settings -> Http2Answers.limits(settings).tls(trusted))) {
            Http2Answers.assertAll(asking, "https://localhost:" + port + "/");
        }
    }

    @Test
    void few_streams_at_a_time_are_enough() throws Exception {
        start(List.of("--no-tls", "--max-concurrent-streams=2"), List.of());
        try (var asking = Asking.start(
                settings -> Http2Answers.limits(settings).connections(1).version(HttpVersion.HTTP_2))) {
            Http2Answers.assertAll(asking, "http://127.0.0.1:" + port + "/");
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
}
