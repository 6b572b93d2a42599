package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The floors themselves, compiled by the compiler of this machine: each is a correct echo server.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealFloorsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String GREETING = "listening on 127.0.0.1:";
    private static final int MANY_CONNECTIONS = 100;

    private static List<Floor> floors = List.of();

    @BeforeAll
    static void compile() throws Exception {
        floors = Floors.compile(Path.of(".."));
    }

    private static Process start(String name) throws IOException {
        var floor = floors.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        return switch (floor) {
            case Floor.Ready(var _, var words) ->
                new ProcessBuilder(words.stream()
                                .map(word -> word.replace("{port}", "0").replace("{host}", "127.0.0.1"))
                                .toList())
                        .start();
            case Floor.Absent(var _, var reason) -> absent(reason);
        };
    }

    /// A machine may lack a compiler or io_uring; that a floor does not compile or crashes is no such lack.
    private static Process absent(String reason) {
        if (reason.startsWith("there is no C compiler") || reason.startsWith("echo_uring: ")) {
            abort(reason);
        }
        throw new AssertionError(reason);
    }

    private static int port(Process process) throws IOException {
        var line = String.valueOf(process.inputReader(UTF_8).readLine());
        assertTrue(line.startsWith(GREETING), line);
        return Integer.parseInt(line.substring(GREETING.length()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-epoll", "c-io_uring"})
    void echoes_messages_of_many_sizes(String name) throws Exception {
        var process = start(name);
        try (var client = new EchoClient(port(process))) {
            for (var length : new int[] {1, 64, 1000, 16 * 1024, 16 * 1024 + 1, 100 * 1024, 1024 * 1024}) {
                client.exchange(length);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-epoll", "c-io_uring"})
    void loses_nothing_to_a_client_that_takes_little_at_a_time(String name) throws Exception {
        var process = start(name);
        try (var client = EchoClient.withLittleRoom(port(process))) {
            client.pipeline(100 * 1024, 50);
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-epoll", "c-io_uring"})
    void serves_on_when_clients_vanish_in_the_middle(String name) throws Exception {
        var process = start(name);
        try {
            var port = port(process);
            for (int i = 0; i < MANY_CONNECTIONS; i++) {
                EchoClient.vanishInTheMiddle(port);
            }
            try (var client = new EchoClient(port)) {
                client.exchange(100 * 1024);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-epoll", "c-io_uring"})
    void ends_when_told_to(String name) throws Exception {
        var process = start(name);
        try (var client = new EchoClient(port(process))) {
            client.exchange(64);
            process.toHandle().destroy();
            assertTrue(process.waitFor(10, TimeUnit.SECONDS), "still there 10 s after SIGTERM");
            assertEquals(128 + 15, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }
}
