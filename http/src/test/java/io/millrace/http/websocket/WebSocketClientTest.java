package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
