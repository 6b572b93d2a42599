package io.millrace.proxy.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.http.Request;
import io.millrace.http.Response;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which route answers.
class RoutingTest {
    private static final Routing HOSTS = Configured.of(
            "named: {match: {hosts: [a.example.org, Example.NET, '[::1]']}, upstream: app}",
            "near: {match: {hosts: ['*.b.example.org']}, upstream: app}",
            "far: {match: {hosts: ['*.example.org']}, upstream: app}",
            "any: {upstream: app}");

    @ParameterizedTest
    @CsvSource({
        "a.example.org, named",
        "A.EXAMPLE.org, named",
        "a.example.org:8080, named",
        "a.example.org., named",
        "example.net, named",
        "[::1]:80, named",
        "[::1], named",
        "c.b.example.org, near",
        "d.c.B.example.org:1, near",
        "b.example.org, far",
        "c.example.org, far",
        "example.org, any",
        "xexample.org, any",
        "org, any",
        "'', any",
    })
    void the_most_special_host_answers(String host, String route) {
        assertEquals(route, Configured.route(HOSTS, Configured.request("GET", "/", host)));
    }

    private static final Routing PATHS = Configured.of(
            "literal: {match: {path: /rooms/new}, upstream: app}",
            "parameter: {match: {path: '/rooms/{id}'}, upstream: app}",
            "users: {match: {path: '/rooms/{id}/users'}, upstream: app}",
            "rest: {match: {path: '/rooms/{id...}'}, upstream: app}",
            "prefix: {match: {prefix: /rooms}, upstream: app}",
            "all: {match: {prefix: /}, upstream: app}",
            "any: {upstream: app}");

    @ParameterizedTest
    @CsvSource({
        "/rooms/new, literal",
        "/rooms/7, parameter",
        "/rooms/new2, parameter",
        "/rooms/7/users, users",
        "/rooms/new/users, users",
        "/rooms/7/users/1, rest",
        "/rooms/, rest",
        "/rooms, prefix",
        "/roomss, all",
        "/, all",
        "/other, all",
        "*, any",
    })
    void the_most_special_path_answers(String path, String route) {
        var method = path.equals("*") ? "OPTIONS" : "GET";
        assertEquals(route, Configured.route(PATHS, Configured.request(method, path, "")));
    }

    @Test
    void the_canonical_path_is_compared() {
        assertEquals("literal", Configured.route(PATHS, "/x/../rooms//./n%65w"));
    }

    private static final Routing METHODS = Configured.of(
            "get: {match: {methods: [GET, POST]}, upstream: app}",
            "head: {match: {path: /page, methods: [HEAD]}, upstream: app}",
            "page: {match: {path: /page, methods: [GET]}, upstream: app}",
            "any: {upstream: app}");

    @ParameterizedTest
    @CsvSource({
        "GET, /, get",
        "POST, /, get",
        "HEAD, /, get",
        "PUT, /, any",
        "get, /, any",
        "HEAD, /page, head",
        "GET, /page, page",
        "DELETE, /page, any",
    })
    void a_named_method_wins_and_get_is_for_head(String method, String path, String route) {
        assertEquals(route, Configured.route(METHODS, Configured.request(method, path, "")));
    }

    private static final Routing HEADERS = Configured.of(
            "one: {match: {headers: [{name: X-A, value: a}]}, upstream: app}",
            "two: {match: {headers: [{name: x-a, value: a}, {name: X-B, matches: '^v[12]$'}]}, upstream: app}",
            "absent: {match: {headers: [{name: X-C, present: false}, {name: X-D, present: true}]}, upstream: app}",
            "any: {upstream: app}");

    @ParameterizedTest
    @CsvSource({
        "X-A: a, one",
        "x-a: a, one",
        "X-A: b, any",
        "X-A: a; X-B: v1, two",
        "X-A: a; X-B: v3, one",
        "X-A: a; X-B: v1 , two",
        "X-D: whatever, absent",
        "X-D: whatever; X-C: c, any",
        "X-B: v1, any",
    })
    void more_conditions_on_headers_win(String fields, String route) {
        var request = Request.get("/");
        for (var field : fields.split("; ", -1)) {
            request =
                    request.addHeader(field.substring(0, 3), field.substring(4).strip());
        }
        assertEquals(route, Configured.route(HEADERS, request));
    }

    @Test
    void of_equally_special_ones_the_first_of_the_file_answers() {
        var routing = Configured.of(
                "b: {match: {headers: [{name: X-A, present: true}]}, upstream: app}",
                "a: {match: {headers: [{name: X-B, present: true}]}, upstream: app}");
        assertEquals(
                "b",
                Configured.route(routing, Request.get("/").addHeader("X-B", "1").addHeader("X-A", "1")));
    }

    @Test
    void a_host_counts_more_than_a_path_and_a_path_more_than_a_method() {
        var routing = Configured.of(
                "host: {match: {hosts: [a.org]}, upstream: app}",
                "path: {match: {path: /x}, upstream: app}",
                "method: {match: {prefix: /, methods: [GET]}, upstream: app}");
        assertEquals("host", Configured.route(routing, Configured.request("GET", "/x", "a.org")));
        assertEquals("path", Configured.route(routing, Configured.request("GET", "/x", "b.org")));
    }

    @Test
    void a_literal_segment_of_a_prefix_counts_more_than_a_parameter_of_a_pattern() {
        var routing = Configured.of(
                "pattern: {match: {path: '/{x}'}, upstream: app}", "prefix: {match: {prefix: /x}, upstream: app}");
        assertEquals("prefix", Configured.route(routing, "/x"));
        assertEquals("pattern", Configured.route(routing, "/y"));
    }

    @Test
    void where_a_condition_does_not_hold_a_less_special_route_answers() {
        var routing = Configured.of(
                "host: {match: {hosts: [a.org], path: /x, methods: [PUT]}, upstream: app}",
                "wild: {match: {hosts: ['*.org'], path: '/{x}', methods: [POST]}, upstream: app}",
                "literal: {match: {path: /x, headers: [{name: X-A, present: true}]}, upstream: app}",
                "pattern: {match: {path: '/{x}', methods: [DELETE]}, upstream: app}",
                "prefix: {match: {prefix: /}, upstream: app}");
        assertEquals("host", Configured.route(routing, Configured.request("PUT", "/x", "a.org")));
        assertEquals("wild", Configured.route(routing, Configured.request("POST", "/x", "a.org")));
        assertEquals(
                "literal",
                Configured.route(
                        routing, Configured.request("GET", "/x", "a.org").addHeader("X-A", "")));
        assertEquals("pattern", Configured.route(routing, Configured.request("DELETE", "/x", "a.org")));
        assertEquals("prefix", Configured.route(routing, Configured.request("GET", "/x", "a.org")));
    }

    @Test
    void a_request_that_no_route_is_for_is_answered_with_404() throws Exception {
        var routing = Configured.of("a: {match: {path: /a}, upstream: app}");
        assertEquals(404, routing.handle(Request.get("/b")).status());
    }

    @Test
    void what_is_put_around_a_route_sees_its_requests_and_may_answer_itself() throws Exception {
        var settings = Configured.settings(
                "open: {match: {path: /open}, upstream: app}",
                "shut: {upstream: app, response-headers: {set: {X-By: us}, statuses: [error]}}");
        var seen = new ArrayList<String>();
        var routing = Routing.of(
                settings,
                Configured::echo,
                route -> handler -> request -> {
                    seen.add(route.name());
                    return route.name().equals("shut") ? Response.status(403) : handler.handle(request);
                });
        assertEquals(200, routing.handle(Request.get("/open")).status());
        var refused = routing.handle(Request.get("/"));
        assertEquals(403, refused.status());
        assertEquals("us", refused.header("X-By").orElseThrow());
        assertEquals(List.of("open", "shut"), seen);
    }

    @Test
    void a_request_that_stays_as_it_is_is_passed_on_itself() throws Exception {
        var got = new ArrayList<Request>();
        var routing = Routing.of(Configured.settings("a: {upstream: app}"), _ -> request -> {
            got.add(request);
            return Response.ok("");
        });
        var request = Request.get("/");
        routing.handle(request);
        assertSame(request, got.getFirst());
    }

    @Test
    void a_hostile_value_takes_time_in_proportion_to_its_length_only() {
        var routing = Configured.of(
                "a: {match: {headers: [{name: X-A, matches: '^(a+)+$'}]}, upstream: app}", "any: {upstream: app}");
        // Where a matcher goes back for each way to split them, these would take longer than the universe has.
        assertEquals("any", Configured.route(routing, Request.get("/").addHeader("X-A", "a".repeat(5000) + "b")));
    }
}
