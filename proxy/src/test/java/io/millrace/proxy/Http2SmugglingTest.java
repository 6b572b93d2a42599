package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.StrictReader.Message;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Requests of HTTP/2 that would be others, or two, in HTTP/1.1: a backend sees nothing of them, and the honest one
/// behind each as it was sent.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2SmugglingTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private static final List<String> ENDS =
            List.of("\r\nX: y", "\n", "\r", "\0", " HTTP/1.1\r\n\r\nGET /b ", " ", "\t");

    /// A connection, whose streams come one after the other.
    private static final class Asking implements AutoCloseable {
        private final RawClient client;
        private final DataInputStream in;
        private int nextId = 1;

        Asking(int port) throws IOException {
            client = new RawClient(port);
            in = new DataInputStream(client.in());
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            send(4, 0, 0, new byte[0]);
        }

        private void send(int type, int flags, int id, byte[] payload) throws IOException {
            var frame = new ByteArrayOutputStream();
            frame.writeBytes(new byte[] {0, (byte) (payload.length >> 8), (byte) payload.length, (byte) type});
            frame.writeBytes(new byte[] {(byte) flags, 0, 0, (byte) (id >> 8), (byte) id});
            frame.writeBytes(payload);
            client.send(frame.toByteArray());
        }

        /// Whether a request is answered with 200; other answers and resets are refusals.
        ///
        /// @param fields names and values, in turn
        boolean isServed(String body, String... fields) throws IOException {
            int id = nextId;
            nextId += 2;
            var block = new ByteArrayOutputStream();
            for (int i = 0; i < fields.length; i++) {
                if (i % 2 == 0) block.write(0);
                block.write(fields[i].length());
                block.writeBytes(fields[i].getBytes(ISO_8859_1));
            }
            send(HEADERS, END_HEADERS | (body.isEmpty() ? END_STREAM : 0), id, block.toByteArray());
            if (!body.isEmpty()) send(DATA, END_STREAM, id, body.getBytes(ISO_8859_1));
            return isServed(id);
        }

        private boolean isServed(int id) throws IOException {
            while (true) {
                int word = in.readInt();
                in.readByte();
                int of = in.readInt();
                var payload = in.readNBytes(word >>> 8);
                int type = word & 0xff;
                if (of != id || (type != HEADERS && type != RST_STREAM)) continue;
                return type == HEADERS && (payload[0] & 0xff) == 0x88;
            }
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private static boolean isServed(Asking peer, String method, String path, String host) throws IOException {
        return peer.isServed("", ":method", method, ":scheme", "http", ":path", path, ":authority", host);
    }

    private static boolean isPosted(Asking peer, String body, String name, String value) throws IOException {
        return peer.isServed(
                body, ":method", "POST", ":scheme", "http", ":path", "/evil", ":authority", "a.test", name, value);
    }

    private static void assertNothingButHonest(Asking peer, RecordingBackend backend, String about) throws IOException {
        assertTrue(isServed(peer, "GET", "/honest", "a.test"), about);
        assertEquals(List.of(), backend.ambiguous(), about);
        assertEquals(
                List.of("GET /honest"),
                backend.taken().stream()
                        .map((Message message) -> message.method() + " " + message.target())
                        .toList(),
                about);
    }

    @ParameterizedTest
    @EnumSource
    void pseudo_fields_that_would_be_lines(Proxying.Kind kind) throws IOException {
        try (var backend = new RecordingBackend();
                var proxy = kind.to(backend.uri());
                var peer = new Asking(proxy.server().port())) {
            for (var evil : ENDS) {
                assertEquals(false, isServed(peer, "GET" + evil, "/", "a.test"));
                assertEquals(false, isServed(peer, "GET", "/" + evil, "a.test"));
                assertEquals(false, isServed(peer, "GET", "/", "a.test" + evil));
                assertNothingButHonest(peer, backend, evil);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void fields_that_would_be_lines_or_say_how_long_a_body_is(Proxying.Kind kind) throws IOException {
        try (var backend = new RecordingBackend();
                var proxy = kind.to(backend.uri());
                var peer = new Asking(proxy.server().port())) {
            for (var evil : ENDS) {
                assertEquals(false, isPosted(peer, "", "x", "y" + evil));
                assertEquals(false, isPosted(peer, "", "x" + evil, "y"));
                assertNothingButHonest(peer, backend, evil);
            }
            var second = "0\r\n\r\nGET /b HTTP/1.1\r\nHost: b\r\n\r\n";
            assertEquals(false, isPosted(peer, second, "transfer-encoding", "chunked"));
            assertEquals(false, isPosted(peer, second, "content-length", "0"));
            assertEquals(false, isPosted(peer, second, "content-length", "5"));
            assertEquals(false, isPosted(peer, second, "content-length", "+" + second.length()));
            assertEquals(false, isPosted(peer, second, "connection", "x"));
            assertEquals(false, isPosted(peer, second, "Content-Length", "5"));
            assertEquals(false, isPosted(peer, "", "host", "b.test"));
            assertNothingButHonest(peer, backend, second);
            assertTrue(isPosted(peer, second, "x", "y"));
            assertEquals(second, backend.taken().getFirst().body());
        }
    }
}
