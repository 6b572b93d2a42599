package io.millrace.http.kit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.PushBody;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.http.server.StaticFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A misuse shows in a unit test.
class HttpKitTest {
    private static final String TEXT = "hello";
    private static final Request POST = Request.post("/a", Bytes.utf8(TEXT));
    private static final HttpHandler READING = request -> Response.ok(request.text());

    @Test
    void a_handler_that_takes_a_body_for_a_value_fails() throws Exception {
        var post = Request.post("/a?b=c", Bytes.utf8("hello"));
        assertEquals("hello", READING.handle(post).text());
        var thrown = assertThrows(
                IllegalStateException.class,
                () -> HttpKit.asServedOnLoop(READING).handle(post));
        assertTrue(String.valueOf(thrown.getMessage()).contains("Http.whole"), thrown::getMessage);
        assertEquals(
                "hello",
                HttpKit.asServedOnLoop(Http.whole(10, READING)).handle(post).text());
    }

    static Map<String, HttpHandler> ofEachKind() {
        return Map.of(
                "value", _ -> Response.ok(TEXT),
                "later", _ -> Response.later(CompletableFuture.completedFuture(Response.ok(TEXT))),
                "stream", _ -> Response.stream(200, letters()),
                "blocking",
                        _ -> Response.blocking(200, out -> out.outputStream().write(TEXT.getBytes(UTF_8))),
                "push", _ -> Response.push(200, HttpKitTest::push),
                "publish", _ -> Response.publish(200, publisher()),
                "events",
                        _ -> Response.events(stream -> {
                            stream.send(TEXT);
                            stream.close();
                        }),
                "reading", _ -> Response.reading(new Collecting()),
                "duplex", _ -> Response.duplex(200, (part, out) -> out.move(part)),
                "whole", Http.whole(100, request -> Response.ok(request.text())));
    }

    static Stream<String> kinds() {
        return Stream.concat(ofEachKind().keySet().stream().sorted(), Stream.of("file"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_response_of_any_kind_is_complete(String kind, @TempDir Path folder) throws Exception {
        assertEquals(
                expected(kind),
                HttpKit.asServedOnLoop(handler(kind, folder))
                        .handle(request(kind))
                        .text());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_response_of_any_kind_is_complete_from_a_virtual_thread(String kind, @TempDir Path folder) throws Exception {
        assertEquals(
                expected(kind),
                HttpKit.asServed(handler(kind, folder)).handle(request(kind)).text());
    }

    private static HttpHandler handler(String kind, Path folder) throws IOException {
        var handler = ofEachKind().get(kind);
        if (handler != null) return handler;
        var file = Files.writeString(folder.resolve("a.txt"), TEXT);
        return _ -> Response.file(file);
    }

    private static Request request(String kind) {
        return kind.equals("file") ? Request.get("/a.txt") : POST;
    }

    private static String expected(String kind) {
        return kind.equals("events") ? "data: " + TEXT + "\n\n" : TEXT;
    }

    private static BodyWriter letters() {
        var sent = new AtomicInteger();
        return out -> {
            out.writeUtf8(TEXT.substring(sent.get(), sent.get() + 1));
            return sent.incrementAndGet() < TEXT.length();
        };
    }

    private static void push(PushBody body) {
        body.send(Bytes.utf8(TEXT));
        body.end();
    }

    private static Flow.Publisher<Bytes> publisher() {
        return subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
            private boolean isOver;

            @Override
            public void request(long count) {
                if (isOver) return;
                isOver = true;
                subscriber.onNext(Bytes.utf8(TEXT));
                subscriber.onComplete();
            }

            @Override
            public void cancel() {}
        });
    }

    private static final class Collecting implements BodyReader {
        private final StringBuilder all = new StringBuilder();

        @Override
        public void onBody(Input part) {
            all.append(part.readUtf8(part.remaining()));
        }

        @Override
        public Response onEnd() {
            return Response.ok(all.toString());
        }
    }

    @Test
    void a_folder_is_served() throws Exception {
        var folder = Files.createTempDirectory("kit");
        try {
            Files.writeString(folder.resolve("a.txt"), TEXT);
            var response = HttpKit.asServedOnLoop(StaticFiles.of(folder)).handle(Request.get("/a.txt"));
            assertEquals(TEXT, response.text());
            assertEquals(
                    "text/plain; charset=utf-8", response.header("content-type").orElseThrow());
        } finally {
            Files.delete(folder.resolve("a.txt"));
            Files.delete(folder);
        }
    }

    @Test
    void an_endless_response_fails_and_does_not_hang() {
        var events = HttpKit.asServedOnLoop(_ -> Response.events(stream -> stream.send("one")));
        var thrown = assertThrows(IllegalStateException.class, () -> events.handle(Request.get("/events")));
        assertTrue(String.valueOf(thrown.getMessage()).contains("HttpKit.soFar"), thrown::getMessage);
    }

    @Test
    void what_has_come_of_an_endless_response_is_there() throws Exception {
        HttpHandler news = _ -> Response.events(stream -> {
            stream.send("one");
            stream.send("two");
        });
        var response = HttpKit.soFar(news, Request.get("/news"), Duration.ofSeconds(5));
        assertEquals("data: one\n\ndata: two\n\n", response.text());
        assertEquals("text/event-stream", response.header("content-type").orElseThrow());
    }

    @Test
    void a_response_of_which_nothing_comes_is_named() {
        HttpHandler never = _ -> Response.later(new CompletableFuture<>());
        var thrown = assertThrows(
                IllegalStateException.class, () -> HttpKit.soFar(never, Request.get("/never"), Duration.ofSeconds(1)));
        assertTrue(String.valueOf(thrown.getMessage()).contains("GET /never"), thrown::getMessage);
    }

    @Test
    void a_handler_on_a_virtual_thread_may_wait_for_its_body() throws Exception {
        assertEquals("hello", HttpKit.asServed(READING).handle(POST).text());
    }

    @Test
    void a_request_comes_as_it_was_built() throws Exception {
        var app = HttpKit.asServedOnLoop(request -> Response.ok(
                request + "?" + request.query() + " " + request.header("X-A").orElse("")));
        assertEquals(
                "GET /a?b=c d",
                app.handle(Request.get("/a?b=c").setHeader("X-A", "d")).text());
    }

    @Test
    void what_says_its_status_is_answered() throws Exception {
        var app = HttpKit.asServedOnLoop(_ -> {
            throw new HttpError(409, "taken");
        });
        assertEquals(409, app.handle(Request.get("/")).status());
    }
}
