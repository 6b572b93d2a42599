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
class LoadHttpTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--transport nio",
                "--transport epoll",
                "--depth 16",
                "--http2",
                "--http2 --streams 16",
                "--http2 --streams 16 --rate 1000",
                "--rate 1000",
                "--close",
                "--loops 2 --length 13 --status 200"
            })
    void counts_requests_and_writes_the_result(String options, @TempDir Path folder) throws Exception {
        var file = folder.resolve("result.json");
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(
                        server.listening(),
                        "/plaintext",
                        "--requests 500 --warm-up 0 --json " + file + " " + options)) {
            var lines = load.rest();
            assertEquals(LoadTest.code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, "summary .* requests/s .* MB/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, " +500 right responses came back in .*"), lines::toString);
            assertEquals(1, count(lines, " +status  2xx 500"), lines::toString);
            assertEquals("", load.err());
            assertTrue(Files.readString(file).contains("\"messages\" : 500,"));
        }
    }

    @Test
    void sends_a_method_fields_and_a_body() throws Exception {
        var options = "--requests 100 --warm-up 0 --method PUT --header X-A:b --body hello --length 5";
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(server.listening(), "/echo", options)) {
            var lines = load.rest();
            assertEquals(1, count(lines, " +status  2xx 100"), lines::toString);
            assertEquals(LoadTest.code(lines), load.exitCode(), load::err);
        }
    }

    @Test
    void sends_a_file(@TempDir Path folder) throws Exception {
        var file = Files.write(folder.resolve("body"), new byte[100_000]);
        var options = "--requests 100 --warm-up 0 --length 100000 --body-file " + file;
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(server.listening(), "/echo", options)) {
            var lines = load.rest();
            assertEquals(1, count(lines, " +status  2xx 100"), lines::toString);
            assertEquals(LoadTest.code(lines), load.exitCode(), load::err);
        }
    }

    @Test
    void responses_that_are_wrong_end_it_with_1() throws Exception {
        try (var server = Program.start("http", "--listen", "127.0.0.1:0");
                var load = load(server.listening(), "/none", "--requests 100 --warm-up 0")) {
            var lines = load.rest();
            assertEquals(1, load.exitCode(), load::err);
            assertEquals(1, count(lines, "summary  no right responses came back, .*"), lines::toString);
            assertEquals(0, count(lines, ".*p50 0\\.000 ms.*"), lines::toString);
            assertEquals(1, count(lines, " +status  4xx 100"), lines::toString);
            assertEquals(
                    1,
                    count(lines, " +100 errors, the first: response 0 on connection .* has status 404 instead of 2xx"),
                    lines::toString);
        }
    }

    @Test
    void connections_that_the_server_closes_in_order_are_no_errors() throws Exception {
        try (var server = Program.start("http", "--listen", "127.0.0.1:0", "--close");
                var load = load(server.listening(), "/", "--requests 500 --warm-up 0")) {
            var lines = load.rest();
            assertEquals(LoadTest.code(lines), load.exitCode(), () -> lines + load.err());
            assertEquals(1, count(lines, " +status  2xx 500"), lines::toString);
        }
    }

    private static Program load(String server, String target, String options) throws Exception {
        return Program.start(("load http http://" + server + target + " " + options).split(" +", -1));
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
