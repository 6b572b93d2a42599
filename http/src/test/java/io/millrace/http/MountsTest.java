package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Routes within routes, and what is known of the one that answers.
class MountsTest {
    private static final HttpHandler SEEN = request -> Response.ok(request.path() + " " + Routes.mountedAt(request)
            + " " + request.route().orElse("-"));

    private static final Routes ROOMS = Routes.of()
            .get("/", SEEN)
            .get(
                    "/{id}",
                    (request, path) ->
                            Response.ok(path + " " + SEEN.handle(request).text()))
            .get("/all/{rest...}", SEEN)
            .prefix("/below", SEEN);

    private static final HttpHandler APP = Routes.of()
            .get("/", SEEN)
            .get("/api/rooms/special", SEEN)
            .mount("/api/rooms", ROOMS)
            .mount(
                    "/teams/{team}",
                    Routes.of().get("/", SEEN).mount("/rooms", ROOMS).mount("/{id}/rooms", ROOMS))
            .prefix("/static", SEEN);

    private static Response ask(HttpHandler app, String method, String target) throws Exception {
        return app.handle(Request.of(method, target, Bytes.EMPTY));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/; /  /",
                "/api/rooms; / /api/rooms /api/rooms",
                "/api/rooms/; / /api/rooms /api/rooms",
                "/api/rooms/7; [id] [7] /7 /api/rooms /api/rooms/{id}",
                "/api/rooms/a%20b; [id] [a b] /a%20b /api/rooms /api/rooms/{id}",
                "/api/rooms/special; /api/rooms/special  /api/rooms/special",
                "/api/rooms/all/x/y; /all/x/y /api/rooms /api/rooms/all/{rest...}",
                "/api/rooms/below/x; /below/x /api/rooms /api/rooms/below",
                "/teams/7; / /teams/7 /teams/{team}",
                "/teams/a%20b/; / /teams/a%20b /teams/{team}",
                "/teams/7/rooms/3; [team, id] [7, 3] /3 /teams/7/rooms /teams/{team}/rooms/{id}",
                "/teams/7/9/rooms/3; [team, id, id] [7, 9, 3] /3 /teams/7/9/rooms /teams/{team}/{id}/rooms/{id}",
                "/static/a; /static/a  /static"
            })
    void what_is_mounted_sees_what_follows_and_all_see_the_pattern(String target, String seen) throws Exception {
        assertEquals(seen.replaceAll(" +", " "), ask(APP, "GET", target).text().replaceAll(" +", " "));
    }

    @Test
    void a_parameter_hides_one_of_the_same_name_in_front() throws Exception {
        var app = Routes.of().mount("/{id}", Routes.of().get("/{id}", (_, path) -> Response.ok(path.text("id"))));
        assertEquals("b", ask(app, "GET", "/a/b").text());
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/rooms/7/8, 404, /api/rooms",
        "DELETE, /api/rooms/7, 405, /api/rooms",
        "OPTIONS, /api/rooms/7, 204, /api/rooms",
        "GET, /api, 404, -",
        "GET, /api/roomsier, 404, -",
        "GET, /teams, 404, -",
        "GET, /teams/%ff, 400, -"
    })
    void what_is_not_there_is_answered_where_it_is_mounted(String method, String target, int status, String route)
            throws Exception {
        var request = Request.of(method, target, Bytes.EMPTY);
        assertEquals(status, APP.handle(request).status());
        assertEquals(route, request.route().orElse("-"));
    }

    @Test
    void what_is_mounted_at_the_root_gets_what_no_other_route_is_for() throws Exception {
        var app = Routes.of().get("/mine", SEEN).mount("/", Routes.of().get("/yours", SEEN));
        assertEquals("/mine  /mine", ask(app, "GET", "/mine").text());
        assertEquals("/yours  /yours", ask(app, "GET", "/yours").text());
        assertEquals(404, ask(app, "GET", "/nobodys").status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "api", "/api/", "//", "/a/{rest...}", "/a/{id}/{id}", "/{a b}", "/a*"})
    void a_path_that_nothing_could_be_below_is_refused(String path) {
        assertThrows(IllegalArgumentException.class, () -> Routes.of().mount(path, SEEN));
    }

    @Test
    void two_at_one_place_are_refused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Routes.of().mount("/{a}", SEEN).mount("/{b}", SEEN));
        assertThrows(
                IllegalArgumentException.class,
                () -> Routes.of().mount("/a", SEEN).prefix("/a", SEEN));
    }

    @Test
    void a_request_that_is_asked_twice_forgets_the_first_time() throws Exception {
        var request = Request.get("/api/rooms/7");
        var first = APP.handle(request).text();
        assertEquals(first, APP.handle(request).text());
        assertEquals(404, Routes.of().handle(request).status());
        assertEquals(Optional.empty(), request.route());
    }

    // Filters.

    @Test
    void filters_around_a_mount_see_its_requests_alone_and_their_parameters() throws Exception {
        var seen = new ArrayList<String>();
        HttpFilter log = next -> request -> {
            seen.add(request.path() + PathParameters.of(request));
            return next.handle(request);
        };
        var app = Routes.of().get("/", SEEN).mount("/teams/{team}", ROOMS.filter(log));
        assertEquals(200, ask(app, "GET", "/").status());
        assertEquals(200, ask(app, "GET", "/teams/7/3").status());
        assertEquals(404, ask(app, "GET", "/teams/7/3/4").status());
        assertEquals(List.of("/3[team] [7]", "/3/4[team] [7]"), seen);
    }

    @Test
    void a_filter_around_a_route_reads_its_parameters() throws Exception {
        HttpFilter own = next -> request ->
                PathParameters.of(request).text("id").equals("mine") ? next.handle(request) : Response.status(403);
        var app = Routes.of().get("/rooms/{id}", own.around(SEEN));
        assertEquals(200, ask(app, "GET", "/rooms/mine").status());
        assertEquals(403, ask(app, "GET", "/rooms/yours").status());
    }

    @Test
    void a_filter_in_front_knows_the_route_when_it_has_answered_whatever_stands_between() throws Exception {
        var label = new ArrayList<String>();
        HttpFilter metrics = next -> request -> {
            assertEquals(Optional.empty(), request.route());
            var response = next.handle(request);
            label.add(request.route().orElse("-"));
            return response;
        };
        HttpFilter change =
                next -> request -> next.handle(request.setHeader("A", "b").with(Attribute.named("c"), "d"));
        var app = metrics.around(change.around(APP));
        assertEquals(200, ask(app, "GET", "/teams/7/rooms/3").status());
        assertEquals(404, ask(app, "GET", "/unknown").status());
        assertEquals(List.of("/teams/{team}/rooms/{id}", "-"), label);
    }

    // From a server.

    @Test
    void a_listener_hears_of_the_route_of_each_request() {
        var heard = new ArrayList<String>();
        var settings = HttpSettings.standard()
                .listener(served ->
                        heard.add(served.status() + " " + served.route().orElse("-")));
        HttpFilter change = next -> request -> next.handle(request.setHeader("A", "b"));
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), settings, change.around(APP))) {
            for (var path : List.of("/api/rooms/7", "/", "/unknown", "/api/rooms/7/8", "/%zz")) {
                var _ = network.connect(80).send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                network.run();
            }
        }
        assertEquals(List.of("200 /api/rooms/{id}", "200 /", "404 -", "404 /api/rooms", "400 -"), heard);
    }

    @ParameterizedTest
    @EnumSource
    void what_is_mounted_gets_the_body_and_the_connection_as_they_come(Serving.Kind kind) throws IOException {
        var heard = new CopyOnWriteArrayList<String>();
        var inner = Routes.of()
                .post("/echo", _ -> Response.duplex(200, (part, out) -> out.move(part)))
                .post("/later", Http.whole(100, request -> {
                    var text = request.text();
                    return Response.later(CompletableFuture.supplyAsync(() -> Response.ok(text)));
                }));
        var settings = HttpSettings.standard()
                .listener(served -> heard.add(served.route().orElse("-")));
        try (var serving = kind.serve(settings, Routes.of().mount("/teams/{team}", inner));
                var peer = serving.connect()) {
            peer.send("POST /teams/7/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
            peer.send("llo");
            assertEquals("hello", peer.read().text());
            peer.send("POST /teams/7/later HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertEquals("hello", peer.read().text());
            assertTrue(peer.get("/teams/7").read().status() == 404);
        }
        assertEquals(List.of("/teams/{team}/echo", "/teams/{team}/later", "/teams/{team}"), heard);
    }
}
