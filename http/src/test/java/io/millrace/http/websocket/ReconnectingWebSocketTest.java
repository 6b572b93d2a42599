package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.codec.ReconnectSettings;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.net.Backoff;
import io.millrace.sim.Simulation;
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
import org.junit.jupiter.params.provider.ValueSource;

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
    @ValueSource(ints = {200, 301, 400, 401, 403, 404, 410, 426, 501, 505})
    void a_refusal_that_would_come_again_ends_it(int status) throws Exception {
        var answers = new AtomicInteger();
        HttpHandler refuses = _ -> {
            answers.incrementAndGet();
            return Response.status(status);
        };
        var failure = assertThrows(CompletionException.class, () -> endOf(refuses, SOON));
        assertEquals(
                status,
                assertInstanceOf(WebSocketRefused.class, failure.getCause()).status());
        assertEquals(1, answers.get());
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 500, 502, 503, 504})
    void after_a_refusal_that_may_pass_it_asks_again(int status) throws Exception {
        var answers = new AtomicInteger();
        HttpHandler refuses = _ -> Response.status(answers.getAndIncrement() < 3 ? status : 404);
        var failure = assertThrows(CompletionException.class, () -> endOf(refuses, SOON));
        assertEquals(
                404,
                assertInstanceOf(WebSocketRefused.class, failure.getCause()).status());
        assertEquals(4, answers.get());
    }

    @Test
    void who_says_what_ends_it_says_it_of_refusals_too() throws Exception {
        var answers = new AtomicInteger();
        HttpHandler refuses = _ -> Response.status(answers.getAndIncrement() < 3 ? 404 : 503);
        var stubborn = SOON.goesOn(cause -> !(cause instanceof WebSocketRefused refused) || refused.status() == 404);
        var failure = assertThrows(CompletionException.class, () -> endOf(refuses, stubborn));
        assertEquals(
                503,
                assertInstanceOf(WebSocketRefused.class, failure.getCause()).status());
        assertEquals(4, answers.get());
    }

    private void endOf(HttpHandler app, ReconnectSettings settings) throws Exception {
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(app);
                var client = HttpClient.on(serving.loops());
                var feed = open(serving, client, settings)) {
            feed.ended().toCompletableFuture().join();
        }
    }

    @Test
    void the_log_names_host_and_path_and_no_secrets() {
        var request = WebSocket.request("wss://feed.example:8443/prices?token=secret");
        assertEquals("WebSocket of feed.example:8443/prices", ReconnectingWebSocket.name(request));
    }

    @Test
    void a_client_that_was_closed_while_it_asks_opens_nothing() {
        try (var network = new Simulation(1).delays(Duration.ofSeconds(1), Duration.ofSeconds(1));
                var server = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT),
                        Dispatch.loop(),
                        HttpLimits.standard(),
                        request -> WebSocket.accept(request, socket -> {
                            served.add(socket);
                            return socket::send;
                        }));
                var client = HttpClient.on(network.loops())) {
            var url = "http://" + Simulation.address(SimulatedSocket.PORT).getHostString() + "/";
            var feed = ReconnectingWebSocket.start(client, network.loops().next(), Request.get(url), (_, before) -> {
                heard.add("socket " + before.times());
                return heard::add;
            });
            while (served.isEmpty()) network.advance(Duration.ofMillis(500));
            feed.close();
            network.advance(Duration.ofMinutes(1));
            assertEquals(0, heard.size(), heard::toString);
            assertEquals(1, served.size());
            assertEquals(0, server.connections());
        }
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
