package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class DemoTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll"})
    void ends_by_itself_with_a_summary(String transport) throws Exception {
        try (var demo = Program.start("demo", "--seconds", "1", "--transport", transport)) {
            var lines = demo.rest();
            assertEquals(0, demo.exitCode(), () -> lines + demo.err());
            assertEquals(1, count(lines, " +1 s .* requests/s .* p50 .* p99 .*"), lines::toString);
            assertEquals(1, count(lines, "summary .* requests/s .* p50 .* p99 .*"), lines::toString);
            assertEquals("", demo.err());
        }
    }

    @Test
    void its_addresses_can_be_tried_until_SIGTERM_ends_it_with_a_summary() throws Exception {
        try (var demo = Program.start("demo");
                var client = HttpClient.newHttpClient()) {
            var urls = urls(demo);
            assertEquals("This is backend one.\n", get(client, urls.get(0)));
            assertEquals("This is backend two.\n", get(client, urls.get(1)));
            assertTrue(get(client, urls.get(2)).startsWith("This is backend "));
            try (var secure = io.millrace.http.client.HttpClient.of(io.millrace.http.client.ClientSettings.standard()
                    .tls(Tls.client().insecurely()))) {
                assertTrue(secure.send(Request.get(urls.get(3))).text().startsWith("This is backend "));
            }
            assertTrue(get(client, urls.get(4)).contains("<title>Millrace proxy</title>"));
            // The load has its connections when it tells of its first second.
            String line;
            do line = demo.line();
            while (!line.contains("requests/s"));
            demo.terminate();
            assertEquals(1, count(demo.rest(), "summary .*"));
            assertEquals(0, demo.exitCode(), demo::err);
        }
    }

    @Test
    void a_backend_goes_and_comes_back_and_no_request_fails() throws Exception {
        try (var demo = Program.start("demo", "--every", "2");
                var client = HttpClient.newHttpClient()) {
            var state = urls(demo).get(4) + "api/state";
            await(client, state, "\"backendsOut\":1");
            await(client, state, "\"backendsOut\":0");
            demo.terminate();
            var lines = demo.rest();
            assertTrue(lines.stream().anyMatch(line -> line.contains("backend two has stopped")), lines::toString);
            assertTrue(lines.stream().anyMatch(line -> line.contains("backend two is back")), lines::toString);
            assertEquals(0, count(lines, ".* errors.*"), lines::toString);
            assertEquals(0, demo.exitCode(), demo::err);
        }
    }

    private static void await(HttpClient client, String url, String part) throws Exception {
        while (!get(client, url).contains(part)) Waiting.briefly();
    }

    /// Of the backends, the proxy and the page.
    private static List<String> urls(Program demo) throws Exception {
        var urls = new ArrayList<String>();
        for (var name : List.of("backend one", "backend two", "proxy", "proxy, TLS", "admin page")) {
            var line = demo.line();
            assertTrue(line.startsWith(name), line);
            urls.add(line.replaceAll(".*(https?://127\\.0\\.0\\.1:\\d+/).*", "$1"));
        }
        return urls;
    }

    private static String get(HttpClient client, String url) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
