package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.ClientFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// WebSockets of a client, over either version, whose server is ours.
class WebSocketClientTest {
    private static final HttpHandler ECHO = request -> request.path().equals("/")
            ? WebSocket.accept(request, socket -> text -> socket.send(text))
            : Response.status(404);

    private static HttpClient client(Serving serving, HttpVersion version) {
        return HttpClient.of(ClientSettings.standard().loops(serving.loops()).version(version));
    }

    /// Keeps what comes.
    private record Kept(LinkedBlockingQueue<String> got, CompletableFuture<String> end) implements WebSocketHandler {
        Kept() {
            this(new LinkedBlockingQueue<>(), new CompletableFuture<>());
        }

        @Override
        public void onText(String text) {
            got.add(text);
        }

        @Override
        public void onClose(int code, String reason) {
            end.complete((code + " " + reason).strip());
        }
    }

    private static void assertEchoes(Serving.Kind kind, HttpVersion version) throws Exception {
        try (var serving = kind.serve(ECHO);
                var client = client(serving, version)) {
            var kept = new Kept();
            var socket = WebSocket.connect(client, Request.get(serving.url("/")), _ -> kept)
                    .get(20, TimeUnit.SECONDS);
            var long_ = "äß€😀".repeat(50_000);
            socket.send("hello");
            socket.send(long_);
            for (int i = 0; i < 100; i++) socket.send("m" + i);
            assertEquals("hello", kept.got.poll(20, TimeUnit.SECONDS));
            assertEquals(long_, kept.got.poll(20, TimeUnit.SECONDS));
            for (int i = 0; i < 100; i++) assertEquals("m" + i, kept.got.poll(20, TimeUnit.SECONDS));
            socket.close();
            assertEquals("1000", kept.end.get(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void messages_are_echoed_over_http1(Serving.Kind kind) throws Exception {
        assertEchoes(kind, HttpVersion.HTTP_1_1);
    }

    @ParameterizedTest
    @EnumSource
    void messages_are_echoed_over_http2(Serving.Kind kind) throws Exception {
        assertEchoes(kind, HttpVersion.HTTP_2);
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_refuses_says_with_what(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(ECHO);
                var client = client(serving, HttpVersion.HTTP_1_1)) {
            var asked = WebSocket.connect(client, Request.get(serving.url("/other")), _ -> new Kept());
            var failed = assertThrows(ExecutionException.class, () -> asked.get(20, TimeUnit.SECONDS));
            var refused = assertInstanceOf(WebSocketRefused.class, failed.getCause());
            assertEquals(404, refused.status());
        }
    }

    // Direct style.

    @ParameterizedTest
    @EnumSource
    void a_thread_talks_to_a_server(HttpVersion version) throws Exception {
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = client(serving, version);
                var socket = BlockingWebSocket.connect(client, uri(serving, "/"))) {
            for (int i = 0; i < 100; i++) {
                socket.send("m" + i);
                assertEquals("m" + i, socket.receive());
            }
            socket.close(4000, "enough");
            assertEquals(
                    4000, assertThrows(WebSocketClosed.class, socket::receive).code());
            assertThrows(WebSocketClosed.class, () -> socket.send("late"));
        }
    }

    @Test
    void a_thread_is_told_that_the_server_refuses_and_that_there_is_none() throws Exception {
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = client(serving, HttpVersion.HTTP_1_1)) {
            var refused = assertThrows(
                    WebSocketRefused.class, () -> BlockingWebSocket.connect(client, uri(serving, "/other")));
            assertEquals(404, refused.status());
            serving.server().close();
            assertThrows(Refused.class, () -> BlockingWebSocket.connect(client, uri(serving, "/")));
        }
    }

    @Test
    void a_loop_must_not_wait_for_a_socket() throws Exception {
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = client(serving, HttpVersion.HTTP_1_1)) {
            var thrown = new CompletableFuture<Throwable>();
            serving.loops().next().execute(() -> {
                try {
                    BlockingWebSocket.connect(client, uri(serving, "/")).close();
                } catch (Exception e) {
                    thrown.complete(e);
                }
            });
            assertInstanceOf(IllegalStateException.class, thrown.get(20, TimeUnit.SECONDS));
        }
    }

    // URIs.

    private static String uri(Serving serving, String path) {
        return serving.url(path).replace("http://", "ws://");
    }

    @ParameterizedTest
    @CsvSource({
        "ws://a.example/chat?room=1, http://a.example/chat?room=1",
        "WSS://a.example:8443, https://a.example:8443",
        "https://a.example/, https://a.example/"
    })
    void a_uri_names_a_request(String uri, String target) {
        assertEquals(Request.get(target).toString(), WebSocket.request(uri).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://a.example/", "/chat", "ws://a.example/#top", ""})
    void a_uri_of_another_kind_is_refused(String uri) {
        assertThrows(IllegalArgumentException.class, () -> WebSocket.request(uri));
    }

    // Filters.

    private static final HttpHandler NAMED = request -> WebSocket.accept(
            request,
            socket -> text -> socket.send(text + request.header("X-Name").orElse("nobody")));

    private static final ClientFilter ADDS_FIELD = (request, next) -> next.send(request.setHeader("X-Name", "me"));

    /// Decides later, on another thread.
    private static final class Slow implements ClientFilter {
        private final List<Integer> statuses = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<Response> send(Request request, Rest next) {
            return next.send(request)
                    .thenCompose(head -> next.delay(Duration.ofMillis(20)).thenApply(_ -> head))
                    .whenComplete((head, _) -> statuses.add(head.status()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void filters_stand_around_a_handshake(HttpVersion version) throws Exception {
        var slow = new Slow();
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(NAMED);
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .version(version)
                        .timeout(Duration.ofSeconds(2))
                        .filter(ADDS_FIELD)
                        .filter(slow)
                        .filter((request, next) -> next.send(request)));
                var socket = BlockingWebSocket.connect(client, uri(serving, "/"))) {
            socket.send("it is ");
            assertEquals("it is me", socket.receive());
            assertEquals(List.of(101), slow.statuses);
        }
    }

    @Test
    void a_filter_sees_that_a_server_refuses() throws Exception {
        var slow = new Slow();
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = HttpClient.of(
                        ClientSettings.standard().loops(serving.loops()).filter(slow))) {
            assertThrows(WebSocketRefused.class, () -> BlockingWebSocket.connect(client, uri(serving, "/other")));
            assertEquals(List.of(404), slow.statuses);
        }
    }

    /// As a retry does.
    @ParameterizedTest
    @EnumSource
    void of_two_sockets_that_a_filter_asks_for_the_last_one_is_the_callers(HttpVersion version) throws Exception {
        ClientFilter twice = (request, next) -> next.send(request).thenCompose(_ -> next.send(request));
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .version(version)
                        .filter(twice));
                var socket = BlockingWebSocket.connect(client, uri(serving, "/"))) {
            socket.send("hello");
            assertEquals("hello", socket.receive());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void a_server_that_stops_says_so_in_either_version(HttpVersion version) throws Exception {
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var client = client(serving, version)) {
            var all = new ArrayList<Kept>();
            for (int i = 0; i < 5; i++) {
                var kept = new Kept();
                var _ = WebSocket.connect(client, Request.get(serving.url("/")), _ -> kept)
                        .get(20, TimeUnit.SECONDS);
                all.add(kept);
            }
            assertTrue(serving.server().drain(Duration.ofSeconds(20)));
            for (var kept : all) assertEquals("1001 the server stops", kept.end.get(20, TimeUnit.SECONDS));
        }
    }
}
