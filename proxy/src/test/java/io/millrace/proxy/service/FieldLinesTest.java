package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Keys of the file that go by a field see all of its lines.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FieldLinesTest {
    private static final String USERS = "users: {ada: \"pbkdf2-sha256$10000$AAAAAAAAAAAAAAAAAAAAAA==$"
            + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}";

    private static RawBackend named(int number) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + number);
    }

    /// @param route keys of the only one
    private static String file(List<RawBackend> backends, String route, String upstream) {
        var endpoints =
                backends.stream().map(one -> "\"127.0.0.1:" + one.port() + "\"").collect(Collectors.joining(", "));
        return """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {upstream: app%s}}
                upstreams: {app: {endpoints: [%s]%s}}
                runtime: {loops: 1}
                """.formatted(route, endpoints, upstream);
    }

    private static RawClient.Reply ask(RawClient client, String... lines) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", lines) + "\r\n\r\n")
                .read();
    }

    @Test
    void a_backend_is_chosen_by_all_lines_of_a_field() throws Exception {
        var backends = new ArrayList<RawBackend>();
        for (int i = 0; i < 4; i++) backends.add(named(i));
        var file = file(backends, "", ", balance: {way: hash, header: X-User}");
        try (var proxy = Serving.of(file);
                var client = proxy.connect()) {
            var chosen = new HashSet<String>();
            for (int i = 0; i < 50; i++)
                chosen.add(ask(client, "X-User: a", "X-User: " + i).text());
            assertEquals(4, chosen.size());
            assertEquals(
                    ask(client, "X-User: a", "X-User: b").text(),
                    ask(client, "X-User: a, b").text(),
                    "two lines are one, joined");
        } finally {
            for (var one : backends) one.close();
        }
    }

    @Test
    void a_rate_goes_by_all_lines_of_a_field() throws Exception {
        try (var backend = named(1);
                var proxy =
                        Serving.of(file(List.of(backend), ", rate-limit: {requests: 2, per: 1h, header: X-Key}", ""));
                var client = proxy.connect()) {
            for (int i = 0; i < 2; i++)
                assertEquals(200, ask(client, "X-Key: a").status());
            assertEquals(429, ask(client, "X-Key: a").status());
            for (int i = 0; i < 2; i++)
                assertEquals(200, ask(client, "X-Key: a", "X-Key: b").status());
            assertEquals(429, ask(client, "X-Key: a, b").status());
            assertEquals(429, ask(client, "X-Key: made up").status(), "the second new value had the last token");
        }
    }

    @Test
    void two_lines_of_authorization_are_refused() throws Exception {
        try (var backend = named(1);
                var proxy = Serving.of(file(List.of(backend), ", basic-auth: {" + USERS + "}", ""));
                var client = proxy.connect()) {
            var both = ask(client, "Authorization: Basic YWRhOnNlY3JldA==", "Authorization: Bearer x");
            assertEquals(400, both.status());
            assertEquals(0, backend.connections());
        }
    }
}
