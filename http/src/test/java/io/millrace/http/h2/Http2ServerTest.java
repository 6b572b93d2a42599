package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.CountedBody;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.filter.AccessLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Requests and responses over HTTP/2: what a handler and a peer see is what they see over HTTP/1.1.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ServerTest {
    private static final int MEGABYTE = 1_000_000;

    @ParameterizedTest
    @EnumSource
    void a_text_comes_with_length_date_and_media_type(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello " + request.path()));
                var peer = Http2Peer.of(serving)) {
            var reply = peer.whole(peer.get("/you"));
            assertEquals(200, reply.status);
            assertEquals("hello /you", reply.text());
            assertEquals("10", reply.header("content-length"));
            assertEquals("text/plain; charset=utf-8", reply.header("content-type"));
            assertTrue(reply.header("date").endsWith(" GMT"), reply::toString);
            assertEquals("", reply.header("connection"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_sees_method_path_query_host_fields_and_version(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> Response.ok(request.method() + " " + request.path() + " " + request.query() + " "
                + request.header("Host").orElse("-") + " " + request.headers("x-two") + " "
                + request.parameter("b").orElse("-"));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/a%20b?b=c", "x-two", "1", "x-two", "2");
            assertEquals("GET /a%20b b=c a [1, 2] c", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_connection_serves_many_requests_one_after_the_other(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok(request.path()));
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 300; i++) {
                assertEquals("/" + i, peer.whole(peer.get("/" + i)).text());
            }
            assertEquals(GotStream.NO_RESET, peer.got.goAwayCode);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_hundred_streams_are_served_at_once(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok(request.path()));
                var peer = Http2Peer.of(serving)) {
            var all = new SentFrames();
            for (int i = 0; i < 100; i++) all.get(2 * i + 1, "/" + i);
            peer.send(all);
            for (int i = 0; i < 100; i++)
                assertEquals("/" + i, peer.whole(2 * i + 1).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_head_request_gets_fields_and_no_body(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var peer = Http2Peer.of(serving)) {
            var reply = peer.whole(peer.ask("HEAD", "/", true));
            assertEquals("5", reply.header("content-length"));
            assertEquals(0, reply.bodyBytes());
            assertEquals("hello", peer.whole(peer.get("/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void statuses_without_a_body_end_with_their_head(Serving.Kind kind) throws IOException {
        HttpHandler app =
                request -> Response.status(Integer.parseInt(request.path().substring(1)));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (int status : new int[] {204, 304}) {
                var reply = peer.whole(peer.get("/" + status));
                assertEquals(status, reply.status);
                assertEquals(0, reply.bodyBytes());
                assertEquals("", reply.header("content-length"));
                assertTrue(peer.got.log.getLast().startsWith(Http2Codes.HEADERS + " "), peer.got::toString);
            }
        }
    }

    // Bodies of requests.

    @ParameterizedTest
    @EnumSource
    void a_body_comes_whole_with_its_request(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request -> Response.ok(request.text()));
                var peer = Http2Peer.of(serving)) {
            int known = peer.post("/", "content-length", "5");
            assertEquals("hello", peer.body(known, latin1("hello")).whole(known).text());
            int unknown = peer.post("/");
            assertEquals("you", peer.body(unknown, latin1("you")).whole(unknown).text());
            int empty = peer.post("/");
            assertEquals("", peer.body(empty, new byte[0]).whole(empty).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_large_body_comes_whole_and_goes_back_through_the_windows(Serving.Kind kind) throws IOException {
        var sent = random(MEGABYTE);
        try (var serving = kind.serveWhole(request -> Response.ok(request.bytes(), "application/octet-stream"));
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 3; i++) {
                int id = peer.post("/");
                assertArrayEquals(sent, peer.body(id, sent).whole(id).body());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void bodies_of_several_streams_arrive_between_each_other(Serving.Kind kind) throws IOException {
        var sent = random(200_000);
        try (var serving = kind.serveWhole(request -> Response.ok(request.bytes(), "application/octet-stream"));
                var peer = Http2Peer.of(serving)) {
            int[] ids = new int[8];
            for (int i = 0; i < ids.length; i++) ids[i] = peer.post("/");
            for (int at = 0; at < sent.length; at += 5_000) {
                var part = java.util.Arrays.copyOfRange(sent, at, at + 5_000);
                for (int id : ids) peer.part(id, part, at + 5_000 == sent.length);
            }
            for (int id : ids) assertArrayEquals(sent, peer.whole(id).body());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_may_be_padded(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request -> Response.ok(request.text()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            var padded = new byte[] {3, 'a', 'b', 0, 0, 0};
            peer.send(new SentFrames()
                    .frame(Http2Codes.DATA, Http2Codes.PADDED, id, padded)
                    .frame(Http2Codes.DATA, Http2Codes.PADDED | Http2Codes.END_STREAM, id, (byte) 0, (byte) 'c'));
            assertEquals("abc", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_gets_a_body_as_it_arrives_and_answers_at_its_end(Serving.Kind kind) throws IOException {
        var sent = random(3 * MEGABYTE);
        try (var serving = kind.serve(request -> Response.reading(new CountedBody()));
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 2; i++) {
                int id = peer.post("/");
                assertEquals("3000000", peer.body(id, sent).whole(id).text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailers_of_a_request_are_there_at_its_end(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request -> Response.ok(
                        request.text() + " " + request.trailers().first("x-sum").orElse("-")));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.send(new SentFrames().data(id, false, "body").headers(id, true, "x-sum", "42"));
            assertEquals("body 42", peer.whole(id).text());
            int empty = peer.post("/");
            peer.send(new SentFrames().headers(empty, true, "x-sum", "43"));
            assertEquals(" 43", peer.whole(empty).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailers_that_must_be_known_before_a_body_are_left_out(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(
                        request -> Response.ok(request.trailers().size() + " "
                                + request.trailers().first("x-sum").orElse("-")));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.send(new SentFrames()
                    .data(id, false, "body")
                    .headers(id, true, "authorization", "a", "x-sum", "42", "content-length", "4", "set-cookie", "b"));
            assertEquals("1 42", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_asks_is_told_to_continue(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request -> Response.ok(request.text()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/", "content-length", "5", "expect", "100-continue");
            peer.until(() -> peer.got.stream(id).interims.contains(100));
            assertEquals("hello", peer.body(id, latin1("hello")).whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_asks_and_is_refused_is_not_told_to_continue(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.status(401));
                var peer = Http2Peer.of(serving)) {
            var reply = peer.head(peer.post("/", "content-length", "5", "expect", "100-continue"));
            assertEquals(401, reply.status);
            assertTrue(reply.interims.isEmpty(), reply::toString);
        }
    }

    // Responses of all kinds.

    @ParameterizedTest
    @EnumSource
    void a_later_response_lets_others_go_first(Serving.Kind kind) throws IOException {
        var late = new CompletableFuture<Response>();
        HttpHandler app = request -> request.path().equals("/late") ? Response.later(late) : Response.ok("now");
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/late");
            assertEquals("now", peer.whole(peer.get("/")).text());
            assertFalse(peer.got.stream(id).isOver());
            late.complete(Response.ok("late"));
            assertEquals("late", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void blocking_code_writes_and_reads_meanwhile(Serving.Kind kind) throws IOException {
        var sent = random(MEGABYTE);
        HttpHandler app = request -> Response.blocking(200, out -> {
            var body = request.blockingBody();
            while (body.read()) {
                out.output().move(body.input());
                out.flush();
            }
        });
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            assertArrayEquals(sent, peer.body(id, sent).whole(id).body());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_is_sent_back_while_it_arrives(Serving.Kind kind) throws IOException {
        var sent = random(3 * MEGABYTE);
        try (var serving = kind.serve(request -> Response.duplex(200, (part, out) -> out.move(part)));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.part(id, latin1("first"), false);
            peer.until(() -> peer.got.stream(id).text().equals("first"));
            peer.body(id, sent);
            assertEquals(5 + sent.length, peer.whole(id).bodyBytes());
            assertArrayEquals(sent, java.util.Arrays.copyOfRange(peer.whole(id).body(), 5, 5 + sent.length));
        }
    }

    @ParameterizedTest
    @EnumSource
    void events_are_sent_as_they_come(Serving.Kind kind) throws IOException {
        var stream = new CompletableFuture<io.millrace.http.EventStream>();
        try (var serving = kind.serve(request -> Response.events(stream::complete));
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            stream.join().send("one");
            peer.until(() -> peer.got.stream(id).text().equals("data: one\n\n"));
            stream.join().send("two");
            stream.join().close();
            assertEquals("data: one\n\ndata: two\n\n", peer.whole(id).text());
            assertEquals("text/event-stream", peer.whole(id).header("content-type"));
        }
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void files_are_sent_whole_and_in_part(Serving.Kind kind) throws IOException {
        var content = random(MEGABYTE);
        var file = Files.write(folder.resolve("file.bin"), content);
        try (var serving = kind.serve(request -> Response.file(file));
                var peer = Http2Peer.of(serving)) {
            var whole = peer.whole(peer.get("/"));
            assertArrayEquals(content, whole.body());
            assertEquals("" + MEGABYTE, whole.header("content-length"));
            var part = peer.whole(peer.get("/", "range", "bytes=10-19"));
            assertEquals(206, part.status);
            assertArrayEquals(java.util.Arrays.copyOfRange(content, 10, 20), part.body());
            var known = peer.whole(peer.get("/", "if-none-match", whole.header("etag")));
            assertEquals(304, known.status);
        }
    }

    @ParameterizedTest
    @EnumSource
    void fields_about_a_connection_are_left_out_and_names_are_small(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> Response.ok("fine")
                .setHeader("Proxy-Connection", "x-hop")
                .setHeader("X-Large", "yes")
                .addHeader("Set-Cookie", "a=b")
                .addHeader("Set-Cookie", "c=d");
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            var headers = peer.whole(peer.get("/")).headers;
            assertEquals("yes", headers.get("x-large"));
            assertEquals("a=b, c=d", headers.get("set-cookie"));
            assertFalse(headers.containsKey("proxy-connection"), headers::toString);
        }
    }

    /// Which a table remembers, and which it has to forget.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_of_many_responses_are_decoded(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> Response.ok("fine")
                .setHeader("X-Same", "s".repeat(50))
                .setHeader("X-Other", request.path().repeat(10));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 200; i++) {
                var reply = peer.whole(peer.get("/" + i));
                assertEquals("s".repeat(50), reply.header("x-same"));
                assertEquals(("/" + i).repeat(10), reply.header("x-other"));
                if (i == 100) peer.send(new SentFrames().settings(Http2Codes.TABLE_SIZE, 100));
            }
        }
    }

    /// The smallest of them empties it (RFC 7541 section 4.2).
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void each_size_of_a_table_counts_though_they_come_in_one_frame(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("fine").setHeader("X-Same", "same"));
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 3; i++) {
                assertEquals("same", peer.whole(peer.get("/")).header("x-same"));
                int taken = peer.got.settingsTaken;
                peer.send(new SentFrames().settings(Http2Codes.TABLE_SIZE, 0, Http2Codes.TABLE_SIZE, 4096));
                peer.until(() -> peer.got.settingsTaken > taken);
                peer.got.acknowledged(0);
                peer.got.acknowledged(4096);
            }
            assertEquals("same", peer.whole(peer.get("/")).header("x-same"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_head_that_is_longer_than_a_frame_is_sent_in_several(Serving.Kind kind) throws IOException {
        var value = "v".repeat(60_000);
        try (var serving = kind.serve(request -> Response.ok("fine").setHeader("X-Long", value));
                var peer = Http2Peer.of(serving)) {
            var reply = peer.whole(peer.get("/"));
            assertEquals(value, reply.header("x-long"));
            assertTrue(peer.got.log.contains(Http2Codes.CONTINUATION + " 1"), peer.got::toString);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cookies_in_crumbs_are_one_field(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> Response.ok(request.headers("cookie").toString()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/", "cookie", "a=b", "x", "y", "cookie", "c=d", "cookie", "e=f");
            assertEquals("[a=b; c=d; e=f]", peer.whole(id).text());
        }
    }

    // Errors of handlers.

    @ParameterizedTest
    @EnumSource
    void a_handler_that_throws_is_answered_with_500_and_others_go_on(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> switch (request.path()) {
            case "/broken" -> throw new IllegalStateException("secret");
            case "/gone" -> throw new HttpError(410, "gone");
            default -> Response.ok("fine");
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            var broken = peer.whole(peer.get("/broken"));
            assertEquals(500, broken.status);
            assertFalse(broken.text().contains("secret"));
            assertEquals(410, peer.whole(peer.get("/gone")).status);
            assertEquals("fine", peer.whole(peer.get("/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_that_breaks_is_reset_and_the_connection_goes_on(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> switch (request.path()) {
            case "/broken" ->
                Response.stream(200, out -> {
                    throw new IllegalStateException("broken");
                });
            case "/short" ->
                Response.stream(200, out -> {
                            out.writeUtf8("x");
                            return false;
                        })
                        .length(100);
            default -> Response.ok("fine");
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            assertEquals(Http2Codes.INTERNAL_ERROR, peer.resetCode(peer.get("/broken")));
            assertEquals(Http2Codes.INTERNAL_ERROR, peer.resetCode(peer.get("/short")));
            assertEquals("fine", peer.whole(peer.get("/")).text());
        }
    }

    // Who is told.

    @ParameterizedTest
    @EnumSource
    void a_listener_hears_of_each_request(Serving.Kind kind) throws Exception {
        var heard = new CompletableFuture<String>();
        var settings = HttpSettings.standard()
                .listener(served -> heard.complete(served.protocol() + " " + served.status() + " "
                        + served.requestBytes() + " "
                        + served.responseBytes() + " " + served.isComplete()
                        + served.request().map(io.millrace.http.Request::path).orElse("")));
        try (var serving = kind.serve(settings, io.millrace.http.server.Http.whole(100, r -> Response.ok("hello")));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/heard");
            peer.body(id, latin1("abc")).whole(id);
            assertEquals("HTTP/2.0 200 3 5 true/heard", heard.join());
        }
    }

    @ParameterizedTest
    @EnumSource(names = "EPOLL_.*", mode = EnumSource.Mode.MATCH_ALL)
    void the_access_log_has_the_version(Serving.Kind kind) throws IOException {
        var file = folder.resolve("access.log");
        try (var log = AccessLog.open(AccessLog.Format.COMMON, Optional.of(file));
                var serving = kind.serve(HttpSettings.standard().listener(log), request -> Response.ok("hello"));
                var peer = Http2Peer.of(serving)) {
            peer.whole(peer.get("/logged"));
        }
        var line = Files.readString(file);
        assertTrue(line.contains("\"GET /logged HTTP/2.0\" 200 5"), line);
    }

    @ParameterizedTest
    @EnumSource
    void both_versions_are_spoken_on_one_port(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var peer = Http2Peer.of(serving);
                var old = serving.connect()) {
            assertEquals("hello", old.get("/").read().text());
            assertEquals("hello", peer.whole(peer.get("/")).text());
            assertEquals("hello", old.get("/").read().text());
            assertEquals("hello", peer.whole(peer.get("/")).text());
        }
    }

    static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] random(int count) {
        var bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}
