package io.millrace.proxy;

import static io.millrace.proxy.RawFrames.END_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.proxy.upstream.Outcome;
import java.io.DataInputStream;
import java.io.IOException;
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

    private static final char STATUS_200 = 0x88;

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

    private static DataInputStream begin(RawClient client) throws IOException {
        client.send(RawFrames.PREFACE + RawFrames.settings());
        return new DataInputStream(client.in());
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
                client.send(RawFrames.post(id)
                        + RawFrames.data(0, id, "hello")
                        + RawFrames.headers(END_STREAM, id, name, "x", "x-mine", "1"));
                assertEquals(
                        "trailers x-mine=1",
                        RawFrames.read(in, RawFrames.DATA, id).payload());
            }
            var backend = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(10, backend.ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_are_nobodys_word_for_whom_it_serves(boolean isLengthKnown) throws IOException {
        var length = isLengthKnown ? new String[] {"content-length", "5"} : new String[0];
        try (var loops = EventLoops.configure().threads(1).start();
                var serving = telling(loops);
                var proxy = to(serving.port());
                var client = proxy.connect()) {
            var in = begin(client);
            client.send(RawFrames.post(1, length)
                    + RawFrames.data(0, 1, "hello")
                    + RawFrames.headers(
                            END_STREAM, 1, "x-mine", "1", "x-forwarded-for", "6.6.6.6", "client-cert", ":QUFB:"));
            assertEquals(
                    "trailers x-mine=1", RawFrames.read(in, RawFrames.DATA, 1).payload());
        }
    }

    /// The backend has all bytes before the trailers leave the client.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_arrive_however_late_they_are(boolean isLengthKnown) throws Exception {
        var length = isLengthKnown ? new String[] {"content-length", "5"} : new String[0];
        var hasBody = new CountDownLatch(1);
        try (var backend = new RawBackend(RawFrames.backend((frame, visit) -> {
                    if (frame.payload().equals("hello")) hasBody.countDown();
                    if (frame.endsStream())
                        visit.send(RawFrames.headers(
                                END_STREAM, frame.id(), ":status", frame.type() == RawFrames.HEADERS ? "200" : "418"));
                }));
                var proxy = to(backend.port());
                var client = proxy.connect()) {
            var in = begin(client);
            client.send(RawFrames.post(1, length) + RawFrames.data(0, 1, "hello"));
            hasBody.await();
            client.send(RawFrames.headers(END_STREAM, 1, "x-mine", "1"));
            assertEquals(
                    STATUS_200,
                    RawFrames.read(in, RawFrames.HEADERS, 1).payload().charAt(0));
        }
    }

    @Test
    void those_of_a_response_are_held_to_the_same_rule() throws IOException {
        try (var backend = new RawBackend(RawFrames.backend((frame, visit) -> {
                    int id = frame.id();
                    visit.send(RawFrames.headers(0, id, ":status", "200") + RawFrames.data(0, id, "hi"));
                    visit.send(RawFrames.headers(END_STREAM, id, "set-cookie", "a=b", "x-mine", "1"));
                }));
                var proxy = to(backend.port());
                var client = proxy.connect()) {
            assertEquals(List.of("x-mine: 1"), client.get("/").read().trailers());
        }
    }
}
