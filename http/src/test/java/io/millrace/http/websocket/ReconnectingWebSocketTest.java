package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.codec.ReconnectSettings;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.Backoff;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// WebSockets of a client that are opened again, over real sockets.
@Timeout(60)
class ReconnectingWebSocketTest {
    private static final ReconnectSettings SOON =
            ReconnectSettings.standard().backoff(Backoff.of(Duration.ofMillis(1), Duration.ofMillis(10)));

    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<WebSocket> served = new LinkedBlockingQueue<>();
    private final AtomicInteger attempts = new AtomicInteger();

    /// Keeps sockets; refuses every second attempt, and those without a token.
    private Response serve(Request request) {
        if (request.parameter("attempt").isEmpty()) return Response.status(401);
        if (Integer.parseInt(request.parameter("attempt").get()) % 2 == 1) return Response.status(503);
        return WebSocket.accept(request, socket -> {
            served.add(socket);
            return socket::send;
        });
    }

    private ReconnectingWebSocket open(Serving serving, HttpClient client, ReconnectSettings settings) {
        return ReconnectingWebSocket.start(
                client,
                serving.loops().next(),
                () -> Request.get(serving.url("/?attempt=" + attempts.getAndIncrement())),
                WebSocketSettings.standard(),
                settings,
                (socket, before) -> {
                    socket.send("socket " + before.times());
                    return heard::add;
                });
    }

    private String next() throws InterruptedException {
        return String.valueOf(heard.poll(20, TimeUnit.SECONDS));
    }

    private void assertComesBack(Serving.Kind kind, HttpVersion version) throws Exception {
        HttpHandler handler = this::serve;
        try (var serving = kind.serve(handler);
                var client = HttpClient.of(
                        ClientSettings.standard().loops(serving.loops()).version(version));
                var feed = open(serving, client, SOON)) {
            assertEquals("socket 0", next());
            for (int i = 1; i <= 5; i++) {
                served.take().abort();
                assertEquals("socket " + i, next());
            }
            feed.send("hello");
            assertEquals("hello", next());
            served.take().close(4000, "enough");
            assertEquals("socket 6", next());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_socket_that_was_lost_or_refused_is_opened_again_over_http1(Serving.Kind kind) throws Exception {
        assertComesBack(kind, HttpVersion.HTTP_1_1);
    }

    @ParameterizedTest
    @EnumSource
    void a_socket_that_was_lost_or_refused_is_opened_again_over_http2(Serving.Kind kind) throws Exception {
        assertComesBack(kind, HttpVersion.HTTP_2);
    }

    @ParameterizedTest
    @EnumSource
    void a_socket_whose_handler_has_thrown_is_opened_again(Serving.Kind kind) throws Exception {
        HttpHandler greets = request -> WebSocket.accept(request, socket -> {
            socket.send("hello");
            return _ -> {};
        });
        try (var serving = kind.serve(greets);
                var client = HttpClient.on(serving.loops());
                var _ = ReconnectingWebSocket.start(
                        client,
                        serving.loops().next(),
                        () -> Request.get(serving.url("/")),
                        WebSocketSettings.standard(),
                        SOON,
                        (_, before) -> text -> {
                            heard.add(text + " " + before.times());
                            throw new IllegalStateException("a test");
                        })) {
            assertEquals("hello 0", next());
            assertEquals("hello 1", next());
            assertEquals("hello 2", next());
        }
    }

    @Test
    void a_handler_that_is_opened_again_gets_all_that_a_handler_gets() {
        var wrapped = Stream.of(ReopenedSocket.class.getDeclaredMethods())
                .map(Method::getName)
                .toList();
        for (var method : WebSocketHandler.class.getDeclaredMethods())
            assertTrue(wrapped.contains(method.getName()), method::toString);
    }

    @ParameterizedTest
    @EnumSource
    void a_refusal_that_does_not_pass_ends_it(Serving.Kind kind) throws Exception {
        var settings = SOON.goesOn(cause -> !(cause instanceof WebSocketRefused refused) || refused.status() != 401);
        HttpHandler handler = this::serve;
        try (var serving = kind.serve(handler);
                var client = HttpClient.on(serving.loops());
                var feed = ReconnectingWebSocket.start(
                        client,
                        serving.loops().next(),
                        () -> Request.get(serving.url("/")),
                        WebSocketSettings.standard(),
                        settings,
                        (_, _) -> heard::add)) {
            var ended = feed.ended().toCompletableFuture();
            var failure = assertThrows(CompletionException.class, ended::join);
            assertInstanceOf(WebSocketRefused.class, failure.getCause());
            assertFalse(feed.isConnected());
            assertTrue(heard.isEmpty());
        }
    }
}
