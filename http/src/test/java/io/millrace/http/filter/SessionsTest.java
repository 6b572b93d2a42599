package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.Cookie;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.Serving;
import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionsTest {
    private static final Bytes KEY = Bytes.utf8("k".repeat(32));
    private static final Bytes OTHER = Bytes.utf8("o".repeat(32));

    /// Both places for what is remembered.
    enum Place {
        STORE,
        COOKIE;

        Sessions sessions(Bytes key) {
            return this == STORE ? Sessions.in(MemorySessions.of(10), key) : Sessions.inCookies(key);
        }
    }

    /// A time that a test sets.
    private static final class Clock implements InstantSource {
        private Instant now = Instant.ofEpochSecond(1_000_000);

        @Override
        public Instant instant() {
            return now;
        }

        void pass(Duration time) {
            now = now.plus(time);
        }
    }

    private static final HttpHandler APP = Routes.of()
            .get("/", request -> Response.ok(HttpSession.of(request).get("user").orElse("nobody")))
            .get("/plain", _ -> Response.ok("plain"))
            .get("/set/{user}", (request, path) -> {
                HttpSession.of(request).set("user", path.text("user"));
                return Response.ok("set");
            })
            .get("/login/{user}", (request, path) -> {
                var session = HttpSession.of(request);
                session.renew();
                session.set("user", path.text("user"));
                return Response.ok("in");
            })
            .get("/remove", request -> {
                HttpSession.of(request).remove("user");
                return Response.ok("removed");
            })
            .get("/logout", request -> {
                HttpSession.of(request).end();
                return Response.ok("out");
            })
            .get("/fail", request -> {
                HttpSession.of(request).set("user", "failed");
                throw new HttpError(409, "on purpose");
            })
            .get("/later", request -> {
                var session = HttpSession.of(request);
                return Response.later(CompletableFuture.supplyAsync(() -> {
                    session.set("user", "later");
                    return Response.ok("late");
                }));
            })
            .get("/stream", request -> {
                HttpSession.of(request).set("user", "streamed");
                return Response.stream(200, out -> {
                    out.writeUtf8("part");
                    return false;
                });
            });

    /// A user agent that keeps one cookie.
    private static final class Agent {
        private final HttpHandler app;
        private final String origin;
        private String cookie = "";

        Agent(HttpHandler app, String origin) {
            this.app = app;
            this.origin = origin;
        }

        Agent(Sessions sessions) {
            this(sessions.around(APP), "");
        }

        Response get(String path) throws Exception {
            var request = Request.get(origin + path);
            if (!cookie.isEmpty()) request = request.setHeader("Cookie", cookie);
            var response = app.handle(request);
            response.header("Set-Cookie").ifPresent(this::keep);
            return response;
        }

        private void keep(String set) {
            cookie = set.contains("Max-Age=0") ? "" : set.substring(0, set.indexOf(';'));
        }

        String user() throws Exception {
            return get("/").text();
        }
    }

    private static Optional<String> set(Response response) {
        return response.header("Set-Cookie");
    }

    @ParameterizedTest
    @EnumSource
    void what_is_set_is_there_at_the_next_request(Place place) throws Exception {
        var agent = new Agent(place.sessions(KEY));
        assertEquals("nobody", agent.user());
        agent.get("/set/ann");
        assertEquals("ann", agent.user());
        assertEquals("ann", agent.user());
    }

    @ParameterizedTest
    @EnumSource
    void who_only_looks_gets_no_cookie(Place place) throws Exception {
        var agent = new Agent(place.sessions(KEY));
        assertEquals(Optional.empty(), set(agent.get("/")));
        agent.get("/set/ann");
        assertEquals(Optional.empty(), set(agent.get("/")));
        assertEquals(Optional.empty(), set(agent.get("/set/ann")));
    }

    @ParameterizedTest
    @EnumSource
    void a_cookie_is_hidden_from_scripts_and_other_sites_and_over_TLS_of_this_host_alone(Place place) throws Exception {
        var open = set(new Agent(place.sessions(KEY)).get("/set/ann")).orElseThrow();
        assertTrue(open.matches("session=[A-Za-z0-9_-]+; Path=/; HttpOnly; SameSite=Lax"), open);
        var app = place.sessions(KEY).around(APP);
        var overTls = set(new Agent(app, "https://a").get("/set/ann")).orElseThrow();
        assertTrue(overTls.matches("__Host-session=[A-Za-z0-9_-]+; Path=/; Secure; HttpOnly; SameSite=Lax"), overTls);
        var ended =
                set(new Agent(place.sessions(KEY).secure(true)).get("/set/ann")).orElseThrow();
        assertTrue(ended.startsWith("__Host-session="), ended);
    }

    @ParameterizedTest
    @EnumSource
    void a_cookie_of_another_shape_says_so(Place place) throws Exception {
        var shape = Cookie.of("sid", "").path("/app").maxAge(Duration.ofDays(1)).sameSite(Cookie.SameSite.STRICT);
        var cookie = set(new Agent(place.sessions(KEY).cookie(shape).secure(true)).get("/set/ann"))
                .orElseThrow();
        assertTrue(
                cookie.matches("__Secure-sid=[^;]+; Max-Age=86400; Path=/app; Secure; HttpOnly; SameSite=Strict"),
                cookie);
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_sets_one_is_not_stored(Place place) throws Exception {
        assertEquals(
                Optional.of("no-store"),
                new Agent(place.sessions(KEY)).get("/set/ann").header("Cache-Control"));
        assertEquals(Optional.empty(), new Agent(place.sessions(KEY)).get("/").header("Cache-Control"));
    }

    @ParameterizedTest
    @EnumSource
    void who_logs_out_or_has_nothing_left_is_forgotten(Place place) throws Exception {
        for (var way : List.of("/logout", "/remove")) {
            var agent = new Agent(place.sessions(KEY));
            agent.get("/set/ann");
            assertTrue(set(agent.get(way)).orElseThrow().contains("session=; Max-Age=0; Path=/"), way);
            assertEquals("nobody", agent.user());
        }
    }

    // Whose session it is.

    @Test
    void who_logs_in_gets_another_id_and_the_old_one_is_nobodys() throws Exception {
        var store = MemorySessions.of(10);
        var sessions = Sessions.in(store, KEY);
        var agent = new Agent(sessions);
        agent.get("/set/guest");
        var planted = new Agent(sessions);
        planted.cookie = agent.cookie;
        agent.get("/login/ann");
        assertNotEquals(planted.cookie, agent.cookie);
        assertEquals("ann", agent.user());
        assertEquals("nobody", planted.user());
        assertEquals(1, store.size());
    }

    /// A request that only looks, while another one does something.
    private static Agent looking(Sessions sessions, Clock clock, Agent agent, String meanwhile) {
        var other = new Agent(
                sessions.around(request -> {
                    var user = HttpSession.of(request).get("user").orElse("nobody");
                    clock.pass(Duration.ofMinutes(10));
                    agent.get(meanwhile);
                    return Response.ok(user);
                }),
                "");
        other.cookie = agent.cookie;
        return other;
    }

    @Test
    void a_request_that_only_looks_takes_back_nothing_that_another_one_sets() throws Exception {
        var clock = new Clock();
        var sessions = Sessions.in(MemorySessions.of(10), KEY).clock(clock);
        var agent = new Agent(sessions);
        agent.get("/set/ann");
        assertEquals("ann", looking(sessions, clock, agent, "/set/bob").user());
        assertEquals("bob", agent.user());
    }

    @Test
    void a_request_that_only_looks_does_not_give_back_the_id_before_a_login() throws Exception {
        var clock = new Clock();
        var sessions = Sessions.in(MemorySessions.of(10), KEY).clock(clock);
        var agent = new Agent(sessions);
        agent.get("/set/ann");
        var looking = looking(sessions, clock, agent, "/login/bob");
        var response = looking.get("/");
        assertEquals(Optional.empty(), response.header("Set-Cookie"));
        assertEquals("bob", agent.user());
    }

    @Test
    void a_session_that_is_looked_at_in_time_goes_on() throws Exception {
        var clock = new Clock();
        var agent = new Agent(Sessions.in(MemorySessions.of(10), KEY).clock(clock));
        agent.get("/set/ann");
        for (int i = 0; i < 5; i++) {
            clock.pass(Duration.ofMinutes(20));
            assertEquals("ann", agent.user());
        }
    }

    @Test
    void who_has_logged_out_stays_so_whatever_is_under_way() throws Exception {
        var store = MemorySessions.of(10);
        var sessions = Sessions.in(store, KEY);
        var agent = new Agent(sessions);
        agent.get("/set/ann");
        var other = new Agent(
                sessions.around(request -> {
                    HttpSession.of(request).set("user", "bob");
                    agent.get("/logout");
                    return Response.ok("late");
                }),
                "");
        other.cookie = agent.cookie;
        other.get("/");
        var after = new Agent(sessions);
        after.cookie = other.cookie;
        assertEquals("nobody", after.user());
        assertEquals(0, store.size());
    }

    @ParameterizedTest
    @EnumSource
    void a_cookie_that_was_tampered_with_counts_as_none(Place place) throws Exception {
        var agent = new Agent(place.sessions(KEY));
        agent.get("/set/ann");
        var good = agent.cookie;
        var bytes = Base64.getUrlDecoder().decode(good.substring("session=".length()));
        for (int i = 0; i < bytes.length; i++) {
            var changed = bytes.clone();
            changed[i] ^= 1;
            agent.cookie = "session=" + Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
            var tampered = agent.cookie;
            assertEquals("nobody", agent.user(), tampered);
            assertEquals("", agent.cookie, "it is taken back");
        }
        agent.cookie = good;
        assertEquals("ann", agent.user());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "=", "AAAA", "%%%%", "a b", "AQ", "\"\"", "ü"})
    void a_cookie_that_is_none_of_ours_counts_as_none(String value) throws Exception {
        for (var place : Place.values()) {
            var request = Request.get("/").setHeader("Cookie", "session=" + value);
            assertEquals(
                    "nobody", place.sessions(KEY).around(APP).handle(request).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_cookie_that_is_too_long_counts_as_none(Place place) throws Exception {
        var request = Request.get("/").setHeader("Cookie", "session=" + "A".repeat(10_000));
        assertEquals("nobody", place.sessions(KEY).around(APP).handle(request).text());
    }

    @ParameterizedTest
    @EnumSource
    void a_cookie_of_another_key_or_name_counts_as_none(Place place) throws Exception {
        var sessions = place.sessions(KEY);
        var agent = new Agent(sessions);
        agent.get("/set/ann");
        var named = new Agent(sessions.cookie(Cookie.of("other", "")));
        named.cookie = agent.cookie.replace("session=", "other=");
        assertEquals("nobody", named.user());
        var secured = new Agent(sessions.secure(true));
        secured.cookie = agent.cookie.replace("session=", "__Host-session=");
        assertEquals("nobody", secured.user());
        var keyed = new Agent(place.sessions(OTHER));
        keyed.cookie = agent.cookie;
        assertEquals("nobody", keyed.user());
    }

    @Test
    void a_key_that_was_used_before_is_taken_and_replaced() throws Exception {
        var store = MemorySessions.of(10);
        for (var place : Place.values()) {
            var before = place == Place.STORE ? Sessions.in(store, OTHER) : Sessions.inCookies(OTHER);
            var agent = new Agent(before);
            agent.get("/set/ann");
            var now = place == Place.STORE ? Sessions.in(store, KEY) : Sessions.inCookies(KEY);
            var moved = new Agent(now.olderKeys(OTHER));
            moved.cookie = agent.cookie;
            assertEquals("ann", moved.user());
            assertNotEquals(agent.cookie, moved.cookie);
            var later = new Agent(now);
            later.cookie = moved.cookie;
            assertEquals("ann", later.user());
        }
    }

    // How long it lasts.

    @ParameterizedTest
    @EnumSource
    void a_session_that_is_not_used_is_over(Place place) throws Exception {
        var clock = new Clock();
        var agent = new Agent(place.sessions(KEY).idle(Duration.ofMinutes(20)).clock(clock));
        agent.get("/set/ann");
        clock.pass(Duration.ofMinutes(20).minusMillis(1));
        assertEquals("ann", agent.user());
        clock.pass(Duration.ofMinutes(20));
        assertEquals("nobody", agent.user());
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_is_used_lasts_for_its_lifetime_and_from_login_anew(Place place) throws Exception {
        var clock = new Clock();
        var agent = new Agent(place.sessions(KEY)
                .idle(Duration.ofMinutes(20))
                .lifetime(Duration.ofHours(1))
                .clock(clock));
        agent.get("/set/guest");
        for (int i = 0; i < 5; i++) {
            clock.pass(Duration.ofMinutes(10));
            assertEquals("guest", agent.user());
        }
        agent.get("/login/ann");
        for (int i = 0; i < 5; i++) {
            clock.pass(Duration.ofMinutes(10));
            assertEquals("ann", agent.user());
        }
        clock.pass(Duration.ofMinutes(10));
        assertEquals("nobody", agent.user());
    }

    @ParameterizedTest
    @EnumSource
    void a_clock_that_is_set_back_ends_no_session_and_one_that_was_far_ahead_begins_none(Place place) throws Exception {
        var clock = new Clock();
        var agent = new Agent(place.sessions(KEY).idle(Duration.ofMinutes(20)).clock(clock));
        agent.get("/set/ann");
        clock.pass(Duration.ofMinutes(-15));
        assertEquals("ann", agent.user());
        clock.pass(Duration.ofMinutes(-6));
        assertEquals("nobody", agent.user());
    }

    // What it may have.

    @Test
    void what_is_too_long_is_refused_when_it_is_set_with_the_remedy() {
        var inCookie = new Agent(
                Sessions.inCookies(KEY).around(request -> {
                    var session = HttpSession.of(request);
                    session.set("fits", "x".repeat(2800));
                    session.set("user", "x".repeat(400));
                    return Response.ok("");
                }),
                "");
        var refused = assertThrows(IllegalStateException.class, () -> inCookie.get("/"));
        assertTrue(String.valueOf(refused.getMessage()).contains("Sessions.in"), refused.getMessage());
        var kept = new Agent(
                Place.STORE.sessions(KEY).around(request -> {
                    HttpSession.of(request).set("user", "ö".repeat(2049));
                    return Response.ok("");
                }),
                "");
        assertThrows(IllegalStateException.class, () -> kept.get("/"));
    }

    @Test
    void a_full_cookie_is_one_that_user_agents_keep() throws Exception {
        var agent = new Agent(
                Sessions.inCookies(KEY).secure(true).around(request -> {
                    var session = HttpSession.of(request);
                    if (session.get("big").isEmpty()) session.set("big", "x".repeat(2900));
                    return Response.ok(session.get("big").orElseThrow());
                }),
                "");
        assertEquals(2900, agent.get("/").text().length());
        assertTrue(agent.cookie.length() <= 4097, "" + agent.cookie.length());
        assertEquals(Optional.empty(), set(agent.get("/")));
    }

    @ParameterizedTest
    @EnumSource
    void any_text_is_a_value_and_none_gets_into_the_head(Place place) throws Exception {
        var value = "a\r\nSet-Cookie: x=y; ü€😀\0\ud800";
        var agent = new Agent(
                place.sessions(KEY).around(request -> {
                    var session = HttpSession.of(request);
                    if (session.isNew()) session.set("v\r\n", value);
                    return Response.ok("" + session.get("v\r\n").orElseThrow().equals(value));
                }),
                "");
        var first = agent.get("/");
        assertEquals(1, first.headers().all("Set-Cookie").size());
        assertEquals("true", agent.get("/").text());
    }

    @Test
    void what_is_changed_behind_the_beginning_of_the_response_is_refused() throws Exception {
        var kept = new HttpSession[1];
        var app = Sessions.inCookies(KEY).around(request -> {
            kept[0] = HttpSession.of(request);
            return Response.ok("");
        });
        var _ = app.handle(Request.get("/"));
        assertThrows(IllegalStateException.class, () -> kept[0].set("a", "b"));
        assertThrows(IllegalStateException.class, () -> kept[0].end());
    }

    @Test
    void a_session_that_is_looked_for_behind_the_beginning_is_read_alone() throws Exception {
        var app = Sessions.inCookies(KEY)
                .around(request -> Response.stream(200, out -> {
                    var session = HttpSession.of(request);
                    out.writeUtf8(session.get("user").orElse("nobody"));
                    assertThrows(IllegalStateException.class, () -> session.set("user", "ann"));
                    return false;
                }));
        assertEquals("nobody", app.handle(Request.get("/")).text());
    }

    @Test
    void without_the_filter_a_handler_hears_what_is_missing() {
        var refused = assertThrows(IllegalStateException.class, () -> HttpSession.of(Request.get("/")));
        assertTrue(String.valueOf(refused.getMessage()).contains("Sessions filter"), refused.getMessage());
    }

    @Test
    void what_makes_no_sense_is_refused() {
        var sessions = Sessions.inCookies(KEY);
        assertThrows(IllegalArgumentException.class, () -> Sessions.inCookies(Bytes.utf8("short")));
        assertThrows(IllegalArgumentException.class, () -> sessions.olderKeys(Bytes.utf8("short")));
        assertThrows(IllegalArgumentException.class, () -> sessions.olderKeys(KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY));
        assertThrows(IllegalArgumentException.class, () -> sessions.idle(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> sessions.lifetime(Duration.ofSeconds(-1)));
        assertThrows(IllegalArgumentException.class, () -> sessions.lifetime(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThrows(IllegalArgumentException.class, () -> sessions.cookie(Cookie.of("a", "b")));
        assertThrows(IllegalArgumentException.class, () -> sessions.cookie(Cookie.of("__Host-a", "")));
        assertThrows(IllegalArgumentException.class, () -> MemorySessions.of(0));
    }

    @Test
    void no_secret_is_in_a_text_for_a_log() throws Exception {
        var seen = new String[1];
        var agent = new Agent(
                Sessions.inCookies(KEY).around(request -> {
                    var session = HttpSession.of(request);
                    session.set("user", "ann");
                    seen[0] = session.toString();
                    return Response.ok("");
                }),
                "");
        agent.get("/");
        assertTrue(seen[0].matches("session [A-Za-z0-9_-]{6}"), seen[0]);
        var stored = new StoredSession(Map.of("user", "ann"), Instant.EPOCH, Instant.EPOCH);
        assertFalse(stored.toString().contains("ann"), stored.toString());
    }

    // The store in memory.

    @Test
    void a_store_that_is_full_loses_the_session_that_was_not_used_for_the_longest_time() {
        var store = MemorySessions.of(2);
        long before = HttpGuards.SESSIONS.count();
        var session = new StoredSession(Map.of(), Instant.EPOCH, Instant.EPOCH);
        var until = Instant.EPOCH.plusSeconds(60);
        store.add("a", session, until);
        store.add("b", session, until);
        assertTrue(store.find("a").isPresent());
        store.add("c", session, until);
        assertEquals(Optional.empty(), store.find("b"));
        assertTrue(store.find("a").isPresent());
        assertEquals(2, store.size());
        assertEquals(1, HttpGuards.SESSIONS.count() - before);
    }

    @Test
    void sessions_that_are_over_make_room_and_nobody_is_told() {
        var store = MemorySessions.of(2);
        long before = HttpGuards.SESSIONS.count();
        for (int i = 0; i < 100; i++) {
            var now = Instant.EPOCH.plusSeconds(i);
            store.add("" + i, new StoredSession(Map.of(), now, now), now.plusSeconds(1));
        }
        assertEquals(0, HttpGuards.SESSIONS.count() - before);
        assertEquals(1, store.size());
    }

    // From a server.

    @ParameterizedTest
    @EnumSource
    void every_kind_of_response_brings_it(Serving.Kind kind) throws IOException {
        try (var serving =
                        kind.serve(Sessions.in(MemorySessions.standard(), KEY).around(APP));
                var peer = serving.connect()) {
            for (var path : List.of("/set/ann", "/later", "/stream", "/fail")) {
                var reply = peer.get(path).read();
                assertEquals(path.equals("/fail") ? 409 : 200, reply.status());
                assertTrue(reply.header("set-cookie").startsWith("session="), path);
            }
            var cookie = peer.get("/later").read().header("set-cookie");
            peer.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: " + cookie.substring(0, cookie.indexOf(';')) + "\r\n\r\n");
            assertEquals("later", peer.read().text());
        }
    }
}
