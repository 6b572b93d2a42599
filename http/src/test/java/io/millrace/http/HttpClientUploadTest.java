package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies that a client writes as the server takes them; client and server of ours, on the same loops.
class HttpClientUploadTest {
    private static final int[] LENGTHS = {1, 1023, 65_536, 65_537, 300_000, 9_000_000};

    /// What is sent comes back, as it arrives.
    private static final HttpHandler ECHO = request -> Response.duplex(200, (part, out) -> out.move(part));

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /// Of all clients here.
    ClientSettings settings() {
        return ClientSettings.standard();
    }

    /// The coding of a body whose length is not known.
    String codingWithoutLength() {
        return "chunked";
    }

    private HttpClient client(Serving serving) {
        return HttpClient.of(
                settings().loops(serving.loops()).limits(HttpLimits.standard().bodyBytes(20_000_000)));
    }

    @ParameterizedTest
    @EnumSource
    void a_body_of_any_length_is_written_and_comes_back_over_one_connection(Serving.Kind kind) throws IOException {
        var peers = ConcurrentHashMap.newKeySet();
        try (var serving = kind.serve(request -> {
                    peers.add(request.remote());
                    return Response.duplex(200, (part, out) -> out.move(part));
                });
                var client = client(serving)) {
            for (int length : LENGTHS) {
                var body = new Uploading(random(length), 10_000);
                var response = client.send(Request.post(serving.url("/"), body));
                assertArrayEquals(random(length), response.body().toArray());
                body.assertClosedOnce();
            }
            assertEquals(1, peers.size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_may_have_a_length_or_come_in_chunks(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(
                        request -> Response.ok(request.header("content-length").orElse("-") + " "
                                + request.header("transfer-encoding").orElse("-") + " "
                                + request.body().remaining()));
                var client = client(serving)) {
            var chunks = Request.of("PUT", serving.url("/"), new Uploading(random(5000), 999));
            assertEquals(
                    "- " + codingWithoutLength() + " 5000", client.send(chunks).text());
            var counted = Request.of("PUT", serving.url("/"), new Uploading(random(5000), 999));
            assertEquals("5000 - 5000", client.send(counted.length(5000)).text());
            var empty = Request.of("PUT", serving.url("/"), _ -> false);
            assertEquals("0 - 0", client.send(empty.length(0)).text());
            var nothing = Request.of("PUT", serving.url("/"), _ -> false);
            assertEquals(
                    "- " + codingWithoutLength() + " 0", client.send(nothing).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_held_to_its_length(Serving.Kind kind) throws IOException {
        var served = new AtomicInteger();
        try (var serving = kind.serve(request -> {
                    served.incrementAndGet();
                    return Response.ok("hello");
                });
                var client = client(serving)) {
            for (int wrong : new int[] {4999, 5001}) {
                var body = new Uploading(random(5000), 999);
                var request = Request.post(serving.url("/"), body).length(wrong);
                var thrown = assertThrows(IllegalStateException.class, () -> client.send(request));
                Asking.assertSays("correct length()", thrown);
                body.assertClosedOnce();
            }
            assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
            assertEquals(1, served.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_writer_throws_is_the_callers_and_its_request_is_not_served(Serving.Kind kind) throws IOException {
        var served = new AtomicInteger();
        try (var serving = kind.serveWhole(request -> {
                    served.incrementAndGet();
                    return Response.ok("hello");
                });
                var client = client(serving)) {
            for (int good : new int[] {0, 1000, 500_000}) {
                var mine = new IOException("mine");
                var closes = new AtomicInteger();
                var request = Request.post(serving.url("/"), new Throwing(good, mine, closes));
                assertSame(mine, assertThrows(IOException.class, () -> client.send(request)));
                assertEquals(1, closes.get());
            }
            assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
            assertEquals(1, served.get());
        }
    }

    private static final class Throwing implements BodyWriter {
        private final IOException mine;
        private final AtomicInteger closes;
        private int left;

        Throwing(int good, IOException mine, AtomicInteger closes) {
            this.left = good;
            this.mine = mine;
            this.closes = closes;
        }

        @Override
        public boolean write(io.millrace.bytes.Output out) throws IOException {
            out.write(new byte[100], 0, 100);
            if (left <= 0) throw mine;
            left -= 100;
            return true;
        }

        @Override
        public void onClose() {
            closes.incrementAndGet();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_that_writes_nothing_and_says_that_there_is_more_fails(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            var request = Request.post(serving.url("/"), _ -> true);
            var thrown = assertThrows(IllegalStateException.class, () -> client.send(request));
            Asking.assertSays("wrote nothing", thrown);
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailers_follow_a_body(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request -> Response.ok(request.body().remaining() + " "
                        + request.trailers().first("x-sum").orElse("-")));
                var client = client(serving)) {
            var body = new Uploading(random(200_000), 10_000);
            var request = Request.post(serving.url("/"), body)
                    .trailers(() -> Headers.EMPTY.with("X-Sum", "" + body.written()));
            assertEquals("200000 200000", client.send(request).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_field_that_may_not_be_a_trailer_fails(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            var body = new Uploading(random(5), 5);
            var request =
                    Request.post(serving.url("/"), body).trailers(() -> Headers.EMPTY.with("Content-Length", "5"));
            var thrown = assertThrows(IllegalArgumentException.class, () -> client.send(request));
            Asking.assertSays("must not be a trailer", thrown);
            body.assertClosedOnce();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_sent_once(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            var body = new Uploading(random(5), 5);
            var request = Request.post(serving.url("/"), body);
            assertEquals(5, client.send(request).body().length());
            for (var again : new Request[] {request, request.addHeader("X", "y"), request.length(5)}) {
                var thrown = assertThrows(IllegalStateException.class, () -> client.send(again));
                Asking.assertSays("make a new request", thrown);
            }
            body.assertClosedOnce();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_before_the_end_stops_the_body(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> request.path().equals("/full") ? Response.status(507) : Response.ok("enough"));
                var client = client(serving)) {
            for (int i = 0; i < 5; i++) {
                var body = Uploading.endless();
                var response = client.send(Request.post(serving.url("/full"), body));
                assertEquals(507, response.status());
                body.assertClosedOnce();
                var other = Uploading.endless();
                assertEquals(
                        "enough",
                        client.send(Request.post(serving.url("/"), other)).text());
                other.assertClosedOnce();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_expects_to_be_asked_for_the_body_is_asked_or_refused(Serving.Kind kind) throws IOException {
        var app = new HttpHandler() {

            @Override
            public Response handle(Request request) {
                return request.path().equals("/full") ? Response.status(507) : Response.reading(new CountedBody());
            }
        };
        try (var serving = kind.serve(app);
                var client = client(serving)) {
            for (int i = 0; i < 5; i++) {
                var unwanted = Uploading.endless();
                var refused = Request.post(serving.url("/full"), unwanted).addHeader("Expect", "100-continue");
                assertEquals(507, client.send(refused).status());
                assertEquals(0, unwanted.written());
                unwanted.assertClosedOnce();
                var wanted = Request.post(serving.url("/"), new Uploading(random(500_000), 10_000));
                assertEquals(
                        "500000",
                        client.send(wanted.addHeader("Expect", "100-continue")).text());
                var whole = Request.post(serving.url("/"), Bytes.of(random(500)));
                assertEquals(
                        "500",
                        client.send(whole.addHeader("Expect", "100-continue")).text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_reads_the_answer_slowly_meanwhile_gets_all_of_it(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            var body = new Uploading(random(3_000_000), 10_000);
            var read = client.send(Request.post(serving.url("/"), body), (_, in) -> {
                var first = in.readNBytes(1000);
                var rest = in.readAllBytes();
                var all = java.util.Arrays.copyOf(first, first.length + rest.length);
                System.arraycopy(rest, 0, all, first.length, rest.length);
                return all;
            });
            assertArrayEquals(random(3_000_000), read);
            body.assertClosedOnce();
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_leaves_out_the_answer_leaves_out_the_body(Serving.Kind kind) throws IOException {
        var bodies = new ArrayList<Uploading>();
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            for (int i = 0; i < 3; i++) {
                var body = Uploading.endless();
                bodies.add(body);
                int first = client.send(Request.post(serving.url("/"), body), (_, in) -> in.read());
                assertEquals(0, first);
            }
            assertEquals(
                    5,
                    client.send(Request.post(serving.url("/"), Bytes.utf8("hello")))
                            .body()
                            .length());
        }
        bodies.forEach(Uploading::assertClosedOnce);
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_is_closed_ends_bodies_under_way(Serving.Kind kind) throws Exception {
        var arrived = new CountDownLatch(1);
        try (var serving = kind.serve(request -> Response.reading(new CountedBody() {
            @Override
            public void onBody(Input part) {
                super.onBody(part);
                arrived.countDown();
            }
        }))) {
            var client = client(serving);
            var body = Uploading.endless();
            var answer = client.sendAsync(Request.post(serving.url("/"), body)).toCompletableFuture();
            arrived.await();
            client.close();
            assertThrows(Exception.class, answer::join);
            body.assertClosedOnce();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_redirect_that_wants_the_body_again_is_the_answer(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> request.path().equals("/there")
                        ? Response.ok(request.method())
                        : Response.status(Integer.parseInt(request.query())).addHeader("Location", "/there"));
                var client = HttpClient.of(settings().loops(serving.loops()).redirects(5))) {
            for (int status : new int[] {301, 302, 303, 307, 308}) {
                var body = new Uploading(random(5000), 999);
                var request = Request.post(serving.url("/?" + status), body).addHeader("Expect", "100-continue");
                var response = client.send(request);
                if (status > 303) assertEquals(status, response.status());
                else assertEquals("GET", response.text());
                body.assertClosedOnce();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void only_a_body_that_is_written_has_a_length_to_tell_or_trailers(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO);
                var client = client(serving)) {
            var request = Request.post(serving.url("/"), Bytes.utf8("hello"));
            assertThrows(IllegalStateException.class, () -> request.length(5));
            assertThrows(IllegalStateException.class, () -> request.trailers(() -> Headers.EMPTY));
            var written = Request.post(serving.url("/"), new Uploading(random(5), 5));
            assertThrows(IllegalArgumentException.class, () -> written.length(-1));
            assertEquals(Optional.empty(), written.header("Content-Length"));
            assertEquals(5, client.send(written).body().length());
        }
    }
}
