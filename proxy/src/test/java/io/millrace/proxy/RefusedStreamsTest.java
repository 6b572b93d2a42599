package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.Reset;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A backend that speaks HTTP/2 says that it has not processed a request: the proxy sends it elsewhere, whatever it is
/// (RFC 9113 section 8.7).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedStreamsTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int GOODBYE = 7;
    private static final byte END_HEADERS = 4;
    private static final int STATUS_200 = 0x88;
    private static final int REFUSED_STREAM = 7;
    private static final int CANCEL = 8;

    /// How a backend answers the head of a request.
    private static byte[] answer(String how) {
        return switch (how) {
            case "refuses" -> frame(RESET, 1, 0, 0, 0, REFUSED_STREAM);
            case "cancels" -> frame(RESET, 1, 0, 0, 0, CANCEL);
            // It has processed nothing, and there is no error.
            case "leaves" -> frame(GOODBYE, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            default -> throw new IllegalArgumentException(how);
        };
    }

    private static byte[] frame(int type, int stream, int... payload) {
        var frame = new byte[9 + payload.length];
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[8] = (byte) stream;
        for (int i = 0; i < payload.length; i++) frame[9 + i] = (byte) payload[i];
        return frame;
    }

    private static RawBackend.Script backend(String how, AtomicInteger asked) {
        return visit -> {
            var in = new DataInputStream(visit.in);
            in.skipNBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length());
            visit.send(latin1(frame(SETTINGS, 0)));
            while (type(in) != HEADERS) {
                // Settings.
            }
            asked.incrementAndGet();
            visit.send(latin1(answer(how)));
            while (true) type(in);
        };
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /// Reads a frame.
    private static int type(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.skipNBytes(5L + length);
        return type;
    }

    /// What a client's stream is reset with when the backend resets its own in the middle of a response.
    @ParameterizedTest
    @CsvSource({"8, 8", "11, 11", "2, 2", "5, 2", "7, 2"})
    void a_reset_in_the_middle_reaches_the_client_with_a_code_that_means_something_there(int code, int told)
            throws IOException {
        RawBackend.Script script = visit -> {
            var in = new DataInputStream(visit.in);
            in.skipNBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length());
            visit.send(latin1(frame(SETTINGS, 0)));
            while (type(in) != HEADERS) {
                // Settings.
            }
            var head = frame(HEADERS, 1, STATUS_200);
            head[4] = END_HEADERS;
            visit.send(latin1(head) + latin1(frame(DATA, 1, 'x')));
            visit.send(latin1(frame(RESET, 1, 0, 0, 0, code)));
            while (true) type(in);
        };
        try (var backend = new RawBackend(script);
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + backend.port());
                var client = HttpClient.of(ClientSettings.standard().version(HttpVersion.HTTP_2))) {
            var request = Request.get("http://127.0.0.1:" + proxy.server().port() + "/");
            var cut = assertThrows(Reset.class, () -> client.send(request));
            assertEquals(OptionalInt.of(told), cut.code());
        }
    }

    @Test
    void the_only_backend_is_asked_again_on_the_same_connection() throws IOException {
        var asked = new AtomicInteger();
        var refusingOnce = RawFrames.backend((frame, visit) -> {
            if (asked.getAndIncrement() == 0) visit.send(latin1(answer("refuses")));
            else visit.send(RawFrames.headers(RawFrames.END_STREAM, frame.id(), ":status", "200"));
        });
        try (var backend = new RawBackend(refusingOnce);
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + backend.port());
                var client = proxy.connect()) {
            assertEquals(200, client.get("/").read().status());
            assertEquals(1, backend.connections());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // What a client sends, how the first backend answers it, the bytes that are kept, and the client's response.
        "GET, refuses, 0, 200",
        "GET, leaves, 0, 200",
        "DELETE, refuses, 0, 200",
        "POST, refuses, 0, 503",
        "POST, refuses, 100, 200",
        "POST, leaves, 100, 200",
        // It may have processed that.
        "POST, cancels, 100, 502",
        "GET, cancels, 100, 200",
    })
    void a_request_that_was_refused_goes_elsewhere_with_its_body(String method, String how, long kept, int status)
            throws IOException {
        var asked = new AtomicInteger();
        try (var loops = EventLoops.configure().threads(1).start();
                var refusing = new RawBackend(backend(how, asked));
                var serving = Http.listen(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(loops),
                        Http.whole(1000, request -> Response.ok(request.method() + " " + request.text())));
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2)
                                .retries(new Retries(Retries.STANDARD.on(), 2, Duration.ZERO, kept)),
                        "http://127.0.0.1:" + refusing.port(),
                        "http://127.0.0.1:" + serving.port());
                var client = proxy.connect()) {
            var body = method.equals("POST") ? "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" : "\r\n";
            var answer =
                    client.send(method + " / HTTP/1.1\r\nHost: a\r\n" + body).read();
            // They take turns, and either may be the first.
            if (asked.get() == 0)
                answer = client.send(method + " / HTTP/1.1\r\nHost: a\r\n" + body)
                        .read();
            assertEquals(status, answer.status());
            if (status == 200) assertEquals(method + (method.equals("POST") ? " hello" : " "), answer.text());
            assertEquals(1, asked.get());
        }
    }
}
