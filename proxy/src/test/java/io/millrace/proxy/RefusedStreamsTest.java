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
import io.millrace.http.raw.FrameText;
import io.millrace.http.server.Http;
import io.millrace.net.Reset;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A backend that speaks HTTP/2 says that it has not processed a request: the proxy sends it elsewhere, whatever it is
/// (RFC 9113 section 8.7).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedStreamsTest {
    /// How a backend answers the head of a request.
    private static String answer(String how, int stream) {
        return switch (how) {
            case "refuses" -> FrameText.reset(stream, FrameText.REFUSED_STREAM);
            case "cancels" -> FrameText.reset(stream, FrameText.CANCEL);
            // It has processed nothing, and there is no error.
            case "leaves" -> FrameText.goAway(0, FrameText.NO_ERROR);
            default -> throw new IllegalArgumentException(how);
        };
    }

    private static RawBackend backend(String how, AtomicInteger asked) throws IOException {
        return RawBackend.ofHttp2((frame, visit) -> {
            if (frame.type() != FrameText.HEADERS) return;
            asked.incrementAndGet();
            visit.send(answer(how, frame.stream()));
        });
    }

    /// What a client's stream is reset with when the backend resets its own in the middle of a response.
    @ParameterizedTest
    @CsvSource({"8, 8", "11, 11", "2, 2", "5, 2", "7, 2"})
    void a_reset_in_the_middle_reaches_the_client_with_a_code_that_means_something_there(int code, int told)
            throws IOException {
        try (var backend = RawBackend.ofHttp2((frame, visit) -> {
                    int id = frame.stream();
                    visit.send(FrameText.headers(id, FrameText.OK) + FrameText.data(id, "x"));
                    visit.send(FrameText.reset(id, code));
                });
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + backend.port());
                var client = HttpClient.of(ClientSettings.standard().version(HttpVersion.HTTP_2))) {
            var request = Request.get("http://127.0.0.1:" + proxy.server().port() + "/");
            var cut = assertThrows(Reset.class, () -> client.send(request));
            assertEquals(OptionalInt.of(told), cut.code());
        }
    }

    /// A code says what was wrong between the client and the proxy, which is not the backend's concern.
    @ParameterizedTest
    @ValueSource(ints = {FrameText.NO_ERROR, 2, FrameText.CANCEL, 11})
    void a_client_that_resets_its_stream_has_that_of_the_backend_cancelled(int code) throws Exception {
        var asked = new CompletableFuture<Boolean>();
        var told = new CompletableFuture<String>();
        try (var backend = new RawBackend(visit -> {
                    visit.skip(FrameText.PREFACE.length());
                    visit.send(FrameText.HELLO);
                    FrameText.read(visit.in, FrameText.HEADERS, 1);
                    asked.complete(true);
                    told.complete(
                            FrameText.read(visit.in, FrameText.RST_STREAM, 1).payload());
                });
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + backend.port());
                var client = proxy.connect()) {
            var get = FrameText.fields(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a");
            client.send(FrameText.PREFACE + FrameText.HELLO + FrameText.whole(1, get));
            asked.get(20, TimeUnit.SECONDS);
            client.send(FrameText.reset(1, code));
            assertEquals(FrameText.int32(FrameText.CANCEL), told.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void the_only_backend_is_asked_again_on_the_same_connection() throws IOException {
        var asked = new AtomicInteger();
        try (var backend = RawBackend.ofHttp2((frame, visit) -> {
                    int id = frame.stream();
                    visit.send(
                            asked.getAndIncrement() == 0 ? answer("refuses", id) : FrameText.whole(id, FrameText.OK));
                });
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
                var refusing = backend(how, asked);
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
