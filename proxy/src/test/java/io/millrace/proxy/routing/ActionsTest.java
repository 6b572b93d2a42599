package io.millrace.proxy.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.server.Http;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.sim.Simulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What becomes of a request when its route is found.
class ActionsTest {
    /// The first line of what the upstream says it was asked.
    private static String asked(Routing routing, Request request) throws Exception {
        return routing.handle(request).text().lines().findFirst().orElseThrow();
    }

    private static String location(String route, Request request) throws Exception {
        return Configured.of(route).handle(request).header("Location").orElseThrow();
    }

    @Test
    void a_request_is_passed_to_the_upstream_of_its_route() throws Exception {
        var routing = Configured.of("a: {match: {path: /a}, upstream: app}", "b: {upstream: other}");
        assertEquals("app GET /a", asked(routing, Request.get("/a")));
        assertEquals("other GET /b?c", asked(routing, Request.get("/b?c")));
    }

    // Rewrites.

    @ParameterizedTest
    @CsvSource({
        "/api, /v2, /api, /v2",
        "/api, /v2, /api/, /v2/",
        "/api, /v2, /api/a/b, /v2/a/b",
        "/api, /v2, /api/a%20b, /v2/a%20b",
        "/api, /, /api/a, /a",
        "/api, /, /api, /",
        "/api, /, /api/, /",
        "/, /v2, /, /v2/",
        "/, /v2, /a/, /v2/a/",
        "/, /, /a, /a",
        "/a/b, /c/d/e, /a/b/f, /c/d/e/f",
    })
    void a_prefix_is_replaced(String matched, String wanted, String path, String expected) throws Exception {
        var routing = Configured.of(
                "a: {match: {prefix: '" + matched + "'}, upstream: app, rewrite: {prefix: '" + wanted + "'}}");
        assertEquals("app GET " + expected + "?q=1", asked(routing, Request.get(path + "?q=1")));
    }

    @ParameterizedTest
    @CsvSource({
        "/a, /b, /a, /b",
        "'/u/{id}', '/users/{id}/profile', /u/7, /users/7/profile",
        "'/{a}/{b}', '/{b}/{a}', /x/y, /y/x",
        "'/{a}/{b}', '/{b}', /x/%E4, /%E4",
        "'/f/{p...}', '/files/{p...}', /f/a/b/, /files/a/b/",
        "'/f/{p...}', '/files/{p...}', /f/, /files/",
        "'/f/{p...}', '/{p...}', /f/, /",
        "'/f/{x}/{p...}', '/g/{p...}', /f/a/b, /g/b",
        "'/f/{p...}', '/gone', /f/a/b, /gone",
    })
    void a_path_is_made_anew_of_its_parameters(String matched, String wanted, String path, String expected)
            throws Exception {
        var routing = Configured.of(
                "a: {match: {path: '" + matched + "'}, upstream: app, rewrite: {path: '" + wanted + "'}}");
        var got = asked(routing, Request.get(path));
        assertEquals("app GET " + expected, got);
        assertEquals(expected, Request.get(expected).path(), "it is canonical");
    }

    @Test
    void a_rewritten_request_keeps_its_body_and_all_else() throws Exception {
        var settings = Configured.settings("a: {match: {prefix: /a}, upstream: app, rewrite: {prefix: /b}}");
        var routing = Routing.of(
                settings,
                _ -> request -> Response.ok(
                        request.method() + " " + request.header("X-A").orElseThrow() + " " + request.remote() + " "
                                + request.body().readUtf8(request.body().remaining())));
        var request = Request.post("/a", Bytes.utf8("body")).addHeader("X-A", "1");
        assertEquals(
                "POST 1 " + request.remote() + " body", routing.handle(request).text());
    }

    // Fields.

    @Test
    void fields_of_a_request_are_removed_set_and_added_on_the_way() throws Exception {
        var routing = Configured.of(
                "a: {upstream: app, request-headers: {remove: [Cookie], set: {X-S: new}, add: {X-A: two}}}");
        var request = Request.get("/")
                .addHeader("cookie", "c")
                .addHeader("x-s", "old")
                .addHeader("X-S", "older")
                .addHeader("X-A", "one")
                .addHeader("X-O", "o");
        assertEquals(
                "app GET /\nX-A: one\nX-O: o\nX-S: new\nX-A: two\n",
                routing.handle(request).text());
    }

    @Test
    void fields_have_values_of_the_request_as_it_came() throws Exception {
        var routing = Configured.of("a: {match: {path: '/u/{id}'}, upstream: app, rewrite: {path: '/v/{id}'},"
                + " request-headers: {set: {X-Path: '{path}{query}', X-Id: '{id}', X-Subject: '{tls-subject}'}},"
                + " response-headers: {set: {X-Host: '{host}', X-Same: 'is {id}'}}}");
        var request = Configured.request("GET", "/u/7?a=b", "a.org:81").addHeader("x-subject", "CN=forged");
        var response = routing.handle(request);
        assertEquals("app GET /v/7?a=b\nHost: a.org:81\nX-Path: /u/7?a=b\nX-Id: 7\n", response.text());
        assertEquals(Optional.of("a.org"), response.header("X-Host"));
        assertEquals(Optional.of("is 7"), response.header("X-Same"));
    }

    @Test
    void fields_of_a_response_are_changed_whatever_the_action() throws Exception {
        var changes = "response-headers: {remove: [Server], set: {X-S: new}, add: {X-A: two},"
                + " statuses: [success, redirect]}}";
        for (var action : new String[] {"upstream: app", "respond: {}", "redirect: {to: /a}"}) {
            var response = Configured.of("a: {" + action + ", " + changes).handle(Request.get("/"));
            assertEquals(Optional.empty(), response.header("Server"));
            assertEquals(Optional.of("new"), response.header("X-S"));
            assertEquals(Optional.of("two"), response.header("X-A"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, success",
        "204, success",
        "206, success",
        "304, success",
        "301, redirect",
        "308, redirect",
        "400, error",
        "404, error",
        "429, error",
        "500, error",
        "503, error"
    })
    void fields_are_set_in_responses_of_the_statuses_that_are_named_and_removed_from_all(int status, String word)
            throws Exception {
        for (var named : new String[] {"success", "redirect", "error"}) {
            var settings = Configured.settings("a: {upstream: app, response-headers:"
                    + " {remove: [Server], set: {X-S: new}, add: {X-A: two}, statuses: [" + named + "]}}");
            var routing = Routing.of(
                    settings,
                    _ -> _ -> Response.status(status).addHeader("Server", "a").addHeader("X-S", "old"));
            var response = routing.handle(Request.get("/"));
            boolean isNamed = named.equals(word);
            assertEquals(Optional.empty(), response.header("Server"));
            assertEquals(Optional.of(isNamed ? "new" : "old"), response.header("X-S"));
            assertEquals(isNamed, response.header("X-A").isPresent());
        }
    }

    @ParameterizedTest
    @CsvSource({"200, true", "304, true", "301, false", "404, false", "429, false"})
    void fields_are_set_in_what_went_as_asked_when_no_statuses_are_named(int status, boolean isThere) throws Exception {
        var settings =
                Configured.settings("a: {upstream: app, response-headers: {set: {Cache-Control: max-age=3600}}}");
        var routing = Routing.of(settings, _ -> _ -> Response.status(status));
        assertEquals(
                isThere,
                routing.handle(Request.get("/")).header("Cache-Control").isPresent());
    }

    @Test
    void fields_of_a_response_that_comes_later_are_changed_when_it_is_there() throws Exception {
        var settings = Configured.settings("a: {upstream: app, response-headers: {set: {X-S: new}}}");
        var routing =
                Routing.of(settings, _ -> _ -> Response.later(CompletableFuture.completedFuture(Response.ok("late"))));
        try (var network = new Simulation(1)) {
            try (var server = Http.listen(network.on(80), routing)) {
                var peer = network.connect(80)
                        .send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        .end();
                network.run();
                assertTrue(peer.received().contains("\r\nX-S: new\r\n"), peer::received);
                assertTrue(peer.received().endsWith("late"), peer::received);
                assertEquals(0, server.connections());
            }
        }
    }

    // Redirects.

    @ParameterizedTest
    @CsvSource({
        "'https://{host}{path}{query}', /a/b?c=d, https://a.org/a/b?c=d",
        "'https://{host}{path}{query}', /, https://a.org/",
        "'{scheme}://{host}:{port}{path}', /, http://a.org:81/",
        "'https://www.example.org{path}', /a?b, https://www.example.org/a",
        "'/new{path}', /a, /new/a",
        "'{path}/{query}', /a?b, /a/?b",
        "/fixed, /a?b, /fixed",
    })
    void a_redirect_is_made_of_the_request(String to, String target, String location) throws Exception {
        var request = Configured.request("GET", target, "a.org:81");
        assertEquals(location, location("a: {redirect: {to: '" + to + "'}}", request));
    }

    @Test
    void a_redirect_has_parameters_of_the_path_and_its_status() throws Exception {
        var route = "a: {match: {path: '/u/{id}/{rest...}'}, redirect: {to: '/users/{id}?r={rest}', status: 308}}";
        assertEquals("/users/7%20?r=a/b", location(route, Request.get("/u/7%20/a/b")));
        assertEquals(308, Configured.of(route).handle(Request.get("/u/7/")).status());
    }

    @Test
    void a_redirect_leads_to_no_host_that_the_path_names() throws Exception {
        var route = "a: {match: {path: '/{x}/{rest...}'}, redirect: {to: '/{rest}/{x}'}}";
        assertEquals(
                400, Configured.of(route).handle(Request.get("/evil.example/")).status());
    }

    @Test
    void a_redirect_to_the_same_host_needs_one() throws Exception {
        var routing = Configured.of("a: {redirect: {to: 'https://{host}/'}}");
        assertEquals(400, routing.handle(Request.get("/")).status());
    }

    // The proxy's own answers.

    @Test
    void a_fixed_response_has_its_status_type_and_body() throws Exception {
        var response = Configured.of("a: {respond: {status: 410, body: <p>gone</p>, type: text/html}}")
                .handle(Request.get("/"));
        assertEquals(410, response.status());
        assertEquals("text/html", response.header("Content-Type").orElseThrow());
        assertEquals("<p>gone</p>", response.text());
    }

    @Test
    void a_fixed_response_without_a_body_has_no_type() throws Exception {
        var response = Configured.of("a: {respond: {status: 204}}").handle(Request.get("/"));
        assertEquals(Optional.empty(), response.header("Content-Type"));
    }

    @ParameterizedTest
    @CsvSource({"/assets/a.txt, 200", "/assets/, 404", "/assets/b.txt, 404", "/a.txt, 404", "/assetsa.txt, 404"})
    void files_are_found_below_the_prefix(String path, int status, @TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.txt"), "text");
        var file = folder.resolve("proxy.yaml");
        Files.writeString(file, """
                listeners: {web: {address: ':80'}}
                routes: {a: {match: {prefix: /assets}, files: {folder: '.'}}}
                """);
        var good = (CheckedFile.Good) ConfigurationFile.read(file, Map.of());
        var routing = Routing.of(good.configuration().routesOf("web"), Configured::echo);
        var response = (BuiltResponse) routing.handle(Request.get(path));
        var found = response.content() instanceof Body.Later later
                ? later.stage().toCompletableFuture().get(30, TimeUnit.SECONDS)
                : response;
        assertEquals(status, found.status());
    }
}
