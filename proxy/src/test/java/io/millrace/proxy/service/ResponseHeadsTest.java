package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.proxy.RawBackend;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How large the head of a backend's response may be.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResponseHeadsTest {
    private static String file(RawBackend backend, String limits) {
        return """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {upstream: app}}
                upstreams: {app: {endpoints: ["127.0.0.1:%d"], limits: {%s}}}
                runtime: {loops: 1}
                """.formatted(backend.port(), limits);
    }

    private static String head(String fields) {
        return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + fields + "\r\nok";
    }

    /// So many bytes of a head, about.
    private static String bytes(int count) {
        return head("X-Long: " + "a".repeat(count) + "\r\n");
    }

    private static String fields(int count) {
        return head("X: y\r\n".repeat(count - 1));
    }

    private static int status(String limits, String response) throws Exception {
        try (var backend = RawBackend.answering(response);
                var proxy = Serving.of(file(backend, limits));
                var client = proxy.connect()) {
            return client.get("/").read().status();
        }
    }

    @Test
    void it_has_the_standard_bounds() throws Exception {
        assertEquals(200, status("", bytes(16_000)));
        assertEquals(200, status("", fields(100)));
        long heads = HttpGuards.CLIENT_HEAD.count();
        long fields = HttpGuards.CLIENT_FIELDS.count();
        assertEquals(502, status("", bytes(17_000)));
        assertEquals(502, status("", fields(101)));
        assertTrue(HttpGuards.CLIENT_HEAD.count() > heads);
        assertTrue(HttpGuards.CLIENT_FIELDS.count() > fields);
    }

    @Test
    void it_is_as_large_as_the_file_says() throws Exception {
        assertEquals(200, status("response-head: 64000", bytes(60_000)));
        assertEquals(502, status("response-head: 64000", bytes(64_000)));
        assertEquals(200, status("response-head: 4KiB", bytes(4_000)));
        assertEquals(502, status("response-head: 4KiB", bytes(5_000)));
        assertEquals(200, status("response-fields: 1000", fields(1000)));
        assertEquals(502, status("response-fields: 1000", fields(1001)));
        assertEquals(502, status("response-fields: 3", fields(4)));
    }

    /// The line of a chunk, and trailers, are as large as a head at most.
    @Test
    void what_frames_a_body_is_no_larger() throws Exception {
        var chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0%s\r\n%s\r\n";
        assertEquals(200, status("response-head: 4KiB", chunked.formatted(";x=" + "y".repeat(4000), "")));
        assertEquals(200, status("response-head: 4KiB", chunked.formatted("", "X: " + "y".repeat(4000) + "\r\n")));
        for (var broken : new String[] {
            chunked.formatted(";x=" + "y".repeat(5000), ""), chunked.formatted("", "X: " + "y".repeat(5000) + "\r\n")
        }) {
            try (var backend = RawBackend.answering(broken);
                    var proxy = Serving.of(file(backend, "response-head: 4KiB"));
                    var client = proxy.connect()) {
                long before = HttpGuards.CLIENT_HEAD.count();
                client.get("/");
                var got = new String(client.in().readAllBytes(), StandardCharsets.ISO_8859_1);
                assertTrue(!got.endsWith("0\r\n\r\n"), got);
                assertEquals(1, HttpGuards.CLIENT_HEAD.count() - before);
            }
        }
    }

    @Test
    void a_reload_changes_it() throws Exception {
        try (var backend = RawBackend.answering(bytes(20_000));
                var proxy = Serving.of(file(backend, ""));
                var client = proxy.connect()) {
            assertEquals(502, client.get("/").read().status());
            proxy.service().reload(Serving.configuration(file(backend, "response-head: 32KiB")));
            assertEquals(200, client.get("/").read().status());
        }
    }
}
