package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.EventLoops;
import io.millrace.http.filter.Metrics;
import io.millrace.http.filter.Traffic;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.Admin;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.UpstreamMetrics;
import io.millrace.proxy.admin.Pages.Readiness;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.testing.Waiting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the admin page of a real proxy tells, of real traffic, and to whom.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminTest {
    private static final String TOKEN = "0123456789abcdef";
    private static final String WITH_TOKEN = "Authorization: Bearer " + TOKEN + "\r\n";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode state(WatchedProxy proxy) throws Exception {
        try (var client = proxy.page()) {
            return JSON.readTree(WatchedProxy.get(client, "/api/state").read().text());
        }
    }

    /// The first state that is as it should be.
    private static JsonNode stateWhen(WatchedProxy proxy, Predicate<JsonNode> isSo) throws Exception {
        try (var client = proxy.page()) {
            WatchedProxy.get(client, "/api/events");
            WatchedProxy.head(client);
            while (true) {
                var event = WatchedProxy.event(client);
                var data = JSON.readTree(event.data());
                if (event.name().equals("state") && isSo.test(data)) return data;
            }
        }
    }

    private static List<String> names(JsonNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void the_page_does_not_open_without_what_was_set_and_dropped() {
        var admin = Admin.of(Metrics.of());
        var _ = admin.token(TOKEN);
        try (var loops = EventLoops.of(1)) {
            var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            var refusal = assertThrows(IllegalStateException.class, () -> admin.open(here, loops));
            assertTrue(refusal.toString().contains("what token(…) returned"), refusal::toString);
        }
    }

    @Test
    void a_state_tells_what_was_served_and_by_whom() throws Exception {
        try (var backend = RawBackend.answering(WatchedProxy.OK);
                var proxy = WatchedProxy.before(backend)) {
            proxy.get(5);
            var state = stateWhen(proxy, seen -> seen.get("requests").asLong() == 5);
            assertEquals(
                    List.of(
                            "started",
                            "serving",
                            "journal",
                            "requests",
                            "backendsOut",
                            "now",
                            "loops",
                            "upstreams",
                            "guards",
                            "changes"),
                    names(state));
            assertEquals(0, state.get("backendsOut").asInt());
            var upstream = state.get("upstreams").get(0);
            assertEquals("app", upstream.get("name").asText());
            assertEquals(7, upstream.get("layer").asInt());
            var seen = upstream.get("backends").get(0);
            assertEquals(WatchedProxy.name(backend), seen.get("name").asText());
            assertEquals("up", seen.get("state").asText());
            assertEquals(5, seen.get("requests").asLong());
            assertEquals(0, seen.get("failures").asLong());
        }
    }

    @Test
    void a_moment_tells_rates_latencies_loops_and_memory_of_its_second() throws Exception {
        try (var backend = RawBackend.answering(WatchedProxy.OK);
                var proxy = WatchedProxy.before(backend)) {
            proxy.get(5);
            var now = stateWhen(
                            proxy,
                            seen -> seen.get("now")
                                            .get("requestsPerSecond")
                                            .get("2xx")
                                            .asDouble()
                                    > 0)
                    .get("now");
            var micros = now.get("latencyMicros");
            assertTrue(micros.get("p50").asDouble() > 0, now::toString);
            assertTrue(micros.get("p999").asDouble() >= micros.get("p50").asDouble(), now::toString);
            assertTrue(now.get("receivedBytesPerSecond").asDouble() > 0, now::toString);
            assertTrue(now.get("connections").asInt() > 0, now::toString);
            assertTrue(now.get("busiestLoop").asDouble() >= 0, now::toString);
            assertTrue(now.get("memoryBytes").get("heapUsed").asLong() > 0, now::toString);
        }
    }

    @Test
    void who_watches_hears_the_past_first_and_then_a_state_each_second() throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            WatchedProxy.get(client, "/api/events");
            var head = WatchedProxy.head(client);
            assertTrue(head.contains("Content-Type: text/event-stream"), head::toString);
            var history = WatchedProxy.event(client);
            assertEquals("history", history.name());
            assertTrue(JSON.readTree(history.data()).size() >= 1);
            var first = WatchedProxy.event(client);
            var second = WatchedProxy.event(client);
            assertEquals(List.of("state", "state"), List.of(first.name(), second.name()));
            var time = JSON.readTree(first.data()).get("now").get("time").asLong();
            assertTrue(JSON.readTree(second.data()).get("now").get("time").asLong() > time);
        }
    }

    @Test
    void a_history_is_an_array_of_moments() throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            var history = JSON.readTree(
                    WatchedProxy.get(client, "/api/history").read().text());
            assertTrue(history.get(0).has("requestsPerSecond"), history::toString);
        }
    }

    @Test
    void one_watcher_more_than_there_may_be_is_refused_until_one_has_gone() throws Exception {
        try (var proxy = WatchedProxy.alone()) {
            var watching = new ArrayList<RawClient>();
            for (int i = 0; i < Watchers.MOST; i++) {
                var client = WatchedProxy.get(proxy.page(), "/api/events");
                WatchedProxy.head(client);
                WatchedProxy.event(client);
                watching.add(client);
            }
            long acted = ProxyGuards.ADMIN_WATCHERS.count();
            try (var late = proxy.page()) {
                assertEquals(503, WatchedProxy.get(late, "/api/events").read().status());
            }
            assertEquals(acted + 1, ProxyGuards.ADMIN_WATCHERS.count());
            for (var client : watching) client.close();
            while (!mayWatch(proxy)) Waiting.briefly();
        }
    }

    private static boolean mayWatch(WatchedProxy proxy) throws Exception {
        try (var client = proxy.page()) {
            return WatchedProxy.head(WatchedProxy.get(client, "/api/events"))
                    .getFirst()
                    .contains("200");
        }
    }

    @Test
    void the_page_runs_nothing_but_its_own_scripts_and_is_no_part_of_others() throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            for (var path : List.of(
                    "/",
                    "/admin.css",
                    "/admin.js",
                    "/asking.js",
                    "/charts.js",
                    "/serving.js",
                    "/tables.js",
                    "/admin.svg")) {
                var reply = WatchedProxy.get(client, path).read();
                assertEquals(200, reply.status(), path);
                assertTrue(reply.text().length() > 100, path);
                var policy = reply.lines().stream()
                        .filter(line -> line.startsWith("Content-Security-Policy: "))
                        .findFirst()
                        .orElseThrow();
                assertTrue(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), policy);
                assertTrue(!policy.contains("unsafe"), policy);
            }
        }
    }

    // Who may what.

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:9000", "[::1]:9000", "localhost", "LOCALHOST:9000", "10.1.2.3"})
    void an_address_and_localhost_are_names_of_the_page(String host) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            assertEquals(200, proxy.send(client, "GET /api/state", host, "", "").status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "evil.example:9000", "127.0.0.1.evil.example", "localhost.evil.example"})
    void a_name_that_was_made_to_lead_here_is_refused(String host) throws Exception {
        try (var proxy = WatchedProxy.alone()) {
            for (var path : List.of("/", "/api/state", "/api/events", "/metrics")) {
                try (var client = proxy.page()) {
                    assertEquals(
                            421, proxy.send(client, "GET " + path, host, "", "").status(), path);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site"})
    void a_page_from_elsewhere_gets_no_figures(String site) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            var field = "Sec-Fetch-Site: " + site + "\r\n";
            assertEquals(
                    403,
                    proxy.send(client, "GET /api/state", "localhost", field, "").status());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/api/backend, '', 401",
        "/api/backend, 'Authorization: Bearer 0123456789abcdee\r\n', 401",
        "/api/backend, 'Authorization: Basic 0123456789abcdef\r\n', 401",
        "/api/backend, 'Cookie: token=0123456789abcdef\r\n', 401",
        "/api/backend?token=0123456789abcdef, '', 401",
        "/api/reload,  '', 401",
        "/api/logs,    '', 401",
        "/api/logs,    'Authorization: Bearer 0123456789abcdef\r\n', 200",
        "/api/logs,    'authorization: bearer 0123456789abcdef\r\n', 200",
    })
    void a_change_takes_the_token(String path, String field, int status) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            var reply = proxy.send(client, "POST " + path, "localhost", field, "");
            assertEquals(status, reply.status(), reply::text);
            if (status == 401) {
                assertTrue(reply.lines().contains("WWW-Authenticate: Bearer realm=\"Millrace\""), () -> "" + reply);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 401", "'Authorization: Bearer 0123456789abcdeF\r\n', 401", "'" + WITH_TOKEN + "', 200"})
    void a_token_can_be_tried_without_changing_anything(String field, int status) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            assertEquals(
                    status,
                    proxy.send(client, "GET /api/token", "localhost", field, "").status());
        }
    }

    @Test
    void without_a_token_nothing_changes_and_the_remedy_is_told() throws Exception {
        try (var proxy = WatchedProxy.withoutToken();
                var client = proxy.page()) {
            var reply = proxy.send(client, "POST /api/logs", "localhost", WITH_TOKEN, "");
            assertEquals(403, reply.status());
            assertTrue(reply.text().contains("admin.token"), reply::text);
            assertEquals(0, state(proxy).get("changes").size());
        }
    }

    @Test
    void what_others_can_reach_takes_a_token_for_figures_and_none_for_health_and_metrics() throws Exception {
        try (var loops = EventLoops.of(1);
                var page = Admin.of(Metrics.of()).loops(loops).token(TOKEN).open(anywhere(), loops)) {
            int port = ((InetSocketAddress) page.address()).getPort();
            for (var path : List.of("/healthz", "/ready", "/metrics", "/")) {
                try (var client = new RawClient(port)) {
                    assertEquals(200, WatchedProxy.get(client, path).read().status(), path);
                }
            }
            for (var path : List.of("/api/state", "/api/history", "/api/events")) {
                try (var client = new RawClient(port)) {
                    assertEquals(401, WatchedProxy.get(client, path).read().status(), path);
                }
            }
            try (var client = new RawClient(port)) {
                client.send("GET /api/state HTTP/1.1\r\nHost: proxy1.internal\r\n" + WITH_TOKEN + "\r\n");
                assertEquals(200, client.read().status());
            }
        }
    }

    @Test
    void a_proxy_is_ready_when_its_upstreams_know_their_backends() throws Exception {
        var list = new AtomicReference<Consumer<List<Endpoint>>>();
        EndpointSource late = listener -> {
            list.set(listener);
            return () -> {};
        };
        try (var loops = EventLoops.of(1);
                var upstream = Upstream.of(late).name("late").start();
                var page = Admin.of(Metrics.of())
                        .upstreams(UpstreamMetrics.of(upstream))
                        .open(here(), loops);
                var client = new RawClient(((InetSocketAddress) page.address()).getPort())) {
            var reply = WatchedProxy.get(client, "/ready").read();
            assertEquals(503, reply.status());
            assertEquals("not ready: the upstream late does not know its backends yet\n", reply.text());
            assertEquals(200, WatchedProxy.get(client, "/healthz").read().status());
            list.get().accept(List.of(Endpoint.of(InetSocketAddress.createUnresolved("nowhere.invalid", 80))));
            assertEquals("ready\n", WatchedProxy.get(client, "/ready").read().text());
        }
    }

    @Test
    void a_proxy_that_ends_is_not_ready() {
        var readiness = new Readiness(new NobodyWatched());
        assertEquals(200, readiness.answer().status());
        readiness.end();
        assertEquals(503, readiness.answer().status());
        assertEquals("not ready: this process is ending\n", readiness.answer().text());
    }

    private record NobodyWatched() implements Watched {
        @Override
        public List<Traffic> traffic() {
            return List.of();
        }

        @Override
        public List<LoopCounters> loops() {
            return List.of();
        }

        @Override
        public List<WatchedUpstream> upstreams() {
            return List.of();
        }
    }

    private static InetSocketAddress here() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static InetSocketAddress anywhere() {
        return new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0);
    }

    @Test
    void what_others_can_reach_is_not_opened_without_a_token() {
        try (var loops = EventLoops.of(1)) {
            var why = assertThrows(
                    IllegalArgumentException.class, () -> Admin.of(Metrics.of()).open(anywhere(), loops));
            assertTrue(why.toString().contains("needs a token"), why::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"localhost, true", "LocalHost, true", "proxy1.internal, false", "localhost.example, false"})
    void a_name_is_this_machine_only_when_everybody_says_so(String name, boolean isLocal) {
        assertEquals(isLocal, AdminRules.isLocal(InetSocketAddress.createUnresolved(name, 80)));
    }

    // Changes.

    @Test
    void a_backend_that_is_put_out_gets_no_requests_until_it_is_put_back() throws Exception {
        try (var one = RawBackend.answering(WatchedProxy.OK);
                var other = RawBackend.answering(WatchedProxy.OK);
                var proxy = WatchedProxy.before(one, other);
                var client = proxy.page()) {
            proxy.get(4);
            assertEquals(200, proxy.put(client, one, "out").status());
            int before = one.connections();
            proxy.get(4);
            var state = stateWhen(proxy, seen -> seen.get("backendsOut").asInt() == 1);
            var seen = state.get("upstreams").get(0).get("backends").get(0);
            assertEquals("out", seen.get("state").asText());
            assertEquals(2, seen.get("requests").asLong());
            assertEquals(before, one.connections());
            assertEquals(200, proxy.put(client, one, "in").status());
            proxy.get(4);
            stateWhen(
                    proxy,
                    now -> now.get("upstreams")
                                    .get(0)
                                    .get("backends")
                                    .get(0)
                                    .get("requests")
                                    .asLong()
                            == 4);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "upstream=app&backend=127.0.0.1:1&state=out, 404",
        "upstream=none&backend=127.0.0.1:1&state=out, 404",
        "upstream=app&backend=127.0.0.1:1&state=away, 400",
        "upstream=app&state=out, 400"
    })
    void a_change_of_nobody_is_refused(String form, int status) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            assertEquals(
                    status,
                    proxy.send(client, "POST /api/backend", "localhost", WITH_TOKEN, form)
                            .status());
        }
    }

    @Test
    void the_configuration_is_read_again_by_whoever_knows_how() throws Exception {
        var calls = new AtomicInteger();
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            assertEquals(
                    404,
                    proxy.send(client, "POST /api/reload", "localhost", WITH_TOKEN, "")
                            .status());
            proxy.service().onReload(() -> {
                if (calls.incrementAndGet() > 1) throw new IllegalStateException("proxy.yaml:1:1: no");
                return "proxy.yaml is in force";
            });
            var done = proxy.send(client, "POST /api/reload", "localhost", WITH_TOKEN, "");
            assertEquals("proxy.yaml is in force\n", done.text());
            var refused = proxy.send(client, "POST /api/reload", "localhost", WITH_TOKEN, "");
            assertEquals(409, refused.status());
            assertEquals("proxy.yaml:1:1: no\n", refused.text());
        }
    }
}
