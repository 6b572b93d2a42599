package io.millrace.http.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// A misuse shows in a unit test.
class HttpKitTest {
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

    @Test
    void a_response_of_any_kind_is_complete() throws Exception {
        var post = Request.post("/a", Bytes.utf8("hello"));
        var echo = HttpKit.asServedOnLoop(_ -> Response.duplex(200, (part, out) -> out.move(part)));
        assertEquals("hello", echo.handle(post).text());
        var later =
                HttpKit.asServedOnLoop(_ -> Response.later(CompletableFuture.completedFuture(Response.ok("later"))));
        assertEquals("later", later.handle(Request.get("/")).text());
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
