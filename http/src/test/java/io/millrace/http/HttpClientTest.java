package io.millrace.http;

import static io.millrace.http.ZeroBodies.zeros;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.net.Overloaded;
import io.millrace.testing.InNativeCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A client and a server of ours, on the same loops.
class HttpClientTest {
    /// What a large body is sent back by, as it arrives.
    private static final HttpHandler ECHO = request -> Response.duplex(200, (part, out) -> out.move(part));

    /// Of all clients here.
    ClientSettings settings() {
        return ClientSettings.standard();
    }

    private HttpClient client(EventLoops loops) {
        return HttpClient.of(settings().loops(loops));
    }

    @Test
    void a_client_does_not_start_without_what_was_set_and_dropped() {
        var settings = ClientSettings.standard();
        var _ = settings.redirects(5);
        var refusal = assertThrows(IllegalStateException.class, () -> HttpClient.of(settings));
        assertTrue(refusal.toString().contains("what redirects(…) returned"), refusal::toString);
    }

    @Test
    void a_setting_that_was_refused_leaves_the_others_as_they_were() {
        var settings = ClientSettings.standard();
        assertThrows(IllegalArgumentException.class, () -> settings.timeout(Duration.ofSeconds(-1)));
        HttpClient.of(settings).close();
    }

    @ParameterizedTest
    @EnumSource
    void a_response_comes_with_status_fields_and_body(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request ->
                        Response.ok(request.path() + "?" + request.query()).addHeader("X-Mine", "yes"));
                var client = client(serving.loops())) {
            var response = client.send(Request.get(serving.url("/a/b?c=d")));
            assertEquals(200, response.status());
            assertEquals("/a/b?c=d", response.text());
            assertEquals("yes", response.header("x-mine").orElseThrow());
            assertEquals("8", response.header("content-length").orElseThrow());
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_asks_one_thing_after_the_other_has_one_connection(Serving.Kind kind) throws IOException {
        var peers = ConcurrentHashMap.newKeySet();
        try (var serving = kind.serve(request -> {
                    peers.add(request.remote());
                    return Response.ok("hello");
                });
                var client = client(serving.loops())) {
            for (int i = 0; i < 50; i++)
                assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
            assertEquals(1, peers.size());
        }
    }

    /// Below native code a thread cannot leave its loop, which is to bring the response.
    @ParameterizedTest
    @EnumSource
    void a_wait_that_would_stop_the_loop_throws_and_the_call_is_given_up(TransportKind transport) throws IOException {
        try (var loops = Serving.setup(transport).threads(1).earnAfter(0).start();
                var client = client(loops);
                var server = AnyDispatch.serve(Serving.free(loops), Dispatch.virtual(), request -> {
                    if (request.path().equals("/")) return Response.ok("hello");
                    var here = Request.get("http://" + request.header("host").orElseThrow() + "/");
                    return Response.ok(String.valueOf(InNativeCall.run(() -> client.send(here))));
                })) {
            var url = "http://127.0.0.1:" + server.port();
            // The first native call links it, which may take longer than a loop waits for a thread.
            assertNull(InNativeCall.run(() -> {}));
            var told = client.send(Request.get(url + "/deep")).text();
            assertTrue(told.contains("a thread waited for GET ") && told.contains("called by native code"), told);
            assertEquals("hello", client.send(Request.get(url + "/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_of_any_length_is_sent_and_comes_back(Serving.Kind kind) throws IOException {
        var limits = HttpLimits.standard().bodyBytes(20_000_000);
        try (var serving = kind.serve(ECHO);
                var client = HttpClient.of(settings().loops(serving.loops()).limits(limits))) {
            for (int length : new int[] {0, 1, 1023, 1024, 65_536, 65_537, 300_000, 9_000_000}) {
                var sent = new byte[length];
                new Random(length).nextBytes(sent);
                var response = client.send(Request.post(serving.url("/"), Bytes.of(sent)));
                assertArrayEquals(sent, response.body().toArray());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void responses_without_a_body_leave_the_connection_in_order(Serving.Kind kind) throws IOException {
        var peers = ConcurrentHashMap.newKeySet();
        try (var serving = kind.serve(request -> {
                    peers.add(request.remote());
                    return switch (request.path()) {
                        case "/204" -> Response.status(204);
                        case "/304" -> Response.status(304);
                        default -> Response.ok("hello");
                    };
                });
                var client = client(serving.loops())) {
            var head = client.send(Request.of("HEAD", serving.url("/"), Bytes.EMPTY));
            assertEquals("5", head.header("Content-Length").orElseThrow());
            assertEquals("", head.text());
            assertEquals(204, client.send(Request.get(serving.url("/204"))).status());
            assertEquals(304, client.send(Request.get(serving.url("/304"))).status());
            assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
            assertEquals(1, peers.size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_gets_a_body_that_fits_no_memory(Serving.Kind kind) throws IOException {
        long length = 30_000_000;
        try (var serving = kind.serve(request -> Response.stream(200, zeros(length)));
                var client = client(serving.loops())) {
            for (int i = 0; i < 2; i++) {
                long read = client.send(Request.get(serving.url("/")), (head, body) -> {
                    assertTrue(head.header("Content-Length").isEmpty());
                    return body.transferTo(java.io.OutputStream.nullOutputStream());
                });
                assertEquals(length, read);
            }
        }
    }

    /// As long as its connection is kept, no other request has it.
    @ParameterizedTest
    @EnumSource
    void what_a_reader_leaves_out_is_not_waited_for(Serving.Kind kind) throws Exception {
        var isLeft = new CountDownLatch(1);
        try (var serving = kind.serve(request -> Response.events(stream -> {
                    stream.onClose(isLeft::countDown);
                    stream.send("first");
                }));
                var client = client(serving.loops())) {
            var request = Request.get(serving.url("/")).timeout(Duration.ZERO);
            int first = client.send(request, (_, body) -> body.read());
            assertEquals('d', first);
            assertTrue(isLeft.await(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_reader_leaves_out_is_nobodys(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> request.path().equals("/long")
                        ? Response.stream(200, zeros(5_000_000))
                        : Response.stream(200, zeros(20_000)));
                var client = client(serving.loops())) {
            for (var path : new String[] {"/", "/long", "/", "/long", "/"}) {
                int first = client.send(Request.get(serving.url(path)), (_, body) -> body.read());
                assertEquals(0, first);
            }
            assertEquals(20_000, client.send(Request.get(serving.url("/")), (_, body) -> body.readAllBytes()).length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_reader_throws_is_the_callers(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving.loops())) {
            var request = Request.get(serving.url("/"));
            var mine = new IOException("mine");
            assertEquals(
                    mine,
                    assertThrows(
                            IOException.class,
                            () -> client.send(request, (_, _) -> {
                                throw mine;
                            })));
            assertEquals("hello", client.send(request).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_was_lent_cannot_be_read_later(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving.loops())) {
            var kept = client.send(Request.get(serving.url("/")), (_, body) -> body);
            assertThrows(IOException.class, kept::read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void many_ask_at_once_over_few_connections(Serving.Kind kind) throws IOException {
        var peers = ConcurrentHashMap.newKeySet();
        try (var serving = kind.serve(request -> {
                    peers.add(request.remote());
                    return Response.ok(request.query());
                });
                var client = HttpClient.of(settings().loops(serving.loops()).connections(3))) {
            var answers = new ArrayList<CompletableFuture<Response>>();
            for (int i = 0; i < 500; i++) {
                answers.add(client.sendAsync(Request.get(serving.url("/?" + i))).toCompletableFuture());
            }
            for (int i = 0; i < 500; i++)
                assertEquals("" + i, answers.get(i).join().text());
            assertTrue(peers.size() <= 3, peers.size() + " connections");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_on_the_loop_gets_the_body_as_it_arrives(Serving.Kind kind) throws IOException {
        long length = 5_000_000;
        try (var serving = kind.serve(
                        request -> Response.stream(200, zeros(length)).length(length));
                var client = client(serving.loops())) {
            var counted = client.sendAsync(Request.get(serving.url("/")), new Counting());
            assertEquals(length, counted.toCompletableFuture().join());
        }
    }

    private static class Counting implements ResponseReader<Long> {
        private long count = -1;

        @Override
        public void onHead(Response head) {
            count = 0;
        }

        @Override
        public void onBody(Input part) {
            count += part.remaining();
            part.skip(part.remaining());
        }

        @Override
        public Long onEnd() {
            return count;
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_reader_on_the_loop_throws_is_the_result(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving.loops())) {
            var aborted = new AtomicInteger();
            var mine = new IllegalArgumentException("mine");
            var result = client.sendAsync(Request.get(serving.url("/")), new ResponseReader<String>() {
                @Override
                public void onHead(Response head) {
                    throw mine;
                }

                @Override
                public void onBody(Input part) {
                    throw new AssertionError("there is no body");
                }

                @Override
                public String onEnd() {
                    throw new AssertionError("there is no end");
                }

                @Override
                public void onAbort() {
                    aborted.incrementAndGet();
                }
            });
            var thrown = assertThrows(
                    Exception.class, () -> result.toCompletableFuture().join());
            assertEquals(mine, thrown.getCause());
            assertEquals(1, aborted.get());
            assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_asks_another_server_on_its_own_loop(Serving.Kind kind) throws IOException {
        try (var backend = kind.serve(request -> Response.ok("behind " + request.path()));
                var client = client(backend.loops());
                var front = Http.listen(
                        io.millrace.Listen.on(
                                        new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0))
                                .loops(backend.loops()),
                        request -> Response.later(client.sendAsync(Request.get(backend.url(request.path())))))) {
            var url = "http://127.0.0.1:" + front.port();
            for (int i = 0; i < 20; i++) {
                var response = client.send(Request.get(url + "/" + i));
                assertEquals("behind /" + i, response.text());
                assertEquals(1, response.headers().all("Date").size());
                assertEquals(1, response.headers().all("Content-Length").size());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_virtual_thread_may_wait_on_a_loop_of_the_client(Serving.Kind kind) throws IOException {
        try (var backend = kind.serve(request -> Response.ok("behind " + request.path()));
                var client = client(backend.loops());
                var front = AnyDispatch.serve(
                        io.millrace.Listen.on(
                                        new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0))
                                .loops(backend.loops()),
                        Dispatch.virtual(),
                        request -> Response.ok(client.send(
                                Request.get(backend.url(request.path())),
                                (_, body) ->
                                        new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))))) {
            var url = "http://127.0.0.1:" + front.port();
            for (int i = 0; i < 20; i++)
                assertEquals(
                        "behind /" + i, client.send(Request.get(url + "/" + i)).text());
        }
    }

    /// Its connections would wait for somebody else's server, up to the client's timeout.
    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void a_loop_cannot_wait_for_another_loop_either(Serving.Kind kind) throws IOException {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = HttpClient.create();
                var serving = kind.serve(request -> {
                    var asked = Request.get("http://127.0.0.1:" + silent.getLocalPort() + "/");
                    var whole = assertThrows(IllegalStateException.class, () -> client.send(asked));
                    var lent = assertThrows(
                            IllegalStateException.class, () -> client.send(asked, (_, body) -> body.readAllBytes()));
                    return Response.ok(whole.getMessage() + "; " + lent.getMessage());
                })) {
            var said = client.send(Request.get(serving.url("/"))).text();
            assertEquals(2, said.split("sendAsync\\(…\\)", -1).length - 1, said);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void a_loop_cannot_wait_for_itself(Serving.Kind kind) throws IOException {
        var asked = new CompletableFuture<HttpClient>();
        try (var serving = kind.serve(request -> {
                    var thrown = assertThrows(
                            IllegalStateException.class, () -> asked.join().send(Request.get("http://127.0.0.1:1/")));
                    return Response.ok(String.valueOf(thrown.getMessage()));
                });
                var client = client(serving.loops())) {
            asked.complete(client);
            assertTrue(client.send(Request.get(serving.url("/"))).text().contains("sendAsync(…)"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void redirects_and_errors_are_responses(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request ->
                        request.path().equals("/moved") ? Response.redirect("/there") : Response.status(503));
                var client = client(serving.loops())) {
            var moved = client.send(Request.get(serving.url("/moved")));
            assertEquals(302, moved.status());
            assertEquals("/there", moved.header("Location").orElseThrow());
            assertEquals(503, client.send(Request.get(serving.url("/"))).status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_longer_than_the_limit_is_refused(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> Response.ok("x".repeat(request.path().length())));
                var client = HttpClient.of(settings()
                        .loops(serving.loops())
                        .limits(HttpLimits.standard().bodyBytes(10)))) {
            assertEquals(
                    10,
                    client.send(Request.get(serving.url("/234567890"))).body().length());
            var request = Request.get(serving.url("/2345678901"));
            var thrown = assertThrows(Overloaded.class, () -> client.send(request));
            Asking.assertSays("http.client.body", thrown);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_is_closed_fails_what_waits_and_takes_no_more(Serving.Kind kind) throws Exception {
        var arrived = new CountDownLatch(1);
        try (var serving = kind.serve(request -> {
            arrived.countDown();
            return Response.later(new CompletableFuture<>());
        })) {
            var client = client(serving.loops());
            var request = Request.get(serving.url("/"));
            var answer = client.sendAsync(request).toCompletableFuture();
            arrived.await();
            client.close();
            var thrown = assertThrows(Exception.class, answer::join);
            Asking.assertSays("this client was closed", thrown);
            assertThrows(IllegalStateException.class, () -> client.sendAsync(request));
        }
    }

    @Test
    void loops_that_end_before_the_client_leave_nobody_waiting() throws Exception {
        var arrived = new CountDownLatch(1);
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> {
                    arrived.countDown();
                    return Response.later(new CompletableFuture<>());
                });
                var asking = Asking.start(setup -> setup.connections(1))) {
            var answers = new ArrayList<CompletableFuture<Response>>();
            for (int i = 0; i < 5; i++) {
                answers.add(
                        asking.client().sendAsync(Request.get(serving.url("/"))).toCompletableFuture());
            }
            arrived.await();
            asking.loops().close();
            for (var answer : answers) assertThrows(Exception.class, answer::join);
            assertThrows(IOException.class, () -> asking.get(serving.url("/")));
        }
    }

    @Test
    void a_connect_that_loops_share_is_refused_or_works() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> Response.ok("hello"))) {
            var shared = io.millrace.Connect.to("127.0.0.1", serving.server().port());
            try (var asking = Asking.start(4, setup -> setup.connect(_ -> shared))) {
                var answers = new ArrayList<CompletableFuture<Response>>();
                for (int i = 0; i < 200; i++) {
                    answers.add(asking.client()
                            .sendAsync(Request.get(serving.url("/")))
                            .toCompletableFuture());
                }
                for (var answer : answers) {
                    var text = answer.handle((response, failure) -> failure == null ? response.text() : "refused");
                    assertTrue(List.of("hello", "refused").contains(text.join()));
                }
            }
        }
    }

    @Test
    void a_reader_on_the_loop_that_leaves_the_end_unread_fails() throws IOException {
        try (var server = ScriptedServer.start(talk -> {
                    if (talk.hasRequest()) {
                        talk.send(
                                talk.number == 1
                                        ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                                        : "HTTP/1.1 200 OK\r\n\r\nhello");
                    }
                });
                var asking = Asking.start()) {
            for (int i = 0; i < 2; i++) {
                var result = asking.client().sendAsync(Request.get(server.url("/")), new Counting() {
                    @Override
                    public void onBody(Input part) {
                        part.skip(Math.min(3, part.remaining()));
                    }
                });
                var thrown = assertThrows(
                        Exception.class, () -> result.toCompletableFuture().join());
                assertTrue(thrown.getCause() instanceof IllegalStateException, thrown::toString);
            }
        }
    }

    @Test
    void a_client_of_its_own_ends_with_its_loops() throws Exception {
        var arrived = new CountDownLatch(1);
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> {
            if (request.path().equals("/now")) return Response.ok("hello");
            arrived.countDown();
            return Response.later(new CompletableFuture<>());
        })) {
            var client = HttpClient.create();
            assertEquals("hello", client.send(Request.get(serving.url("/now"))).text());
            var answer = client.sendAsync(Request.get(serving.url("/"))).toCompletableFuture();
            arrived.await();
            client.close();
            assertThrows(Exception.class, answer::join);
        }
    }

    @Test
    void who_is_interrupted_gives_up() throws Exception {
        var arrived = new CountDownLatch(1);
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> {
                    arrived.countDown();
                    return Response.later(new CompletableFuture<>());
                });
                var asking = Asking.start()) {
            var thrown = new CompletableFuture<Throwable>();
            var caller = Thread.ofVirtual().start(() -> {
                try {
                    asking.get(serving.url("/"));
                } catch (Throwable e) {
                    thrown.complete(e);
                }
            });
            arrived.await();
            caller.interrupt();
            assertEquals(java.io.InterruptedIOException.class, thrown.get().getClass());
        }
    }

    @Test
    void many_threads_share_a_client() throws Exception {
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> Response.ok(request.query()));
                var asking = Asking.start(2, setup -> setup.connections(5))) {
            var wrong = new AtomicInteger();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 20; i++) {
                int number = i;
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int j = 0; j < 50; j++) {
                        try {
                            var text = asking.get(serving.url("/?" + number + "." + j))
                                    .text();
                            if (!text.equals(number + "." + j)) wrong.incrementAndGet();
                        } catch (IOException e) {
                            wrong.incrementAndGet();
                        }
                    }
                }));
            }
            for (var thread : threads) thread.join();
            assertEquals(0, wrong.get());
            assertTrue(asking.connections() <= 5, () -> asking.connections() + " connections");
        }
    }

    @Test
    void a_request_can_be_sent_to_another_address() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serve(
                        request -> Response.ok(request.header("Host").orElse("?")));
                var asking = Asking.start(setup -> setup.connect(host -> {
                    assertEquals("example.org", host.getHostString());
                    assertEquals(80, host.getPort());
                    return io.millrace.Connect.to("127.0.0.1", serving.server().port());
                }))) {
            assertEquals("example.org", asking.get("http://example.org/").text());
        }
    }

    @Test
    void what_may_not_be_sent_is_refused_before() {
        try (var asking = Asking.start()) {
            var client = asking.client();
            var request = Request.get("http://127.0.0.1:1/");
            for (var name : new String[] {
                "Content-Length", "transfer-encoding", "Connection", "Keep-Alive", "Expect", "Upgrade", "TE", "Host"
            }) {
                var thrown =
                        assertThrows(IllegalArgumentException.class, () -> client.send(request.addHeader(name, "1")));
                Asking.assertSays("leave it out", thrown);
            }
            for (var without :
                    new Request[] {Request.get("/"), Request.of("CONNECT", "http://127.0.0.1:1/", Bytes.EMPTY)}) {
                assertThrows(IllegalArgumentException.class, () -> client.sendAsync(without));
            }
            assertThrows(IllegalArgumentException.class, () -> request.timeout(java.time.Duration.ofSeconds(-1)));
        }
    }

    /// Its Host field is what the peer says, and nobody to be asked for that reason.
    @Test
    void a_copy_of_what_a_peer_sent_has_no_destination() throws IOException {
        try (var asking = Asking.start();
                var serving = Serving.Kind.NIO_LOOP.serve(request -> {
                    var copy = request.addHeader("X", "y");
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> asking.client().sendAsync(copy));
                    return Response.ok("refused");
                })) {
            assertEquals("refused", asking.get(serving.url("/")).text());
        }
    }

    @Test
    void a_request_is_sent_as_it_was_made() throws IOException {
        var heads = new ArrayList<String>();
        try (var server = ScriptedServer.start(talk -> {
                    while (talk.hasRequest()) {
                        heads.add(talk.last);
                        talk.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    }
                });
                var asking = Asking.start()) {
            var host = server.url("").substring(7);
            asking.get(server.url("/a//b/../c?d=%20"));
            asking.client()
                    .send(Request.post(server.url("?q"), Bytes.utf8("hello")).addHeader("X-Mine", "1"));
            asking.client().send(Request.post(server.url("/"), Bytes.EMPTY));
            assertEquals("GET /a/c?d=%20 HTTP/1.1\r\nHost: " + host + "\r\n\r\n", heads.get(0));
            assertEquals(
                    "POST /?q HTTP/1.1\r\nHost: " + host + "\r\nX-Mine: 1\r\nContent-Length: 5\r\n\r\n", heads.get(1));
            assertEquals("POST / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", heads.get(2));
        }
    }
}
