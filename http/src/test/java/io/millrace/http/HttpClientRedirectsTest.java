package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A client that follows redirects because it was told to.
class HttpClientRedirectsTest {
    /// What a request looked like.
    private static final HttpHandler SITE = request -> switch (request.path()) {
        case "/relative" -> Response.redirect("there?a=b#top");
        case "/a/query" ->
            request.query().isEmpty()
                    ? Response.redirect("?page=2")
                    : Response.ok(request.path() + "?" + request.query());
        case "/loop" -> Response.redirect("/loop");
        case "/nowhere" -> Response.status(302);
        case "/other" -> Response.redirect("ftp://localhost/");
        case "/broken" -> Response.status(302).addHeader("Location", "http://[");
        case "/status" -> Response.status(Integer.parseInt(request.query())).addHeader("Location", "/there");
        default ->
            Response.ok(request.method() + " " + request.path() + "?" + request.query() + " "
                    + request.text() + " "
                    + request.header("content-type").orElse("-") + " "
                    + request.header("cookie").orElse("-"));
    };

    @Test
    void a_redirect_is_an_answer_unless_somebody_wants_it_followed() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start()) {
            assertEquals(302, asking.get(serving.url("/relative")).status());
        }
    }

    @Test
    void a_relative_one_is_resolved() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(1))) {
            assertEquals(
                    "GET /there?a=b  - -", asking.get(serving.url("/relative")).text());
        }
    }

    @Test
    void a_query_alone_is_for_the_same_path() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(1))) {
            assertEquals("/a/query?page=2", asking.get(serving.url("/a/query")).text());
        }
    }

    @Test
    void a_deferred_request_is_followed_too() throws IOException, InterruptedException, ExecutionException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(1))) {
            var response = asking.client().sendAsync(Request.get(serving.url("/relative")));
            assertEquals(
                    "GET /there?a=b  - -", response.toCompletableFuture().get().text());
        }
    }

    @Test
    void after_so_many_the_redirect_is_the_answer() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(5))) {
            assertEquals(302, asking.get(serving.url("/loop")).status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nowhere", "/other", "/broken"})
    void one_that_leads_nowhere_is_the_answer(String path) throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(5))) {
            assertEquals(3, asking.get(serving.url(path)).status() / 100);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "301, POST, 'GET /there?  - a=b'",
        "302, POST, 'GET /there?  - a=b'",
        "303, PUT, 'GET /there?  - a=b'",
        "302, PUT, 'PUT /there? body text/x a=b'",
        "307, POST, 'POST /there? body text/x a=b'",
        "308, POST, 'POST /there? body text/x a=b'"
    })
    void the_status_says_what_becomes_of_method_and_body(int status, String method, String seen) throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var asking = Asking.start(setup -> setup.redirects(5))) {
            var request = Request.of(method, serving.url("/status?" + status), Bytes.utf8("body"))
                    .addHeader("Content-Type", "text/x")
                    .addHeader("Cookie", "a=b");
            assertEquals(seen, asking.client().send(request).text());
        }
    }

    @Test
    void another_origin_is_told_no_secrets() throws IOException {
        try (var other = Serving.Kind.NIO_LOOP.serveWhole(SITE);
                var serving = Serving.Kind.NIO_LOOP.serve(request -> Response.redirect(other.url("/there")));
                var asking = Asking.start(setup -> setup.redirects(5))) {
            var request =
                    Request.get(serving.url("/")).addHeader("Cookie", "a=b").addHeader("Authorization", "Basic x");
            assertEquals("GET /there?  - -", asking.client().send(request).text());
        }
    }
}
