package io.millrace.proxy;

import static io.millrace.http.raw.FrameText.DATA;
import static io.millrace.http.raw.FrameText.HEADERS;
import static io.millrace.http.raw.FrameText.OK;
import static io.millrace.http.raw.FrameText.data;
import static io.millrace.http.raw.FrameText.fields;
import static io.millrace.http.raw.FrameText.headers;
import static io.millrace.http.raw.FrameText.read;
import static io.millrace.http.raw.FrameText.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.raw.FrameText;
import io.millrace.http.server.Http;
import io.millrace.proxy.upstream.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Fields behind a body, from HTTP/2 to HTTP/2: those that may stand there arrive, and no others.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2TrailersTest {
    private static final Proxying.Kind KIND = Proxying.Kind.EPOLL_SAME;

    private static Response told(Request request) {
        var all = new StringBuilder("trailers");
        request.trailers()
                .forEach((name, value) ->
                        all.append(' ').append(name).append('=').append(value));
        return Response.ok(all.toString());
    }

    private static Server telling(EventLoops loops) {
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return Http.listen(listen.loops(loops), Http.whole(1000, Http2TrailersTest::told));
    }

    private static Proxying to(int port) {
        return KIND.to(upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + port);
    }

    private static InputStream begin(RawClient client) throws IOException {
        client.send(FrameText.PREFACE + FrameText.HELLO);
        return client.in();
    }

    /// A request whose body follows.
    private static String post(int stream, String more) {
        var head = fields(":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a.test");
        return headers(stream, head + more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"set-cookie", "authorization"})
    void what_may_not_stand_behind_a_body_is_left_out_and_no_backends_fault(String name) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var serving = telling(loops);
                var proxy = to(serving.port());
                var client = proxy.connect()) {
            var in = begin(client);
            for (int id = 1; id < 21; id += 2) {
                client.send(post(id, "") + data(id, "hello") + whole(id, fields(name, "x", "x-mine", "1")));
                assertEquals("trailers x-mine=1", read(in, DATA, id).payload());
            }
            var backend = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(10, backend.ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_are_nobodys_word_for_whom_it_serves(boolean isLengthKnown) throws IOException {
        var length = isLengthKnown ? fields("content-length", "5") : "";
        try (var loops = EventLoops.configure().threads(1).start();
                var serving = telling(loops);
                var proxy = to(serving.port());
                var client = proxy.connect()) {
            var in = begin(client);
            var trailers = fields("x-mine", "1", "x-forwarded-for", "6.6.6.6", "client-cert", ":QUFB:");
            client.send(post(1, length) + data(1, "hello") + whole(1, trailers));
            assertEquals("trailers x-mine=1", read(in, DATA, 1).payload());
        }
    }

    /// The backend has all bytes before the trailers leave the client.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_arrive_however_late_they_are(boolean isLengthKnown) throws Exception {
        var length = isLengthKnown ? fields("content-length", "5") : "";
        var hasBody = new CountDownLatch(1);
        try (var backend = RawBackend.ofHttp2((frame, visit) -> {
                    if (frame.payload().equals("hello")) hasBody.countDown();
                    if (frame.endsStream())
                        visit.send(whole(frame.stream(), frame.type() == HEADERS ? OK : fields(":status", "418")));
                });
                var proxy = to(backend.port());
                var client = proxy.connect()) {
            var in = begin(client);
            client.send(post(1, length) + data(1, "hello"));
            hasBody.await();
            client.send(whole(1, fields("x-mine", "1")));
            assertEquals(OK, read(in, HEADERS, 1).payload().substring(0, 1));
        }
    }

    @Test
    void those_of_a_response_are_held_to_the_same_rule() throws IOException {
        try (var backend = RawBackend.ofHttp2((frame, visit) -> {
                    int id = frame.stream();
                    visit.send(headers(id, OK) + data(id, "hi"));
                    visit.send(whole(id, fields("set-cookie", "a=b", "x-mine", "1")));
                });
                var proxy = to(backend.port());
                var client = proxy.connect()) {
            assertEquals(List.of("x-mine: 1"), client.get("/").read().trailers());
        }
    }
}
