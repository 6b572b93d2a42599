package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests of other origins, as the Fetch standard has them.
class CorsTest {
    private static final String OURS = "https://app.example.org";
    private static final Cors CORS = Cors.allow(OURS, "http://localhost:5173")
            .methods("GET", "PUT")
            .fields("Content-Type", "X-Token")
            .exposed("X-Total")
            .credentials(true)
            .maxAge(Duration.ofMinutes(10));

    private static final HttpHandler APP = Routes.of()
            .get("/", _ -> Response.ok("hello"))
            .get(
                    "/said",
                    _ -> Response.ok("said")
                            .setHeader("Access-Control-Allow-Origin", "*")
                            .setHeader("Access-Control-Allow-Credentials", "true"))
            .get("/varies", _ -> Response.ok("").setHeader("Vary", "Accept, origin"))
            .get("/error", _ -> {
                throw new HttpError(422, "on purpose");
            })
            .get("/broken", _ -> {
                throw new IllegalStateException("on purpose");
            })
            .get("/late", _ -> Response.later(CompletableFuture.failedFuture(new HttpError(409, "on purpose"))))
            .get("/stream", _ -> Response.stream(200, out -> false));

    private static Response get(Cors cors, String path, String... origins) throws Exception {
        var request = Request.get(path);
        for (var origin : origins) request = request.addHeader("Origin", origin);
        return cors.around(APP).handle(request);
    }

    private static Response preflight(Cors cors, String origin, String method, String fields) throws Exception {
        var request = Request.of("OPTIONS", "/unknown", Bytes.EMPTY)
                .setHeader("Origin", origin)
                .setHeader("Access-Control-Request-Method", method);
        if (!fields.isEmpty()) request = request.setHeader("Access-Control-Request-Headers", fields);
        return cors.around(APP).handle(request);
    }

    private static List<String> words(Response response) {
        return response.headers()
                .toString()
                .lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).contains("access-control-"))
                .toList();
    }

    private static Optional<String> origin(Response response) {
        return response.header("Access-Control-Allow-Origin");
    }

    @Test
    void a_page_of_an_allowed_origin_sees_the_response() throws Exception {
        var response = get(CORS, "/", OURS);
        assertEquals("hello", response.text());
        assertEquals(Optional.of(OURS), origin(response));
        assertEquals(Optional.of("true"), response.header("Access-Control-Allow-Credentials"));
        assertEquals(Optional.of("X-Total"), response.header("Access-Control-Expose-Headers"));
        assertEquals(Optional.of("Origin"), response.header("Vary"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "https://app.example.org.evil.example",
                "https://APP.example.org",
                "https://app.example.org/",
                "https://app.example.org:8443",
                "http://app.example.org",
                "https://xapp.example.org",
                "null",
                "*",
                ""
            })
    void a_page_of_any_other_sees_nothing(String origin) throws Exception {
        var response = get(CORS, "/said", origin);
        assertEquals("said", response.text());
        assertEquals(List.of(), words(response));
        assertEquals(Optional.empty(), origin(response));
        assertEquals(Optional.empty(), response.header("Access-Control-Allow-Credentials"));
        assertEquals(Optional.of("Origin"), response.header("Vary"));
        assertEquals(403, preflight(CORS, origin, "GET", "").status());
        assertEquals(Optional.empty(), origin(preflight(CORS, origin, "GET", "")));
    }

    @Test
    void two_origins_are_none() throws Exception {
        assertEquals(Optional.empty(), origin(get(CORS, "/", OURS, "http://localhost:5173")));
        assertEquals(Optional.empty(), origin(get(CORS, "/", OURS, OURS)));
    }

    @Test
    void who_is_no_browser_gets_the_response_as_it_is_but_for_what_it_depends_on() throws Exception {
        var response = get(CORS, "/said");
        assertEquals("said", response.text());
        assertEquals(Optional.empty(), origin(response));
        assertEquals(Optional.of("Origin"), response.header("Vary"));
        assertEquals(
                List.of("Accept, origin"), get(CORS, "/varies", OURS).headers().all("Vary"));
    }

    @Test
    void any_origin_is_a_star_without_credentials_for_all_the_same() throws Exception {
        for (var origin : List.of(OURS, "null", "https://evil.example")) {
            var response = get(Cors.anyOrigin(), "/said", origin);
            assertEquals(List.of("*"), response.headers().all("Access-Control-Allow-Origin"));
            assertEquals(Optional.empty(), response.header("Access-Control-Allow-Credentials"));
            assertEquals(Optional.empty(), response.header("Vary"));
        }
        // Of which a cache has one copy, whoever asked first.
        assertEquals(Optional.of("*"), origin(get(Cors.anyOrigin(), "/said")));
        assertEquals(
                204, preflight(Cors.anyOrigin(), "null", "POST", "content-type").status());
    }

    @Test
    void any_origin_with_credentials_is_refused() {
        var refused = assertThrows(
                IllegalArgumentException.class, () -> Cors.anyOrigin().credentials(true));
        assertTrue(String.valueOf(refused.getMessage()).contains("Cors.allow"), refused.getMessage());
    }

    @Test
    void what_a_browser_asks_first_is_answered_for_every_path() throws Exception {
        var response = preflight(CORS, OURS, "PUT", "content-type,x-token");
        assertEquals(204, response.status());
        assertEquals(Optional.of(OURS), origin(response));
        assertEquals(Optional.of("GET, PUT"), response.header("Access-Control-Allow-Methods"));
        assertEquals(Optional.of("Content-Type, X-Token"), response.header("Access-Control-Allow-Headers"));
        assertEquals(Optional.of("600"), response.header("Access-Control-Max-Age"));
        assertEquals(Optional.of("true"), response.header("Access-Control-Allow-Credentials"));
        assertEquals(
                List.of("Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"),
                response.headers().all("Vary"));
    }

    @ParameterizedTest
    @CsvSource({"DELETE,''", "put,''", "*,''", "'',''", "GET,x-other", "GET,*", "GET,'content-type,,x-evil'"})
    void what_is_not_allowed_is_answered_with_403_and_no_word(String method, String fields) throws Exception {
        var response = preflight(CORS, OURS, method, fields);
        assertEquals(403, response.status());
        assertEquals(Optional.empty(), origin(response));
        assertEquals(Optional.empty(), response.header("Access-Control-Allow-Methods"));
    }

    @Test
    void a_question_that_is_no_preflight_goes_on() throws Exception {
        var request = Request.of("OPTIONS", "/", Bytes.EMPTY).setHeader("Origin", OURS);
        var response = CORS.around(APP).handle(request);
        assertEquals(Optional.of("GET, HEAD, OPTIONS"), response.header("Allow"));
        assertEquals(Optional.of(OURS), origin(response));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "null",
                "app.example.org",
                "https://app.example.org/",
                "https://app.example.org/a",
                "https://App.example.org",
                "https://*.example.org",
                "https://app.example.org:443",
                "http://a:80",
                "https://a b",
                "https://a\r\nX: y",
                "https://u@a",
                ""
            })
    void an_origin_that_no_browser_sends_is_refused(String origin) {
        assertThrows(IllegalArgumentException.class, () -> Cors.allow(origin));
    }

    @Test
    void an_origin_may_have_a_port_an_address_or_another_scheme() throws Exception {
        for (var origin : List.of("https://[::1]:8443", "http://127.0.0.1:3000", "app://localhost", "http://a:443")) {
            assertEquals(Optional.of(origin), origin(get(Cors.allow(origin), "/", origin)));
        }
    }

    @Test
    void what_makes_no_sense_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> Cors.allow());
        assertThrows(IllegalArgumentException.class, () -> CORS.methods("GET, PUT"));
        assertThrows(IllegalArgumentException.class, () -> CORS.methods("*"));
        assertThrows(IllegalArgumentException.class, () -> CORS.fields("X-A\r\nX-B: c"));
        assertThrows(IllegalArgumentException.class, () -> CORS.exposed("*"));
        assertThrows(IllegalArgumentException.class, () -> CORS.maxAge(Duration.ofSeconds(-1)));
    }

    @ParameterizedTest
    @EnumSource
    void a_page_sees_every_kind_of_response_errors_too(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(CORS.around(APP));
                var peer = serving.connect()) {
            for (var path : List.of("/", "/error", "/broken", "/late", "/stream", "/unknown")) {
                peer.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nOrigin: " + OURS + "\r\n\r\n");
                var reply = peer.read();
                assertEquals(OURS, reply.header("access-control-allow-origin"), path);
                assertEquals("Origin", reply.header("vary"), path);
            }
        }
    }
}
