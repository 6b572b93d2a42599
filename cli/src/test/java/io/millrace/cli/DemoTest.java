package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll"})
    void ends_by_itself_with_a_summary(String transport) throws Exception {
        try (var demo = Program.start("demo", "--seconds", "1", "--transport", transport)) {
            var lines = demo.rest();
            assertEquals(0, demo.exitCode(), () -> lines + demo.err());
            assertTrue(lines.get(0).matches("echo server .* nc 127\\.0\\.0\\.1 \\d+"), lines::toString);
            assertTrue(lines.get(1).matches("proxy .* nc 127\\.0\\.0\\.1 \\d+"), lines::toString);
            assertEquals(1, count(lines, " +1 s .* messages/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, "summary .* messages/s .* p50 .* p99 .*"), lines::toString);
            assertEquals("", demo.err());
        }
    }

    @Test
    void its_addresses_can_be_tried_until_SIGTERM_ends_it_with_a_summary() throws Exception {
        try (var demo = Program.start("demo", "--connections", "2", "--size", "5000")) {
            int echo = portIn(demo.line());
            int proxy = portIn(demo.line());
            for (int port : new int[] {echo, proxy}) {
                try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    RoundTrips.assertEchoes(socket, 1000);
                }
            }
            // The load has its connections when it tells of its first second.
            String line;
            do line = demo.line();
            while (!line.contains("messages/s"));
            demo.terminate();
            assertEquals(1, count(demo.rest(), "summary .*"));
            assertEquals(0, demo.exitCode(), demo::err);
        }
    }

    @Test
    void its_page_shows_figures_as_they_come() throws Exception {
        try (var demo = Program.start("demo", "--connections", "2");
                var client = HttpClient.newHttpClient()) {
            demo.line();
            demo.line();
            var line = demo.line();
            var url = line.substring(line.indexOf("http://"));
            assertTrue(get(client, url, BodyHandlers.ofString()).body().contains("<title>Millrace demo</title>"));
            try (var events =
                    get(client, url + "figures", BodyHandlers.ofLines()).body()) {
                var first = events.findFirst().orElseThrow();
                assertTrue(first.matches("data: \\{\"seconds\":.*\"messagesPerSecond\":.*}"), first);
            }
            demo.terminate();
            assertEquals(0, demo.exitCode(), demo::err);
        }
    }

    private static <T> HttpResponse<T> get(HttpClient client, String url, BodyHandler<T> body) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), body);
    }

    private static int portIn(String line) {
        return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
