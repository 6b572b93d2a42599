package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoutesTest {
    private static HttpHandler saying(String text) {
        return _ -> Response.ok(text);
    }

    private static Request request(String method, String target) {
        return Request.of(method, target, Bytes.EMPTY);
    }

    private static Response answer(HttpHandler app, String method, String target) throws Exception {
        return app.handle(request(method, target));
    }

    private static String get(HttpHandler app, String target) throws Exception {
        var response = answer(app, "GET", target);
        return response.status() == 200 ? response.text() : String.valueOf(response.status());
    }

    private static String refused(Runnable registration) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, registration::run).getMessage());
    }

    // Which one answers.

    @Test
    void a_route_answers_its_method_and_path() throws Exception {
        var app = Routes.of()
                .get("/a", saying("get"))
                .post("/a", saying("post"))
                .put("/a", saying("put"))
                .patch("/a", saying("patch"))
                .delete("/a", saying("delete"))
                .route("BREW", "/a", saying("brew"));

        for (var method : List.of("GET", "POST", "PUT", "PATCH", "DELETE", "BREW")) {
            assertEquals(
                    method.toLowerCase(java.util.Locale.ROOT),
                    answer(app, method, "/a").text());
        }
    }

    @Test
    void an_unknown_path_is_answered_with_404() throws Exception {
        assertEquals("404", get(Routes.of().get("/a", saying("a")), "/b"));
        assertEquals("404", get(Routes.of(), "/"));
    }

    @Test
    void otherwise_answers_unknown_paths_of_any_method() throws Exception {
        var app = Routes.of().get("/a", saying("a")).otherwise(request -> Response.ok("no " + request.path()));

        assertEquals("no /b", get(app, "/b"));
        assertEquals("no /b", answer(app, "POST", "/b").text());
    }

    @Test
    void another_method_of_a_path_is_answered_with_405_and_those_that_are_allowed() throws Exception {
        var app = Routes.of().get("/a", saying("a")).post("/a", saying("a")).put("/{x}", saying("x"));

        var response = answer(app, "DELETE", "/a");

        assertEquals(405, response.status());
        assertEquals("GET, HEAD, OPTIONS, POST, PUT", response.header("Allow").orElseThrow());
    }

    @Test
    void a_wrong_method_is_405_even_with_an_answer_for_unknown_paths() throws Exception {
        var app = Routes.of().get("/a", saying("a")).otherwise(saying("otherwise"));

        assertEquals(405, answer(app, "POST", "/a").status());
    }

    @Test
    void head_is_served_by_the_route_of_get() throws Exception {
        var app = Routes.of().get("/a", saying("a")).get("/{x}/b", saying("b"));

        assertEquals(200, answer(app, "HEAD", "/a").status());
        assertEquals(200, answer(app, "HEAD", "/1/b").status());
    }

    @Test
    void head_may_have_a_route_of_its_own() throws Exception {
        var app = Routes.of().get("/a", saying("get")).route("HEAD", "/a", saying("head"));

        assertEquals("head", answer(app, "HEAD", "/a").text());
    }

    @Test
    void options_are_answered_with_what_is_allowed() throws Exception {
        var response = answer(Routes.of().get("/a", saying("a")), "OPTIONS", "/a");

        assertEquals(204, response.status());
        assertEquals("GET, HEAD, OPTIONS", response.header("Allow").orElseThrow());
    }

    @Test
    void options_may_have_a_route_of_their_own() throws Exception {
        var app = Routes.of().get("/a", saying("a")).route("OPTIONS", "/a", saying("mine"));

        assertEquals("mine", answer(app, "OPTIONS", "/a").text());
    }

    @Test
    void options_of_an_unknown_path_are_answered_with_404() throws Exception {
        assertEquals(
                404, answer(Routes.of().get("/a", saying("a")), "OPTIONS", "/b").status());
    }

    @Test
    void options_of_the_whole_server_are_answered_with_204_and_asked_of_no_route() throws Exception {
        var app = Routes.of().prefix("/", saying("prefix")).otherwise(saying("otherwise"));

        assertEquals(204, answer(app, "OPTIONS", "*").status());
    }

    @Test
    void any_answers_the_methods_that_have_no_route() throws Exception {
        var app = Routes.of().any("/a", saying("any")).get("/a", saying("get"));

        assertEquals("get", get(app, "/a"));
        assertEquals("any", answer(app, "POST", "/a").text());
        assertEquals("any", answer(app, "OPTIONS", "/a").text());
    }

    @Test
    void a_last_slash_makes_another_path() throws Exception {
        var app = Routes.of().get("/a", saying("a")).get("/b/", saying("b"));

        assertEquals("404", get(app, "/a/"));
        assertEquals("404", get(app, "/b"));
        assertEquals("b", get(app, "/b/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"//a//b", "/./a/b", "/x/../a/b", "/%61/b"})
    void other_spellings_of_a_path_find_its_route(String target) throws Exception {
        assertEquals("ab", get(Routes.of().get("/a/b", saying("ab")), target));
    }

    @Test
    void routes_are_values_that_do_not_change() throws Exception {
        var one = Routes.of().get("/a", saying("a"));
        one.get("/b", saying("b"));
        one.get("/{x}", saying("x"));

        assertEquals("404", get(one, "/b"));
    }

    // Parameters.

    @Test
    void parameters_stand_for_whole_segments() throws Exception {
        var app = Routes.of()
                .get("/rooms/{id}/users/{name}", (_, path) -> Response.ok(path.number("id") + " " + path.text("name")));

        assertEquals("12 bob", get(app, "/rooms/12/users/bob"));
        assertEquals("404", get(app, "/rooms/12/users"));
        assertEquals("404", get(app, "/rooms/12/users/"));
        assertEquals("404", get(app, "/rooms/12/users/bob/x"));
        assertEquals("404", get(app, "/rooms//users/bob"));
    }

    @ParameterizedTest
    @CsvSource({"/a%20b,a b", "/%C3%BC,ü", "/%2520,%20", "/a+b,a+b", "/%E2%82%AC,€", "/%F0%9F%98%80,😀", "/%22,\""})
    void a_parameter_is_decoded_once(String target, String expected) throws Exception {
        assertEquals(expected, get(Routes.of().get("/{x}", (_, path) -> Response.ok(path.text("x"))), target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%FF", "/%C3", "/%C0%AF", "/%ED%A0%80", "/a%80b", "/%F8%88%80%80%80"})
    void a_parameter_that_is_not_utf_8_is_answered_with_400(String target) throws Exception {
        assertEquals("400", get(Routes.of().get("/{x}", (_, path) -> Response.ok(path.text("x"))), target));
        assertEquals("400", get(Routes.of().get("/{x...}", (_, path) -> Response.ok(path.text("x"))), target));
    }

    @Test
    void the_rest_of_a_path_has_its_slashes_and_may_be_empty() throws Exception {
        var app = Routes.of().get("/files/{path...}", (_, path) -> Response.ok("<" + path.text("path") + ">"));

        assertEquals("<a/b c/>", get(app, "/files/a/b%20c/"));
        assertEquals("<>", get(app, "/files/"));
        assertEquals("404", get(app, "/files"));
    }

    @Test
    void the_rest_of_a_path_has_no_dot_segments() throws Exception {
        var app = Routes.of().get("/files/{path...}", (_, path) -> Response.ok(path.text("path")));

        assertEquals("b", get(app, "/files/a/%2e%2E/b"));
        assertEquals("404", get(app, "/files/../b"));
    }

    @Test
    void a_handler_need_not_look_at_the_parameters() throws Exception {
        assertEquals("x", get(Routes.of().get("/{x}", saying("x")), "/1"));
    }

    @Test
    void methods_may_name_a_parameter_as_they_like() throws Exception {
        var app = Routes.of()
                .get("/{a}/x", (_, path) -> Response.ok(path.text("a")))
                .put("/{b}/x", (_, path) -> Response.ok(path.text("b")));

        assertEquals("1", get(app, "/1/x"));
        assertEquals("2", answer(app, "PUT", "/2/x").text());
    }

    @Test
    void a_parameter_that_the_pattern_does_not_have_is_a_mistake_of_the_program() {
        var app = Routes.of().get("/{id}", (_, path) -> Response.ok(path.text("name")));

        var e = assertThrows(IllegalArgumentException.class, () -> get(app, "/1"));

        assertEquals("the route's pattern has no parameter {name}: use one of [id], or add it", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "+1", "1.0", "0x1", "1234567890123456789", "%D9%A1", "%20"})
    void a_parameter_that_should_be_a_number_and_is_none_is_404(String segment) {
        var app = Routes.of().get("/{id}", (_, path) -> Response.ok("" + path.number("id")));

        assertEquals(
                404,
                assertThrows(HttpError.class, () -> get(app, "/" + segment)).status());
    }

    // Which one wins.

    @Test
    void a_literal_segment_wins_over_a_parameter_in_any_order() throws Exception {
        var literalFirst = Routes.of().get("/a/b", saying("literal")).get("/a/{x}", saying("parameter"));
        var literalLast = Routes.of().get("/a/{x}", saying("parameter")).get("/a/b", saying("literal"));

        for (var app : List.of(literalFirst, literalLast)) {
            assertEquals("literal", get(app, "/a/b"));
            assertEquals("parameter", get(app, "/a/c"));
        }
    }

    @Test
    void the_leftmost_literal_segment_decides() throws Exception {
        var app = Routes.of().get("/{x}/b", saying("right")).get("/a/{x}", saying("left"));

        assertEquals("left", get(app, "/a/b"));
        assertEquals("right", get(app, "/c/b"));
    }

    @Test
    void a_literal_segment_that_leads_nowhere_leaves_it_to_a_parameter() throws Exception {
        var app = Routes.of().get("/a/{x}/c", saying("literal")).get("/{x}/{y}/d", saying("parameter"));

        assertEquals("parameter", get(app, "/a/b/d"));
    }

    @Test
    void a_pattern_without_the_method_leaves_it_to_a_wider_one() throws Exception {
        var app = Routes.of().post("/a/b", saying("post")).get("/a/{x}", saying("get"));

        assertEquals("get", get(app, "/a/b"));
    }

    @Test
    void the_rest_of_a_path_comes_behind_parameters_and_before_prefixes() throws Exception {
        var app = Routes.of()
                .prefix("/a", saying("prefix"))
                .get("/a/{rest...}", saying("rest"))
                .get("/a/{x}", saying("parameter"));

        assertEquals("parameter", get(app, "/a/b"));
        assertEquals("rest", get(app, "/a/b/c"));
        assertEquals("prefix", get(app, "/a"));
        assertEquals("prefix", answer(app, "POST", "/a/b").text());
    }

    @Test
    void a_prefix_is_whole_segments() throws Exception {
        var app = Routes.of().prefix("/a", request -> Response.ok(request.path()));

        for (var inside : List.of("/a", "/a/", "/a/b", "/a/b/c")) assertEquals(inside, get(app, inside));
        for (var outside : List.of("/", "/ab", "/b/a", "/A")) assertEquals("404", get(app, outside));
    }

    @Test
    void the_longest_prefix_wins() throws Exception {
        var app = Routes.of()
                .prefix("/", saying("root"))
                .prefix("/a/b", saying("ab"))
                .prefix("/a", saying("a"));

        assertEquals("ab", get(app, "/a/b/c"));
        assertEquals("a", get(app, "/a/bc"));
        assertEquals("root", get(app, "/"));
        assertEquals("root", get(app, "/b"));
    }

    @Test
    void routes_below_a_prefix_answer_their_own_unknown_paths() throws Exception {
        var inner = Routes.of().get("/api/a", saying("a")).otherwise(saying("inner"));
        var app = Routes.of().prefix("/api", inner).otherwise(saying("outer"));

        assertEquals("a", get(app, "/api/a"));
        assertEquals("inner", get(app, "/api/b"));
        assertEquals("outer", get(app, "/b"));
        assertEquals(405, answer(app, "POST", "/api/a").status());
    }

    // What is refused.

    @Test
    void a_route_that_there_is_cannot_be_added() {
        assertTrue(refused(() -> Routes.of().get("/a", saying("")).get("/a", saying("")))
                .contains("GET /a"));
        assertTrue(refused(() -> Routes.of().get("/{a}", saying("")).get("/{b}", saying("")))
                .contains("GET /{a}"));
        assertTrue(refused(() -> Routes.of().any("/a", saying("")).any("/a", saying("")))
                .contains("any method /a"));
        refused(() -> Routes.of().get("/{a...}", saying("")).get("/{b...}", saying("")));
        refused(() -> Routes.of().prefix("/a", saying("")).prefix("/a", saying("")));
        refused(() -> Routes.of().otherwise(saying("")).otherwise(saying("")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "*",
                "/a b",
                "/ü",
                "/a//b",
                "//",
                "/./a",
                "/a/..",
                "/a?b",
                "/a#b",
                "/%61",
                "/%2f",
                "/%zz",
                "/a{b}",
                "/{a}b",
                "/{",
                "/}",
                "/{}",
                "/{a b}",
                "/{1}",
                "/{a}/{a}",
                "/{a...}/b",
                "/{...}",
                "/{a..}",
                "/{a}/{a...}"
            })
    void a_pattern_that_no_path_could_match_is_refused(String pattern) {
        refused(() -> Routes.of().get(pattern, saying("")));
    }

    /// As others write it; here they would stand for themselves, and nobody asks for that.
    @ParameterizedTest
    @ValueSource(strings = {"/a/*", "/*", "/a/*/b", "/a/*.js", "/a/**", "/a/:id", "/:id/b"})
    void a_pattern_in_the_syntax_of_others_is_refused_with_ours(String pattern) {
        assertTrue(refused(() -> Routes.of().get(pattern, saying(""))).contains("{name}"));
        assertTrue(refused(() -> Routes.of().prefix(pattern, saying(""))).contains("{name}"));
    }

    @Test
    void a_colon_may_stand_inside_a_segment() throws Exception {
        var routes = Routes.of().post("/jobs:stop", saying("stopped"));
        assertEquals("stopped", answer(routes, "POST", "/jobs:stop").text());
    }

    @Test
    void a_pattern_with_other_escapes_than_paths_have_says_how_they_arrive() {
        assertTrue(refused(() -> Routes.of().get("/%c3%bc", saying(""))).contains("/%C3%BC"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "/a/", "/{x}", "/a/{x...}", "/a//b"})
    void a_prefix_that_is_none_is_refused(String path) {
        refused(() -> Routes.of().prefix(path, saying("")));
    }

    @Test
    void a_method_that_is_none_is_refused() {
        refused(() -> Routes.of().route("", "/a", saying("")));
        refused(() -> Routes.of().route("GET /", "/a", saying("")));
    }

    // Filters.

    @Test
    void a_filter_is_around_everything_that_is_answered() throws Exception {
        HttpFilter marked = next -> request -> next.handle(request).map(response -> response.addHeader("X", "y"));
        var app = Routes.of().get("/a", saying("a")).filter(marked);

        for (var target : List.of("/a", "/unknown"))
            assertTrue(answer(app, "GET", target).headers().has("X"));
        assertTrue(answer(app, "POST", "/a").headers().has("X"));
    }

    @Test
    void the_first_filter_sees_requests_first() throws Exception {
        var seen = new ArrayList<String>();
        HttpFilter one = next -> request -> {
            seen.add("one");
            return next.handle(request);
        };
        HttpFilter two = next -> request -> {
            seen.add("two");
            return next.handle(request);
        };

        get(Routes.of().get("/", saying("")).filter(one, two), "/");

        assertEquals(List.of("one", "two"), seen);
    }

    @Test
    void a_filter_may_answer_itself() throws Exception {
        HttpFilter closed = _ -> _ -> Response.status(403);

        assertEquals("403", get(Routes.of().get("/", saying("")).filter(closed), "/"));
    }

    @Test
    void a_filter_applies_to_one_handler_or_to_those_below_a_prefix() throws Exception {
        HttpFilter closed = _ -> _ -> Response.status(403);
        var admin = Routes.of().get("/admin/a", saying("a"));
        var app = Routes.of()
                .get("/one", closed.around(saying("one")))
                .get("/two", saying("two"))
                .prefix("/admin", admin.filter(closed));

        assertEquals("403", get(app, "/one"));
        assertEquals("two", get(app, "/two"));
        assertEquals("403", get(app, "/admin/a"));
        assertEquals("403", get(app, "/two/../admin/a"));
        assertEquals("403", get(app, "//%61dmin"));
    }

    @Test
    void a_response_that_comes_later_passes_through() throws Exception {
        var later = Response.later(new CompletableFuture<>());

        assertEquals(later, Routes.of().get("/", _ -> later).handle(Request.get("/")));
    }

    @Test
    void thousands_of_routes_are_all_found() throws Exception {
        var routes = Routes.of();
        for (int i = 0; i < 1000; i++) {
            var text = String.valueOf(i);
            routes = routes.get("/r" + i, saying(text)).get("/r" + i + "/{x}", saying(text + "x"));
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(String.valueOf(i), get(routes, "/r" + i));
            assertEquals(i + "x", get(routes, "/r" + i + "/y"));
        }
    }
}
