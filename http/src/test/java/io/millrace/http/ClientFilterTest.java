package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.NetException;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Filters of a client and a server of ours, on the same loops.
class ClientFilterTest {
    private static final ClientFilter PASS = (request, next) -> next.send(request);

    private static HttpClient client(Serving serving, ClientFilter... filters) {
        var settings = ClientSettings.standard().loops(serving.loops());
        for (var filter : filters) settings = settings.filter(filter);
        return HttpClient.of(settings);
    }

    private static void end(HttpClient client) {
        client.close();
    }

    /// The four ways to send a request.
    private static List<String> sent(HttpClient client, String uri) throws IOException {
        return List.of(
                client.send(Request.get(uri)).text(),
                client.send(Request.get(uri), (_, body) -> new String(body.readAllBytes(), StandardCharsets.UTF_8)),
                client.sendAsync(Request.get(uri)).join().text(),
                client.sendAsync(Request.get(uri), new Reading()).join());
    }

    private static final class Reading implements ResponseReader<String> {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void onHead(Response head) {}

        @Override
        public void onBody(Input part) {
            text.append(part.readUtf8(part.remaining()));
        }

        @Override
        public String onEnd() {
            return text.toString();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_changes_requests_whatever_way_they_are_sent(Serving.Kind kind) throws IOException {
        ClientFilter named = (request, next) -> next.send(request.setHeader("X-Name", "filter"));
        try (var serving = kind.serve(
                        request -> Response.ok(request.header("X-Name").orElse("none")));
                var client = client(serving, named)) {
            for (var body : sent(client, serving.url("/"))) assertEquals("filter", body);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_first_filter_sees_the_request_first_and_the_response_last(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> Response.ok(request.header("X-Way").orElse("none")));
                var client = client(serving, marking("a"), marking("b"))) {
            var response = client.send(Request.get(serving.url("/")));
            assertEquals("ab", response.text());
            assertEquals(List.of("b", "a"), response.headers().all("X-Back"));
        }
    }

    private static ClientFilter marking(String mark) {
        return (request, next) -> next.send(
                        request.setHeader("X-Way", request.header("X-Way").orElse("") + mark))
                .thenApply(response -> response.addHeader("X-Back", mark));
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_answers_itself_and_nothing_is_sent(Serving.Kind kind) throws IOException {
        var served = new AtomicInteger();
        ClientFilter own = (_, _) -> CompletableFuture.completedStage(Response.ok("mine"));
        try (var serving = kind.serve(request -> Response.ok("" + served.incrementAndGet()));
                var client = client(serving, own)) {
            for (var body : sent(client, serving.url("/"))) assertEquals("mine", body);
            assertEquals(0, served.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_body_is_that_of_the_request_sent_last(Serving.Kind kind) throws IOException {
        ClientFilter twice =
                (request, next) -> next.send(request).thenCompose(_ -> next.send(request.setHeader("X-Again", "yes")));
        var peers = ConcurrentHashMap.newKeySet();
        try (var serving = kind.serve(request -> {
                    peers.add(request.remote());
                    return Response.ok(request.header("X-Again").orElse("no"));
                });
                var client = client(serving, twice)) {
            for (int i = 0; i < 20; i++) for (var body : sent(client, serving.url("/"))) assertEquals("yes", body);
            assertTrue(peers.size() <= 8, () -> "unread answers cost connections: " + peers.size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_that_decides_late_and_elsewhere_loses_nothing_of_the_body(Serving.Kind kind) throws IOException {
        ClientFilter late = (request, next) ->
                next.send(request).thenCompose(response -> CompletableFuture.supplyAsync(() -> response));
        try (var serving = kind.serve(request -> Response.ok("x".repeat(Integer.parseInt(request.query()))));
                var client = client(serving, late)) {
            for (int length : new int[] {0, 1, 1000, 70_000, 900_000})
                for (var body : sent(client, serving.url("/?" + length))) assertEquals(length, body.length());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_is_left_out_keeps_no_place(Serving.Kind kind) throws IOException {
        ClientFilter twice = (request, next) -> next.send(request).thenCompose(_ -> next.send(request));
        try (var serving = kind.serve(request -> Response.ok("x".repeat(500_000)));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .connections(1)
                        .filter(twice))) {
            for (int i = 0; i < 5; i++)
                assertEquals(
                        500_000,
                        client.send(Request.get(serving.url("/"))).body().length());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_filter_throws_is_the_callers(Serving.Kind kind) throws IOException {
        ClientFilter broken = (_, _) -> {
            throw new IOException("mine");
        };
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving, broken)) {
            var request = Request.get(serving.url("/"));
            assertEquals(
                    "mine",
                    assertThrows(IOException.class, () -> client.send(request)).getMessage());
            var thrown = assertThrows(
                    CompletionException.class, () -> client.sendAsync(request).join());
            Asking.assertSays("mine", thrown);
        }
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("NullAway") // what it is about
    void a_stage_of_null_and_a_body_that_is_gone_are_mistakes_that_are_named(Serving.Kind kind) throws IOException {
        ClientFilter none = (_, _) -> null;
        ClientFilter first = (request, next) -> {
            var one = next.send(request);
            return one.thenCompose(_ -> next.send(request)).thenCombine(one, (_, head) -> head);
        };
        try (var serving = kind.serve(request -> Response.ok("hello"))) {
            assertFails(serving, none, "with null for a stage");
            assertFails(serving, first, "its body is gone");
            assertFails(
                    serving,
                    (_, _) -> CompletableFuture.completedStage(Response.stream(200, _ -> false)),
                    "make it from a text or from Bytes");
        }
    }

    private static void assertFails(Serving serving, ClientFilter filter, String says) {
        try (var client = client(serving, filter)) {
            var request = Request.get(serving.url("/"));
            Asking.assertSays(says, assertThrows(RuntimeException.class, () -> client.send(request)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_that_looks_for_the_body_hears_where_it_is(Serving.Kind kind) throws IOException {
        ClientFilter curious = (request, next) -> next.send(request).thenApply(response -> {
            Asking.assertSays("its way to the caller", assertThrows(IllegalStateException.class, response::text));
            return response.setHeader("X-Looked", "yes");
        });
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving, curious)) {
            var response = client.send(Request.get(serving.url("/")));
            assertEquals("hello", response.text());
            assertEquals("yes", response.header("X-Looked").orElseThrow());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_may_not_be_sent_is_refused_at_once(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = client(serving, PASS)) {
            assertThrows(IllegalArgumentException.class, () -> client.sendAsync(Request.get("/no-host")));
            var framed = Request.get(serving.url("/")).addHeader("Content-Length", "7");
            assertThrows(IllegalArgumentException.class, () -> client.sendAsync(framed));
            end(client);
            assertThrows(IllegalStateException.class, () -> client.sendAsync(Request.get(serving.url("/"))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_that_waits_ends_with_its_client(Serving.Kind kind) throws IOException {
        ClientFilter waiting =
                (request, next) -> next.delay(Duration.ofHours(1)).thenCompose(_ -> next.send(request));
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .timeout(Duration.ZERO)
                        .filter(waiting))) {
            var answer = client.sendAsync(Request.get(serving.url("/")));
            assertFalse(answer.isDone());
            end(client);
            var thrown = assertThrows(CompletionException.class, answer::join);
            assertTrue(thrown.getCause() instanceof NetException, thrown::toString);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_filter_hears_that_its_call_was_given_up(Serving.Kind kind) throws Exception {
        for (var path : List.of("/silent", "/delay")) {
            var began = new CompletableFuture<Void>();
            var heard = new CompletableFuture<Throwable>();
            ClientFilter curious = (request, next) -> {
                var stage = request.path().equals("/delay")
                        ? next.delay(Duration.ofHours(1)).thenCompose(_ -> next.send(request))
                        : next.send(request);
                return stage.whenComplete((_, failure) -> heard.complete(failure));
            };
            try (var serving = kind.serve(_ -> {
                        began.complete(null);
                        return Response.later(new CompletableFuture<>());
                    });
                    var client = client(serving, curious)) {
                var answer = client.sendAsync(Request.get(serving.url(path)));
                if (path.equals("/silent")) began.join();
                assertTrue(answer.cancel(true));
                var failure = heard.join();
                if (failure instanceof CompletionException wrapped) failure = wrapped.getCause();
                assertInstanceOf(CancellationException.class, failure);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_was_left_is_no_answer(Serving.Kind kind) throws IOException {
        ClientFilter left = (request, next) -> next.send(request).thenApply(response -> {
            next.leave();
            return response;
        });
        try (var serving = kind.serve(request -> Response.ok("hello"))) {
            assertFails(serving, left, "that it has left");
        }
    }

    @Test
    void a_call_whose_filter_waits_elsewhere_ends_with_its_loops() throws IOException {
        var isHeld = new CompletableFuture<Void>();
        var elsewhere = new CompletableFuture<Void>();
        ClientFilter late = (request, next) -> next.send(request).thenCompose(response -> {
            isHeld.complete(null);
            return elsewhere.thenApply(_ -> response);
        });
        var loops = EventLoops.of(1);
        try (var serving = Serving.Kind.NIO_LOOP.serve(request -> Response.ok("hello"));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(loops)
                        .timeout(Duration.ZERO)
                        .filter(late))) {
            var answer = client.sendAsync(Request.get(serving.url("/")));
            isHeld.join();
            loops.close();
            assertTrue(answer.isDone());
            assertInstanceOf(Reset.class, answer.exceptionNow());
            elsewhere.complete(null);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void who_is_interrupted_gives_up_wherever_the_request_is(Serving.Kind kind) throws Exception {
        var served = new LinkedBlockingQueue<String>();
        ClientFilter late = (request, next) -> {
            if (!request.path().equals("/delay")) return next.send(request);
            served.add("delayed");
            return next.delay(Duration.ofHours(1)).thenCompose(_ -> next.send(request));
        };
        try (var serving = kind.serve(request -> {
                    served.add(request.path());
                    return request.path().equals("/body")
                            ? Response.push(200, body -> body.send(Bytes.utf8("a part")))
                            : Response.later(new CompletableFuture<>());
                });
                var client = client(serving, late)) {
            for (var path : List.of("/silent", "/delay", "/body")) {
                var thrown = new CompletableFuture<Throwable>();
                var caller = Thread.ofVirtual()
                        .start(() -> thrown.complete(assertThrows(
                                Throwable.class,
                                () -> client.send(Request.get(serving.url(path)), (_, body) -> body.readAllBytes()))));
                served.take();
                caller.interrupt();
                assertEquals(InterruptedIOException.class, thrown.get().getClass());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void redirects_are_followed_whatever_way_a_request_is_sent(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request ->
                        request.path().equals("/a") ? Response.redirect("/b").withStatus(307) : Response.ok("there"));
                var client = HttpClient.of(
                        ClientSettings.standard().loops(serving.loops()).redirects(1))) {
            for (var body : sent(client, serving.url("/a"))) assertEquals("there", body);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_default_field_stands_where_a_request_has_none(Serving.Kind kind) throws IOException {
        var seen = new ArrayList<List<String>>();
        try (var serving = kind.serve(request -> {
                    seen.add(request.headers("User-Agent"));
                    return Response.ok("hello");
                });
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .defaultHeader("User-Agent", "first/1")
                        .defaultHeader("User-Agent", "app/2"))) {
            var _ = client.send(Request.get(serving.url("/")));
            var _ = client.send(Request.get(serving.url("/")).addHeader("user-agent", "own/3"));
            assertEquals(List.of(List.of("app/2"), List.of("own/3")), seen);
        }
        var standard = ClientSettings.standard();
        for (var name : List.of("Host", "Connection", "Content-Length", "Transfer-Encoding"))
            assertThrows(IllegalArgumentException.class, () -> standard.defaultHeader(name, "x"));
        assertThrows(IllegalArgumentException.class, () -> standard.defaultHeader("X-A", "b\r\nX-C: d"));
    }

    @ParameterizedTest
    @EnumSource
    void what_is_for_one_origin_does_not_go_to_another(Serving.Kind kind) throws IOException {
        var seen = new ArrayList<String>();
        HttpHandler told = request -> {
            request.headers().forEach((name, _) -> seen.add(name.toLowerCase(java.util.Locale.ROOT)));
            return Response.ok("there");
        };
        try (var other = kind.serve(told);
                var serving =
                        kind.serve(request -> Response.redirect(other.url("/")).withStatus(307));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .redirects(3)
                        .defaultHeader("User-Agent", "app/1")
                        .defaultHeader("X-Api-Key", "secret"))) {
            var asked = Request.of("PUT", serving.url("/"), Bytes.utf8("body"))
                    .addHeader("Authorization", "Basic c2VjcmV0")
                    .addHeader("Cookie", "session=secret")
                    .addHeader("X-Trace", "1");
            assertEquals("there", client.send(asked).text());
            for (var name : List.of("authorization", "cookie", "x-api-key")) assertFalse(seen.contains(name), name);
            for (var name : List.of("user-agent", "x-trace", "content-length"))
                assertTrue(seen.contains(name), seen::toString);
        }
    }
}
