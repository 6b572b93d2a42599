package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.coding.Decoder;
import io.millrace.http.coding.Packed;
import io.millrace.http.filter.Compression;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.net.NetException;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A client that asks for packed bodies, of servers of ours and of others.
@Tag("slow")
class HttpClientGzipTest {
    private static final byte[] TEXT = Packed.text(1, 300_000);
    private static final byte[] BOMB = Packed.gzip(new byte[100 << 20]);

    @AfterEach
    void every_inflater_came_home() {
        assertEquals(0, Decoder.INFLATERS.inUse());
    }

    private static HttpClient client(Serving serving) {
        return HttpClient.of(ClientSettings.standard().loops(serving.loops()).gzip(50 << 20));
    }

    private static Asking asking() {
        return Asking.start(setup -> setup.gzip(50 << 20));
    }

    @ParameterizedTest
    @EnumSource
    void a_body_comes_unpacked_to_everybody(Serving.Kind kind) throws Exception {
        var constant = Response.ok(Bytes.of(TEXT), "text/plain");
        try (var serving = kind.serve(Compression.gzip().around(_ -> constant));
                var client = client(serving)) {
            for (int i = 0; i < 2; i++) {
                var request = Request.get(serving.url("/"));
                var whole = client.send(request);
                assertArrayEquals(TEXT, whole.body().toArray());
                assertFalse(whole.headers().has("Content-Encoding"));
                assertArrayEquals(TEXT, client.send(request, (head, body) -> {
                    assertFalse(head.headers().has("Content-Encoding"));
                    return body.readAllBytes();
                }));
                assertArrayEquals(
                        TEXT,
                        client.sendAsync(request, new Collecting())
                                .toCompletableFuture()
                                .get());
            }
        }
    }

    private static final class Collecting implements ResponseReader<byte[]> {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();

        @Override
        public void onHead(Response head) {
            assertEquals(200, head.status());
        }

        @Override
        public void onBody(Input part) {
            all.writeBytes(part.readBytes(part.remaining()).toArray());
        }

        @Override
        public byte[] onEnd() {
            return all.toByteArray();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_fits_no_memory_is_read_as_slowly_as_one_likes(Serving.Kind kind) throws IOException {
        long length = 20_000_000;
        try (var serving = kind.serve(Compression.gzip()
                        .around(_ -> Response.stream(200, lines(length)).type("text/plain")));
                var client = client(serving)) {
            for (int i = 0; i < 2; i++) {
                long read = client.send(
                        Request.get(serving.url("/")), (_, body) -> body.transferTo(OutputStream.nullOutputStream()));
                assertEquals(length, read);
            }
            // Who leaves early leaves nothing behind.
            int first = client.send(Request.get(serving.url("/")), (_, body) -> body.read());
            assertEquals(TEXT[0], first);
        }
    }

    private static BodyWriter lines(long length) {
        var left = new long[] {length};
        return out -> {
            int part = (int) Math.min(left[0], 50_000);
            out.write(TEXT, 0, part);
            left[0] -= part;
            return left[0] > 0;
        };
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_is_used_again_behind_a_packed_body(Serving.Kind kind) throws IOException {
        var peers = new ConcurrentLinkedQueue<Object>();
        try (var serving = kind.serve(Compression.gzip().around(request -> {
                    peers.add(request.remote());
                    return Response.ok(Bytes.of(TEXT), "text/plain");
                }));
                var client = client(serving)) {
            for (int i = 0; i < 5; i++) client.send(Request.get(serving.url("/")));
            assertEquals(5, peers.size());
            assertEquals(1, peers.stream().distinct().count());
        }
    }

    // What is asked for.

    @Test
    void a_client_asks_for_gzip_only_when_it_is_told_to() throws Exception {
        var asked = new ConcurrentLinkedQueue<String>();
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) {
                        asked.add(talk.last
                                .lines()
                                .filter(line -> line.startsWith("Accept-Encoding"))
                                .findFirst()
                                .orElse("nothing"));
                        talk.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    }
                });
                var plain = Asking.start();
                var packed = asking()) {
            var uri = server.url("/");
            plain.get(uri);
            packed.get(uri);
            packed.client().send(Request.get(uri).addHeader("Accept-Encoding", "br"));
            packed.client().send(Request.get(uri).addHeader("Range", "bytes=0-4"));
        }
        assertEquals(
                java.util.List.of("nothing", "Accept-Encoding: gzip", "Accept-Encoding: br", "nothing"),
                java.util.List.copyOf(asked));
    }

    @Test
    void who_names_codings_himself_unpacks_himself() throws Exception {
        try (var server = answering("Content-Encoding: gzip", Packed.gzip(TEXT));
                var asking = asking()) {
            var response = asking.client().send(Request.get(server.url("/")).addHeader("Accept-Encoding", "gzip"));
            assertEquals("gzip", response.header("Content-Encoding").orElseThrow());
            assertArrayEquals(Packed.gzip(TEXT), response.body().toArray());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"br", "deflate", "gzip, gzip", "identity", "gzip\r\nContent-Encoding: gzip"})
    void a_coding_that_was_not_asked_for_is_the_callers_business(String coding) throws Exception {
        try (var server = answering("Content-Encoding: " + coding, TEXT);
                var asking = asking()) {
            var response = asking.get(server.url("/"));
            assertTrue(response.headers().has("Content-Encoding"));
            assertArrayEquals(TEXT, response.body().toArray());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"204 No Content", "304 Not Modified", "200 OK"})
    void a_response_without_a_body_is_not_unpacked(String status) throws Exception {
        try (var server = ScriptedServer.answering(
                        "HTTP/1.1 " + status + "\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n");
                var asking = asking()) {
            assertEquals("", asking.get(server.url("/")).text());
        }
    }

    // Hostile servers.

    private static ScriptedServer answering(String field, byte[] body) throws IOException {
        var text = new String(body, StandardCharsets.ISO_8859_1);
        return ScriptedServer.answering(
                "HTTP/1.1 200 OK\r\n" + field + "\r\nContent-Length: " + body.length + "\r\n\r\n" + text);
    }

    private static ScriptedServer gzip(byte[] body) throws IOException {
        return answering("Content-Encoding: gzip", body);
    }

    /// In each of the three ways to ask.
    private static <T extends NetException> void assertFails(Class<T> type, String why, byte[] body) throws Exception {
        try (var server = gzip(body);
                var asking = asking()) {
            var request = Request.get(server.url("/secret?key=1"));
            assertSays(why, assertThrows(type, () -> asking.client().send(request)));
            assertSays(why, assertThrows(type, () -> asking.client().send(request, (_, in) -> in.readAllBytes())));
            CompletableFuture<byte[]> later =
                    asking.client().sendAsync(request, new Collecting()).toCompletableFuture();
            var cause = assertThrows(ExecutionException.class, later::get).getCause();
            assertSays(why, assertInstanceOf(type, cause));
        }
    }

    private static void assertSays(String why, NetException thrown) {
        Asking.assertSays(why, thrown);
        Asking.assertSays("in answer to GET http://127.0.0.1", thrown);
    }

    @Test
    void a_body_that_is_no_gzip_is_an_error() throws Exception {
        assertFails(ProtocolError.class, "sent a body that is not gzip", Arrays.copyOf(TEXT, 1000));
    }

    @Test
    void a_body_that_ends_too_early_is_an_error() throws Exception {
        var good = Packed.gzip(TEXT);
        for (int length : new int[] {1, 9, 10, 11, good.length / 2, good.length - 8, good.length - 1}) {
            assertFails(ProtocolError.class, "sent a compressed body that ends too early", Arrays.copyOf(good, length));
        }
    }

    @Test
    void bytes_behind_the_end_are_an_error() throws Exception {
        var good = Packed.gzip(TEXT);
        assertFails(
                ProtocolError.class,
                "sent bytes after the end of a compressed body",
                Arrays.copyOf(good, good.length + 1));
    }

    @Test
    void a_wrong_checksum_is_an_error() throws Exception {
        var wrong = Packed.gzip(TEXT);
        wrong[wrong.length - 5]++;
        assertFails(ProtocolError.class, "sent a compressed body with a wrong checksum", wrong);
    }

    @Test
    void a_wrong_length_is_an_error() throws Exception {
        var wrong = Packed.gzip(TEXT);
        wrong[wrong.length - 1]++;
        assertFails(ProtocolError.class, "sent a compressed body with a wrong length", wrong);
    }

    @Test
    void a_bomb_is_given_up() throws Exception {
        long before = HttpGuards.CLIENT_DECODED_RATIO.count();
        try (var server = gzip(BOMB);
                var asking = asking()) {
            var request = Request.get(server.url("/"));
            var thrown = assertThrows(
                    Overloaded.class,
                    () -> asking.client().send(request, (_, in) -> in.transferTo(OutputStream.nullOutputStream())));
            Asking.assertSays("(http.client.decoded.ratio): raise ClientSettings.gzip", thrown);
        }
        assertEquals(before + 1, HttpGuards.CLIENT_DECODED_RATIO.count());
    }

    @Test
    void a_body_that_unpacks_to_more_than_was_said_is_given_up() throws Exception {
        long before = HttpGuards.CLIENT_DECODED.count();
        try (var server = gzip(Packed.gzip(TEXT));
                var asking = Asking.start(setup -> setup.gzip(TEXT.length - 1))) {
            var thrown = assertThrows(Overloaded.class, () -> asking.get(server.url("/")));
            Asking.assertSays("decompresses to more than 299999 bytes (http.client.decoded)", thrown);
        }
        assertEquals(before + 1, HttpGuards.CLIENT_DECODED.count());
    }

    @Test
    void a_body_that_is_collected_is_also_held_to_the_length_of_bodies() throws Exception {
        try (var server = gzip(Packed.gzip(Packed.text(1, 1_100_000)));
                var asking = asking()) {
            var thrown = assertThrows(Overloaded.class, () -> asking.get(server.url("/")));
            Asking.assertSays("http.client.body", thrown);
        }
    }

    @Test
    void a_body_until_the_end_of_its_connection_is_unpacked_and_checked() throws Exception {
        var text = new String(Packed.gzip(TEXT), StandardCharsets.ISO_8859_1);
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
                    talk.send(talk.number == 1 ? text : text.substring(0, text.length() - 1));
                });
                var asking = asking()) {
            assertArrayEquals(TEXT, asking.get(server.url("/")).body().toArray());
            assertSays("ends too early", assertThrows(ProtocolError.class, () -> asking.get(server.url("/"))));
        }
    }

    @Test
    void a_server_that_leaves_in_the_middle_leaves_no_inflater() throws Exception {
        var text = new String(Packed.gzip(Packed.noise(1, 10_000)), StandardCharsets.ISO_8859_1);
        try (var server = ScriptedServer.start(talk -> {
                    talk.request();
                    talk.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + text.length()
                            + "\r\n\r\n" + text.substring(0, 5000));
                });
                var asking = asking()) {
            assertThrows(NetException.class, () -> asking.get(server.url("/")));
        }
    }

    @Test
    void a_length_that_makes_no_sense_is_refused() {
        Asking.assertSays(
                "take 0 or more",
                assertThrows(
                        IllegalArgumentException.class,
                        () -> ClientSettings.standard().gzip(-1)));
    }
}
