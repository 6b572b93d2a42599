package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `compression` of listeners and routes in the file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompressedResponsesTest {
    private static final String TEXT = "words and words. ".repeat(500);

    private static Serving serving(RawBackend backend, String compression) throws IOException {
        return Serving.of("""
                listeners: {web: {address: "127.0.0.1:0", compression: %s}}
                routes:
                  plain: {match: {path: /plain}, upstream: app, compression: "off"}
                  own: {match: {path: /own}, respond: {body: "%s"}}
                  all: {upstream: app}
                upstreams: {app: {endpoints: ["127.0.0.1:%d"]}}
                runtime: {loops: 1}
                """.formatted(compression, TEXT, backend.port()));
    }

    private static RawBackend backend(String fields) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + fields + "Content-Length: "
                + TEXT.length() + "\r\n\r\n" + TEXT);
    }

    private static RawClient ask(RawClient client, String method, String path) throws IOException {
        return client.send(method + " " + path + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
    }

    private static void assertCompressed(RawClient.Reply reply) throws IOException {
        assertEquals("gzip", reply.header("Content-Encoding"));
        assertEquals("Accept-Encoding", reply.header("Vary"));
        assertEquals("", reply.header("Accept-Ranges"));
        assertTrue(reply.body().length < TEXT.length() / 2);
        try (var in = new GZIPInputStream(new ByteArrayInputStream(reply.body()))) {
            assertEquals(TEXT, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static void assertPlain(RawClient.Reply reply) {
        assertEquals("", reply.header("Content-Encoding"));
        assertArrayEquals(TEXT.getBytes(StandardCharsets.UTF_8), reply.body());
    }

    @Test
    void responses_of_backends_are_compressed_for_clients_that_ask() throws Exception {
        try (var backend = backend("ETag: \"a\"\r\nAccept-Ranges: bytes\r\n");
                var proxy = serving(backend, "gzip");
                var client = proxy.connect()) {
            var reply = ask(client, "GET", "/").read();
            assertCompressed(reply);
            assertEquals("W/\"a\"", reply.header("ETag"));
            var plain = client.get("/").read();
            assertPlain(plain);
            assertEquals("\"a\"", plain.header("ETag"));
            assertEquals("Accept-Encoding", plain.header("Vary"));
        }
    }

    @Test
    void the_proxys_own_responses_are_compressed_too() throws Exception {
        try (var backend = backend("");
                var proxy = serving(backend, "{level: 9}");
                var client = proxy.connect()) {
            assertCompressed(ask(client, "GET", "/own").read());
        }
    }

    @Test
    void a_route_that_says_off_is_not_compressed() throws Exception {
        try (var backend = backend("ETag: \"a\"\r\n");
                var proxy = serving(backend, "gzip");
                var client = proxy.connect()) {
            var reply = ask(client, "GET", "/plain").read();
            assertPlain(reply);
            assertEquals("", reply.header("Vary"));
            assertEquals("\"a\"", reply.header("ETag"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cache-Control: no-transform, public", "Content-Encoding: identity", "Content-MD5: a"})
    void a_response_that_must_stay_as_it_is_does(String field) throws Exception {
        try (var backend = backend(field + "\r\n");
                var proxy = serving(backend, "gzip");
                var client = proxy.connect()) {
            var reply = ask(client, "GET", "/").read();
            assertArrayEquals(TEXT.getBytes(StandardCharsets.UTF_8), reply.body());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{min-size: 9KiB}", "{types: [text/html]}"})
    void what_the_settings_leave_out_stays_as_it_is(String compression) throws Exception {
        try (var backend = backend("");
                var proxy = serving(backend, compression);
                var client = proxy.connect()) {
            assertPlain(ask(client, "GET", "/").read());
        }
    }

    @Test
    void the_response_to_head_has_the_fields_of_the_one_to_get() throws Exception {
        try (var backend = RawBackend.answering(String.join(
                        "\r\n",
                        "HTTP/1.1 200 OK",
                        "Content-Type: text/plain",
                        "ETag: \"a\"",
                        "Content-Length: 8500",
                        "",
                        ""));
                var proxy = serving(backend, "gzip");
                var client = proxy.connect()) {
            var head = ask(client, "HEAD", "/").readHead();
            assertEquals("gzip", head.header("Content-Encoding"));
            assertEquals("W/\"a\"", head.header("ETag"));
            assertEquals("", head.header("Content-Length"));
        }
    }

    @Test
    void a_part_and_what_has_not_changed_stay_as_they_are() throws Exception {
        for (var status : new String[] {"206 Partial Content", "304 Not Modified"}) {
            var length = status.startsWith("206") ? "Content-Range: bytes 0-4/9000\r\nContent-Length: 5\r\n" : "";
            try (var backend = RawBackend.answering("HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\n" + length
                            + "\r\n" + (length.isEmpty() ? "" : "hello"));
                    var proxy = serving(backend, "{min-size: 0}");
                    var client = proxy.connect()) {
                var reply = ask(client, "GET", "/").read();
                assertEquals("", reply.header("Content-Encoding"));
                assertEquals("Accept-Encoding", reply.header("Vary"));
                assertEquals(length.isEmpty() ? "" : "hello", reply.text());
            }
        }
    }

    @Test
    void what_a_backend_has_sent_so_far_can_be_read_before_it_sends_more() throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
                    visit.send("5\r\nfirst\r\n");
                    visit.head();
                    visit.send("0\r\n\r\n");
                });
                var proxy = serving(backend, "gzip");
                var client = proxy.connect()) {
            ask(client, "GET", "/");
            RawClient.lines(client.in());
            var first = new byte[5];
            // The chunks of this part can be told apart only as they arrive.
            var in = new GZIPInputStream(new ChunkedInput(client.in()), 64);
            assertEquals(5, in.readNBytes(first, 0, 5));
            assertEquals("first", new String(first, StandardCharsets.UTF_8));
        }
    }

    /// The content of chunks, as far as they have arrived.
    private static final class ChunkedInput extends java.io.InputStream {
        private final java.io.InputStream in;
        private int left;

        ChunkedInput(java.io.InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            if (left == 0) left = Integer.parseInt(RawClient.line(in), 16);
            if (left == 0) return -1;
            int next = in.read();
            if (--left == 0) RawClient.line(in);
            return next;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int next = read();
            if (next < 0) return -1;
            to[offset] = (byte) next;
            return 1;
        }
    }

    @Test
    void the_access_log_has_the_bytes_that_were_sent(@TempDir Path folder) throws Exception {
        var log = folder.resolve("access.log");
        int sent;
        var text = """
                listeners: {web: {address: "127.0.0.1:0", compression: gzip}}
                routes: {all: {respond: {body: "%s"}}}
                access-log: {format: json, file: %s}
                runtime: {loops: 1}
                """.formatted(TEXT, log);
        try (var proxy = Serving.of(text);
                var client = proxy.connect()) {
            sent = ask(client, "GET", "/").read().body().length;
        }
        var line = Files.readString(log);
        assertTrue(line.contains("\"response_bytes\":" + sent + ","), line);
    }

    @Test
    void the_same_settings_read_again_are_no_change() {
        var text = """
                listeners: {web: {address: "127.0.0.1:0", compression: {level: 3, types: [text/plain]}}}
                routes: {all: {respond: {}, compression: gzip}}
                """;
        assertEquals(Serving.configuration(text), Serving.configuration(text));
    }
}
