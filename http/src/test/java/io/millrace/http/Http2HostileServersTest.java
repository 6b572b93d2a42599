package io.millrace.http;

import static io.millrace.http.raw.FrameText.CONTINUATION;
import static io.millrace.http.raw.FrameText.DATA;
import static io.millrace.http.raw.FrameText.END_HEADERS;
import static io.millrace.http.raw.FrameText.HEADERS;
import static io.millrace.http.raw.FrameText.NO_ERROR;
import static io.millrace.http.raw.FrameText.OK;
import static io.millrace.http.raw.FrameText.PING;
import static io.millrace.http.raw.FrameText.PUSH_PROMISE;
import static io.millrace.http.raw.FrameText.REFUSED_STREAM;
import static io.millrace.http.raw.FrameText.SETTINGS;
import static io.millrace.http.raw.FrameText.WINDOW_UPDATE;
import static io.millrace.http.raw.FrameText.data;
import static io.millrace.http.raw.FrameText.end;
import static io.millrace.http.raw.FrameText.field;
import static io.millrace.http.raw.FrameText.frame;
import static io.millrace.http.raw.FrameText.goAway;
import static io.millrace.http.raw.FrameText.headers;
import static io.millrace.http.raw.FrameText.int32;
import static io.millrace.http.raw.FrameText.read;
import static io.millrace.http.raw.FrameText.reset;
import static io.millrace.http.raw.FrameText.setting;
import static io.millrace.http.raw.FrameText.whole;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.raw.FrameText;
import io.millrace.net.NetException;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What a client of HTTP/2 makes of servers that are none of ours, and mean no good.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource(names = {"NIO", "EPOLL", "URING"})
class Http2HostileServersTest {
    private static final int MANY = 5_000;
    private static final int ACK = 1;
    private static final int PADDED = 8;
    private static final int PRIORITY = 2;

    private final TransportKind transport;
    private EventLoops loops;
    private HttpClient client;

    Http2HostileServersTest(TransportKind transport) {
        this.transport = transport;
    }

    @BeforeEach
    void a_client_knows_that_its_servers_speak_it() {
        loops = Serving.setup(transport).threads(1).start();
        client = HttpClient.of(
                ClientSettings.standard().loops(loops).connections(1).version(HttpVersion.HTTP_2));
    }

    @AfterEach
    void every_slab_comes_home() {
        // There is no io_uring here.
        if (loops == null) return;
        client.close();
        loops.close();
        for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse(), counters::toString);
    }

    private static void greet(ScriptedServer.Talk talk) throws IOException {
        talk.in.skipNBytes(FrameText.PREFACE.length());
        talk.send(FrameText.HELLO);
    }

    /// Reads until a frame of this type has come.
    ///
    /// @return its stream, or -1 if the client has ended, perhaps with a reset for what it has not read
    private static int await(ScriptedServer.Talk talk, int type) throws IOException {
        try {
            var next = read(talk.in);
            while (next.type() != type) next = read(talk.in);
            return next.stream();
        } catch (EOFException | SocketException _) {
            return -1;
        }
    }

    /// Sends this when the request is there.
    private static ScriptedServer answering(String frames) throws IOException {
        return ScriptedServer.start(talk -> {
            greet(talk);
            if (await(talk, HEADERS) < 0) return;
            talk.send(frames);
            talk.awaitEnd();
        });
    }

    private Response ask(ScriptedServer server) throws IOException {
        return client.send(Request.get(server.url("/")));
    }

    private CompletableFuture<Response> later(ScriptedServer server) {
        return client.sendAsync(Request.get(server.url("/")));
    }

    // What is no response.

    static List<String> malformedHeads() {
        return List.of(
                field("content-type", "text/plain"),
                field(":status", "20"),
                field(":status", "2000"),
                field(":status", "099"),
                field(":status", "+20"),
                OK + OK,
                OK + field(":path", "/"),
                OK + field(":unknown", "/"),
                field("a", "b") + OK,
                OK + field("Server", "capital"),
                OK + field("connection", "close"),
                OK + field("transfer-encoding", "chunked"),
                OK + field("a", "b\r\nc: d"),
                OK + field("a b", "c"),
                OK + field("content-length", "+1"),
                OK + field("content-length", "1") + field("content-length", "1"),
                field(":status", "101"));
    }

    @ParameterizedTest
    @MethodSource("malformedHeads")
    void a_malformed_head_fails_its_request(String head) throws IOException {
        try (var server = answering(whole(1, head))) {
            assertThrows(ProtocolError.class, () -> ask(server));
        }
    }

    static List<String> malformedBodies() {
        return List.of(
                end(1, "hello"),
                headers(1, OK + field("content-length", "4")) + end(1, "hello"),
                headers(1, OK + field("content-length", "6")) + end(1, "hello"),
                whole(1, OK + field("content-length", "5")),
                headers(1, "\u0089") + end(1, "hello"),
                headers(1, OK) + headers(1, field("a", "b")),
                headers(1, OK) + whole(1, OK),
                whole(1, field(":status", "103")),
                headers(1, OK) + frame(WINDOW_UPDATE, 0, 1, int32(Integer.MAX_VALUE)));
    }

    @ParameterizedTest
    @MethodSource("malformedBodies")
    void a_malformed_body_fails_its_request(String frames) throws IOException {
        try (var server = answering(frames)) {
            assertThrows(ProtocolError.class, () -> ask(server));
        }
    }

    static List<String> brokenConnections() {
        return List.of(
                frame(PUSH_PROMISE, END_HEADERS, 1, int32(2) + "\u0082\u0084\u0086"),
                reset(7, NO_ERROR),
                reset(2, NO_ERROR),
                headers(2, OK),
                headers(3, OK),
                frame(WINDOW_UPDATE, 0, 0, int32(Integer.MAX_VALUE)),
                frame(WINDOW_UPDATE, 0, 0, int32(0)),
                setting(2, 1),
                setting(5, 16_383),
                setting(5, 1 << 24),
                frame(16, 0, 0, int32(1) + "u=1"),
                frame(HEADERS, 0, 1, OK) + frame(DATA, 0, 1, "hello"),
                frame(CONTINUATION, END_HEADERS, 1, OK),
                headers(1, "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff"),
                frame(PING, 0, 0, "short"));
    }

    @ParameterizedTest
    @MethodSource("brokenConnections")
    void a_server_that_breaks_the_rules_loses_its_connection(String frames) throws IOException {
        try (var server = answering(frames)) {
            var error = assertThrows(CompletionException.class, later(server)::join);
            assertInstanceOf(ProtocolError.class, error.getCause());
        }
    }

    /// A head of several frames would never come to its end.
    @Test
    void a_server_that_permits_frames_of_no_bytes_loses_its_connection() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            talk.in.skipNBytes(FrameText.PREFACE.length());
            talk.send(setting(5, 0));
            talk.awaitEnd();
        })) {
            var request = Request.get(server.url("/")).addHeader("x", "y".repeat(20_000));
            assertThrows(ProtocolError.class, () -> client.send(request));
        }
    }

    @Test
    void a_server_that_does_not_begin_with_its_settings_is_none_of_HTTP2() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            talk.send(frame(SETTINGS, ACK, 0, "") + FrameText.HELLO);
            talk.awaitEnd();
        })) {
            var error = assertThrows(ProtocolError.class, () -> ask(server));
            Asking.assertSays("SETTINGS", error);
        }
    }

    @Test
    void a_server_that_does_not_speak_it_is_told_apart() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            talk.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
            talk.awaitEnd();
        })) {
            var error = assertThrows(ProtocolError.class, () -> ask(server));
            Asking.assertSays("SETTINGS", error);
        }
    }

    @Test
    void a_body_in_answer_to_head_is_malformed() throws IOException {
        try (var server = answering(headers(1, OK) + end(1, "hello"))) {
            assertThrows(ProtocolError.class, () -> client.send(Request.of("HEAD", server.url("/"), Bytes.EMPTY)));
        }
    }

    // Work without an end.

    static Stream<String> floods() {
        return Stream.of(
                frame(SETTINGS, 0, 0, "").repeat(MANY),
                frame(PING, 0, 0, "12345678").repeat(MANY),
                frame(77, 0, 0, "").repeat(MANY),
                frame(SETTINGS, ACK, 0, "").repeat(MANY),
                frame(SETTINGS, 0, 0, ("\0\4" + int32(1000)).repeat(2_000)).repeat(20),
                frame(PRIORITY, 0, 1, int32(3) + "x").repeat(MANY),
                goAway(Integer.MAX_VALUE, NO_ERROR).repeat(MANY),
                frame(WINDOW_UPDATE, 0, 0, int32(1)).repeat(MANY),
                headers(1, OK)
                        + frame(DATA, PADDED, 1, (char) 255 + "\0".repeat(255)).repeat(MANY),
                headers(1, OK) + frame(DATA, 0, 1, "").repeat(MANY),
                frame(HEADERS, 0, 1, OK) + frame(CONTINUATION, 0, 1, "").repeat(MANY),
                frame(HEADERS, 0, 1, OK)
                        + frame(CONTINUATION, 0, 1, "\u0090".repeat(16_000)).repeat(10),
                headers(1, OK + "\u0090".repeat(16_000)),
                // A field of 3 900 bytes enters the table, and is named again and again.
                headers(1, OK + "@\1a\u007f\u00bd\u001d" + "x".repeat(3_900) + "\u00be".repeat(10_000)));
    }

    @ParameterizedTest
    @MethodSource("floods")
    void a_flood_fails_the_request_and_is_counted(String frames) throws IOException {
        long before = acted();
        try (var server = answering(frames)) {
            assertThrows(ProtocolError.class, () -> ask(server));
        }
        assertTrue(acted() > before, "no guard has acted");
    }

    @Test
    void interim_responses_without_an_end_fail_the_request() throws IOException {
        try (var server = answering(headers(1, field(":status", "103")).repeat(MANY))) {
            assertThrows(ProtocolError.class, () -> ask(server));
        }
    }

    private static long acted() {
        return HttpGuards.HTTP2_WORK.count() + HttpGuards.CLIENT_HEAD.count() + HttpGuards.CLIENT_FIELDS.count();
    }

    // Refusals.

    @Test
    void a_request_that_was_not_processed_is_sent_once_more_whatever_its_method() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            int stream = await(talk, HEADERS);
            if (talk.number == 1) talk.send(goAway(0, NO_ERROR));
            else talk.send(headers(stream, OK) + end(stream, "hello"));
            talk.awaitEnd();
        })) {
            assertEquals(
                    "hello",
                    client.send(Request.post(server.url("/"), Bytes.utf8("body")))
                            .text());
            assertEquals(2, server.accepted());
        }
    }

    @Test
    void a_server_that_refuses_each_stream_is_asked_a_few_times() throws IOException {
        var asked = new AtomicInteger();
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            for (int stream = await(talk, HEADERS); stream > 0; stream = await(talk, HEADERS)) {
                asked.incrementAndGet();
                talk.send(reset(stream, REFUSED_STREAM));
            }
        })) {
            assertThrows(NetException.class, () -> ask(server));
            assertEquals(4, asked.get());
        }
    }

    @Test
    void a_server_that_permits_no_streams_gets_no_more_connections_and_the_request_when_it_does() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    greet(talk);
                    int refused = await(talk, HEADERS);
                    talk.send(setting(3, 0) + reset(refused, REFUSED_STREAM));
                    talk.send(frame(PING, 0, 0, "12345678"));
                    if (await(talk, PING) < 0) return;
                    talk.send(setting(3, 1));
                    for (int stream = await(talk, HEADERS); stream > 0; stream = await(talk, HEADERS))
                        talk.send(whole(stream, OK));
                });
                var roomy = HttpClient.of(ClientSettings.standard().loops(loops).version(HttpVersion.HTTP_2))) {
            assertEquals(200, roomy.send(Request.get(server.url("/"))).status());
            assertEquals(1, server.accepted());
        }
    }

    @Test
    void who_waits_for_a_server_that_permits_no_streams_gets_another_connection_when_it_goes_away() throws Exception {
        var permitsNone = new CompletableFuture<Boolean>();
        var waits = new CompletableFuture<Boolean>();
        var mayEnd = new CompletableFuture<Boolean>();
        try (var server = ScriptedServer.start(talk -> {
                    greet(talk);
                    int stream = await(talk, HEADERS);
                    if (talk.number == 1) {
                        talk.send(headers(stream, OK) + setting(3, 0) + frame(PING, 0, 0, "12345678"));
                        await(talk, PING);
                        permitsNone.complete(true);
                        waits.get(20, SECONDS);
                        talk.send(goAway(stream, NO_ERROR));
                        mayEnd.get(20, SECONDS);
                    }
                    talk.send((talk.number == 1 ? "" : headers(stream, OK)) + end(stream, "hello"));
                    talk.awaitEnd();
                });
                var roomy = HttpClient.of(ClientSettings.standard().loops(loops).version(HttpVersion.HTTP_2))) {
            var first = roomy.sendAsync(Request.get(server.url("/")));
            permitsNone.get(20, SECONDS);
            var second = roomy.sendAsync(Request.get(server.url("/")));
            loops.all().getFirst().execute(() -> waits.complete(true));
            assertEquals("hello", second.get(10, SECONDS).text());
            mayEnd.complete(true);
            assertEquals("hello", first.get(20, SECONDS).text());
        }
    }

    @Test
    void what_a_server_has_begun_before_it_goes_away_counts() throws IOException {
        try (var server = answering(headers(1, OK) + frame(DATA, 0, 1, "he") + goAway(1, NO_ERROR) + end(1, "llo"))) {
            assertEquals("hello", ask(server).text());
        }
    }

    @Test
    void a_complete_response_counts_though_the_rest_of_the_request_is_not_wanted() throws IOException {
        try (var server = answering(headers(1, OK) + end(1, "hello") + reset(1, NO_ERROR))) {
            var request = Request.of("PUT", server.url("/"), Bytes.of(new byte[500_000]));
            assertEquals("hello", client.send(request).text());
        }
    }

    @Test
    void an_upload_ends_when_the_response_is_there_and_the_rest_is_not_wanted() throws Exception {
        var isClosed = new CompletableFuture<Boolean>();
        var endless = new BodyWriter() {
            @Override
            public boolean write(Output out) {
                out.write(new byte[8192], 0, 8192);
                return true;
            }

            @Override
            public void onClose() {
                isClosed.complete(true);
            }
        };
        try (var server = answering(headers(1, OK) + end(1, "hello") + reset(1, NO_ERROR))) {
            var request = Request.post(server.url("/"), endless);
            boolean hasEnded = client.send(
                    request, (_, _) -> isClosed.orTimeout(20, SECONDS).join());
            assertTrue(hasEnded);
        }
    }

    @Test
    void answered_requests_leave_though_the_connections_window_stays_shut() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            talk.send(setting(3, 2) + setting(4, 1 << 20));
            for (int stream = await(talk, HEADERS); stream > 0; stream = await(talk, HEADERS))
                talk.send(whole(stream, OK));
        })) {
            for (int i = 0; i < 6; i++) {
                var request = Request.post(server.url("/"), Bytes.of(new byte[60_000]));
                assertEquals(200, client.send(request).status());
            }
        }
    }

    @Test
    void no_more_streams_are_open_than_the_server_permits() throws Exception {
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            talk.send(setting(3, 1));
            for (int stream = await(talk, HEADERS); stream > 0; stream = await(talk, HEADERS)) {
                talk.send(frame(PING, 0, 0, "12345678"));
                for (var next = read(talk.in); next.type() != PING; next = read(talk.in))
                    assertNotEquals(HEADERS, next.type(), "another stream");
                talk.send(whole(stream, OK));
            }
        })) {
            assertEquals(200, ask(server).status());
            var all = new ArrayList<CompletableFuture<Response>>();
            for (int i = 0; i < 5; i++) all.add(later(server));
            for (var one : all) assertEquals(200, one.get().status());
        }
    }

    /// Takes a record, and then only what is a whole one.
    private static final class TwoRecords implements ResponseReader<Integer> {
        private final CompletableFuture<Boolean> hasBegun = new CompletableFuture<>();
        private final int secondBytes;
        private int taken;

        TwoRecords(int secondBytes) {
            this.secondBytes = secondBytes;
        }

        @Override
        public void onHead(Response head) {}

        @Override
        public void onBody(Input part) {
            int length = taken == 0 ? 25_000 : secondBytes;
            if (part.remaining() < length) return;
            part.skip(length);
            taken += length;
            hasBegun.complete(true);
        }

        @Override
        public Integer onEnd() {
            return taken;
        }
    }

    /// A window that is open when a record is taken is no reason to leave it shut later.
    @Test
    void a_reader_that_takes_nothing_of_what_came_last_gets_more() throws IOException {
        var records = new TwoRecords(60_000);
        var half = data(1, "x".repeat(16_000)).repeat(2);
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            await(talk, HEADERS);
            talk.send(headers(1, OK) + half);
            records.hasBegun.join();
            talk.send(half + data(1, "x".repeat(1_535)));
            read(talk.in, WINDOW_UPDATE, 1);
            talk.send(data(1, "x".repeat(16_000)) + end(1, "x".repeat(3_465)));
            talk.awaitEnd();
        })) {
            assertEquals(
                    85_000,
                    client.sendAsync(Request.get(server.url("/")), records).join());
        }
    }

    @Test
    void a_reader_that_leaves_more_than_the_input_limit_fails_at_once() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
            greet(talk);
            await(talk, HEADERS);
            talk.send(headers(1, OK) + data(1, "x".repeat(13_107)).repeat(5));
            read(talk.in, WINDOW_UPDATE, 1);
            talk.send(data(1, "x".repeat(12_500)).repeat(2) + data(1, "x"));
            talk.awaitEnd();
        })) {
            var answer = client.sendAsync(Request.get(server.url("/")), new TwoRecords(100_000));
            var thrown = assertThrows(CompletionException.class, answer::join);
            assertInstanceOf(Overloaded.class, thrown.getCause());
        }
    }
}
