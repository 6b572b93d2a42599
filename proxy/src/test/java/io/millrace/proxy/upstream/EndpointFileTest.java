package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Endpoint;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class EndpointFileTest {
    private final BlockingQueue<List<Endpoint>> lists = new LinkedBlockingQueue<>();

    @TempDir
    private Path folder;

    @Test
    void each_line_is_an_endpoint() {
        var endpoints = EndpointFile.parse("""
                # our servers
                10.0.0.1:8080

                [2001:db8::1]:81 weight=3 zone=eu-1   # the large one
                \tapp.example.org:80   priority=2
                unix:/run/app.sock weight=7
                """);
        assertEquals(
                List.of(
                        Endpoint.of(new InetSocketAddress("10.0.0.1", 8080)),
                        new Endpoint(new InetSocketAddress("2001:db8::1", 81), 3, 0, "eu-1"),
                        new Endpoint(InetSocketAddress.createUnresolved("app.example.org", 80), 1, 2, ""),
                        new Endpoint(UnixDomainSocketAddress.of("/run/app.sock"), 7, 0, "")),
                endpoints);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                10.0.0.1            | line 2: '10.0.0.1' is not an address: take host:port or [IPv6 address]:port
                ::1:80              | line 2: '::1:80' is not an address: take host:port or [IPv6 address]:port
                http://a:80         | line 2: 'http://a:80' is not an address: take host:port or [IPv6 address]:port
                a:0                 | line 2: 'a:0' has no port: take 1 to 65535
                a:65536             | line 2: 'a:65536' has no port: take 1 to 65535
                a:+80               | line 2: 'a:+80' has no port: take 1 to 65535
                a:80 heavy          | line 2: 'heavy' is unknown: write weight=…, priority=… or zone=…
                a:80 weight=x       | line 2: 'weight=x' needs a whole number
                a:80 weight=0       | line 2: the weight of a:80 is 0: take 1 or more
                a:80 priority=-1    | line 2: the priority of a:80 is -1: take 0 or more
                first:1             | line 2: first:1 is in it twice: leave one out
                """)
    void a_bad_line_is_refused_with_its_number_and_what_to_do(String line, String message) {
        var refused =
                assertThrows(IllegalArgumentException.class, () -> EndpointFile.parse("first:1\n" + line + "\nlast:9"));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void a_file_without_an_endpoint_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> EndpointFile.parse("# nothing\n"));
    }

    @Test
    void the_list_is_there_at_once_and_again_when_the_file_changes() throws Exception {
        var file = Files.writeString(folder.resolve("endpoints"), "a:1\n");
        try (var _ = watch(file)) {
            assertEquals(EndpointFile.parse("a:1"), lists.remove());
            Files.writeString(file, "a:1\nb:2 weight=3\n");
            assertEquals(EndpointFile.parse("a:1\nb:2 weight=3"), lists.take());
            // Of the same length, by replacing it.
            var other = Files.writeString(folder.resolve("other"), "a:1\nb:2 weight=4\n");
            Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
            assertEquals(EndpointFile.parse("a:1\nb:2 weight=4"), lists.take());
        }
    }

    @Test
    void a_bad_file_leaves_the_last_good_list() throws Exception {
        var file = Files.writeString(folder.resolve("endpoints"), "a:1\n");
        var look = new EndpointFile(file, Duration.ofDays(1)).look(lists::add);
        look.run();
        assertEquals(EndpointFile.parse("a:1"), lists.remove());
        for (var bad : List.of("a:1\nb\n", "", "# all out\n", "x".repeat(2 << 20))) {
            Files.writeString(file, bad);
            for (int i = 0; i < 3; i++) look.run();
        }
        Files.write(file, new byte[] {'a', ':', '1', '#', (byte) 0xff});
        for (int i = 0; i < 3; i++) look.run();
        Files.delete(file);
        for (int i = 0; i < 3; i++) look.run();
        assertTrue(lists.isEmpty());
    }

    @Test
    void what_is_being_written_waits_until_it_stays() throws Exception {
        var file = Files.writeString(folder.resolve("endpoints"), "a:1\n");
        var look = new EndpointFile(file, Duration.ofDays(1)).look(lists::add);
        look.run();
        lists.remove();
        Files.writeString(file, "b:1\n");
        look.run();
        Files.writeString(file, "b:1\nc:2\n");
        look.run();
        assertTrue(lists.isEmpty());
        look.run();
        assertEquals(EndpointFile.parse("b:1\nc:2"), lists.remove());
        look.run();
        assertTrue(lists.isEmpty());
    }

    @Test
    void a_file_may_come_later() throws Exception {
        var file = folder.resolve("endpoints");
        try (var _ = watch(file)) {
            assertTrue(lists.isEmpty());
            Files.writeString(file, "a:1\n");
            assertEquals(EndpointFile.parse("a:1"), lists.take());
        }
    }

    private Upstreams.Watching watch(Path file) {
        return Upstreams.watch(new EndpointFile(file, Duration.ofMillis(1)), lists::add);
    }
}
