package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LoadWsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--transport nio",
                "--transport epoll --depth 16",
                "--http2",
                "--http2 --size 100000 --depth 2",
                "--rate 1000",
                "--loops 2 --size 1"
            })
    void counts_messages_that_come_back_and_writes_the_result(String options, @TempDir Path folder) throws Exception {
        var file = folder.resolve("result.json");
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(
                        "ws://" + server.listening() + "/ws",
                        "--messages 500 --warm-up 0 --json " + file + " " + options)) {
            var lines = load.rest();
            assertEquals(LoadTest.code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, "summary .* messages/s .* MB/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, " +500 messages came back in .*"), lines::toString);
            assertTrue(Files.readString(file).contains("\"messages\" : 500,"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--senders 3",
                "--senders 3 --depth 10",
                "--senders 1 --rate 500 --http2",
                "--senders 20 --loops 2"
            })
    void counts_messages_at_each_connection(String options, @TempDir Path folder) throws Exception {
        var file = folder.resolve("result.json");
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(
                        "ws://" + server.listening() + "/ws/chat",
                        "--connections 20 --messages 100 --warm-up 0 --json " + file + " " + options)) {
            var lines = load.rest();
            assertEquals(LoadTest.code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, "summary .* deliveries/s .* MB/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, " +2,000 deliveries were made in .*"), lines::toString);
            assertTrue(Files.readString(file).contains("\"senders\" : "));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--http2"})
    void speaks_tls(String options) throws Exception {
        try (var server = Program.start("http", "--tls-listen", "127.0.0.1:0", "--tls-self-signed");
                var load = load(
                        "wss://" + server.listening() + "/ws",
                        "--insecure --connections 5 --messages 500 --warm-up 0 " + options)) {
            var lines = load.rest();
            assertEquals(LoadTest.code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, " +500 messages came back in .*"), lines::toString);
            assertEquals(1, count(lines, " +5 TLS handshakes began"), lines::toString);
        }
    }

    @Test
    void what_is_no_websocket_ends_it_with_1() throws Exception {
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load("ws://" + server.listening() + "/plaintext", "--connections 1 --messages 1")) {
            var lines = load.rest();
            assertEquals(1, load.exitCode(), lines::toString);
            assertTrue(load.err().contains("the WebSocket on connection 0 was not opened: HTTP/1.1 200 OK"), load::err);
        }
    }

    private static Program load(String url, String options) throws Exception {
        return Program.start(("load ws " + url + " " + options).strip().split(" +", -1));
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
