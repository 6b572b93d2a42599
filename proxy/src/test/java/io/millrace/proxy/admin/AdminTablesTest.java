package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.EventLoops;
import io.millrace.http.filter.Metrics;
import io.millrace.proxy.Admin;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.admin.Watched.ServingCertificate;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.admin.Watched.ServingRoute;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.testing.PemFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the admin page tells of a configuration, and of what has happened.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminTablesTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private static JsonNode json(int port, String target) throws IOException {
        try (var client = new RawClient(port)) {
            return JSON.readTree(WatchedProxy.get(client, target).read().text());
        }
    }

    private static List<String> texts(JsonNode array, String field) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(one -> one.get(field).asText())
                .toList();
    }

    private static Configuration configuration(String text) {
        return switch (ConfigurationFile.parse("test.yaml", Path.of("."), text, Map.of())) {
            case CheckedFile.Good good -> good.configuration();
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
    }

    private static final String ROUTES = """
            listeners:
              web: {address: "127.0.0.1:0"}
              db: {address: "localhost:0", layer: 4, upstream: app}
            routes:
              api: {match: {hosts: [api.example.org], prefix: /v1, methods: [GET]}, upstream: app}
              old: {match: {path: /old}, redirect: {to: "https://example.org/"}}
              all: {respond: {body: hi}}
            upstreams: {app: {endpoints: ["127.0.0.1:1"]}}
            admin: {address: "127.0.0.1:0", token: 0123456789abcdef}
            runtime: {loops: 1}
            """;

    @Test
    void the_proxy_tells_its_process_and_its_listeners() throws Exception {
        try (var proxy = WatchedProxy.started(ROUTES)) {
            var told = json(proxy.pagePort(), "/api/proxy");
            assertTrue(told.get("version").asText().length() > 1, told::toString);
            assertEquals(ProcessHandle.current().pid(), told.get("pid").asLong());
            assertTrue(told.get("started").asLong() <= told.get("time").asLong(), told::toString);
            assertEquals(List.of("web", "db"), texts(told.get("listeners"), "name"));
            assertEquals(List.of("HTTP", "TCP, layer 4"), texts(told.get("listeners"), "protocol"));
            assertEquals(
                    "127.0.0.1:" + proxy.port(),
                    told.get("listeners").get(0).get("address").asText());
        }
    }

    @Test
    void routes_are_told_in_words_and_in_their_order() throws Exception {
        try (var proxy = WatchedProxy.started(ROUTES)) {
            var routes = json(proxy.pagePort(), "/api/routes").get("routes");
            assertEquals(List.of("api", "old", "all", "db"), texts(routes, "name"));
            assertEquals(List.of("GET /v1 and below", "/old", "any path", "connections"), texts(routes, "match"));
            assertEquals(List.of("forward", "redirect", "respond", "layer 4"), texts(routes, "action"));
            assertEquals("app", routes.get(0).get("target").asText());
            assertEquals("api.example.org", routes.get(0).get("hosts").get(0).asText());
        }
    }

    private static Admin.Opened showing(ServingProxy serving, EventLoops loops) throws IOException {
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var page = Admin.of(Metrics.of()).open(here, loops);
        page.shows(() -> serving);
        return page;
    }

    private static int port(Admin.Opened page) {
        return ((InetSocketAddress) page.address()).getPort();
    }

    private static ServingProxy many() {
        var routes = IntStream.range(0, 1000)
                .mapToObj(i -> new ServingRoute(
                        "route" + i, List.of(), List.of("h" + i + ".example"), "/p" + i, "forward", "app"))
                .toList();
        return new ServingProxy(1, List.of(), routes, List.of());
    }

    @Test
    void of_a_thousand_routes_a_response_has_a_hundred() throws Exception {
        try (var loops = EventLoops.of(1);
                var page = showing(many(), loops)) {
            var first = json(port(page), "/api/routes");
            assertEquals(1000, first.get("found").asInt());
            assertEquals(AdminJson.MOST, first.get("routes").size());
            assertEquals(
                    AdminJson.MOST,
                    json(port(page), "/api/routes?count=100000").get("routes").size());
            var last = json(port(page), "/api/routes?from=995&count=20").get("routes");
            assertEquals(List.of("route995", "route996", "route997", "route998", "route999"), texts(last, "name"));
            assertEquals(
                    0, json(port(page), "/api/routes?from=5000").get("routes").size());
        }
    }

    @Test
    void a_route_is_found_by_a_part_of_any_text() throws Exception {
        try (var loops = EventLoops.of(1);
                var page = showing(many(), loops)) {
            var found = json(port(page), "/api/routes?find=H77.EXAMPLE");
            assertEquals(List.of("route77"), texts(found.get("routes"), "name"));
            assertEquals(1000, found.get("all").asInt());
            assertEquals(
                    0, json(port(page), "/api/routes?find=nothing").get("found").asInt());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"from=-1", "from=x", "count=1e3", "from=99999999999"})
    void a_number_that_is_none_is_refused(String query) throws Exception {
        try (var loops = EventLoops.of(1);
                var page = showing(many(), loops);
                var client = new RawClient(port(page))) {
            var reply = WatchedProxy.get(client, "/api/routes?" + query).read();
            assertEquals(400, reply.status(), reply::text);
        }
    }

    @Test
    void the_certificate_that_expires_first_comes_first_and_the_number_is_bounded() throws Exception {
        var all = new ArrayList<ServingCertificate>();
        for (int i = 0; i < 150; i++) {
            var names = List.of("n" + i + ".example");
            all.add(new ServingCertificate("web", "CN=n" + i, names, Instant.ofEpochSecond(10_000 - i)));
        }
        try (var loops = EventLoops.of(1);
                var page = showing(new ServingProxy(1, List.of(), List.of(), all), loops)) {
            var told = json(port(page), "/api/proxy");
            assertEquals(AdminJson.MOST, told.get("certificates").size());
            assertEquals(50, told.get("moreCertificates").asInt());
            assertEquals(
                    "CN=n149", told.get("certificates").get(0).get("subject").asText());
            assertEquals(
                    9_851_000, told.get("certificates").get(0).get("expires").asLong());
        }
    }

    // Events.

    /// The events since the proxy of this test began.
    private static List<String> journal(WatchedProxy proxy) throws IOException {
        var all = texts(json(proxy.pagePort(), "/api/journal"), "what");
        int start = IntStream.range(0, all.size())
                .filter(i -> all.get(i).startsWith("the proxy serves "))
                .max()
                .orElseThrow();
        return all.subList(start, all.size()).stream()
                .filter(what -> !what.startsWith("guard "))
                .toList();
    }

    private static String app(String... endpoints) {
        return ROUTES.replace("\"127.0.0.1:1\"", "\"" + String.join("\", \"", endpoints) + "\"");
    }

    @Test
    void a_reload_and_the_backends_that_come_and_go_are_events_even_if_nobody_watches() throws Exception {
        try (var proxy = WatchedProxy.started(app("127.0.0.1:1", "127.0.0.1:2"))) {
            proxy.service().reload(configuration(app("127.0.0.1:2", "127.0.0.1:3")), "SIGHUP came");
            var events = journal(proxy);
            assertEquals("the proxy serves 2 listeners, 3 routes and 1 upstream", events.getFirst());
            assertTrue(events.contains("app: 127.0.0.1:3 joined the list"), events::toString);
            assertTrue(events.contains("app: 127.0.0.1:1 left the list"), events::toString);
            assertTrue(events.contains("in force, because SIGHUP came: changed upstream app"), events::toString);
        }
    }

    @Test
    void a_configuration_that_is_not_used_is_an_event_with_its_reason() throws Exception {
        try (var proxy = WatchedProxy.started(ROUTES)) {
            proxy.service().refused("proxy.yaml:1:1: no");
            assertEquals(
                    "not used, the configuration before stays in force: proxy.yaml:1:1: no",
                    journal(proxy).getLast());
        }
    }

    @Test
    void a_change_on_the_page_is_an_event_with_its_client() throws Exception {
        try (var backend = RawBackend.answering(WatchedProxy.OK);
                var proxy = WatchedProxy.before(backend);
                var client = proxy.page()) {
            assertEquals(200, proxy.put(client, backend, "out").status());
            var last = json(proxy.pagePort(), "/api/journal");
            var event = last.get(last.size() - 1);
            assertEquals("change", event.get("kind").asText());
            assertEquals(
                    "app: " + WatchedProxy.name(backend) + " is disabled",
                    event.get("what").asText());
            assertTrue(event.get("who").asText().startsWith("127.0.0.1:"), event::toString);
        }
    }

    @Test
    void what_was_changed_and_the_events_survive_a_reload() throws Exception {
        try (var backend = RawBackend.answering(WatchedProxy.OK);
                var proxy = WatchedProxy.started(app(WatchedProxy.name(backend)));
                var client = proxy.page()) {
            assertEquals(200, proxy.put(client, backend, "out").status());
            long before = json(proxy.pagePort(), "/api/state").get("serving").asLong();
            proxy.service().reload(configuration(app(WatchedProxy.name(backend), "127.0.0.1:2")));
            var done = "app: " + WatchedProxy.name(backend) + " is disabled";
            assertTrue(journal(proxy).contains(done), () -> done);
            JsonNode state;
            do {
                state = json(proxy.pagePort(), "/api/state");
            } while (state.get("serving").asLong() == before);
            assertEquals("out", state.at("/upstreams/0/backends/0/state").asText(), state::toString);
        }
    }

    @Test
    void a_certificate_that_is_renewed_is_an_event_and_the_new_one_is_shown() throws Exception {
        var old = PemFiles.make(folder, "old", "a.test");
        var next = PemFiles.make(folder, "next", "a.test");
        var tls = ROUTES.replace(
                "web: {address: \"127.0.0.1:0\"}",
                "web: {address: \"127.0.0.1:0\", tls: {certificates: [{chain: " + old.chain() + ", key: " + old.key()
                        + "}]}}");
        try (var proxy = WatchedProxy.started(tls)) {
            assertEquals(
                    "a.test",
                    json(proxy.pagePort(), "/api/proxy")
                            .at("/certificates/0/names/0")
                            .asText());
            assertEquals(
                    "ends here",
                    json(proxy.pagePort(), "/api/proxy").at("/listeners/0/tls").asText());
            Files.move(next.chain(), old.chain(), StandardCopyOption.REPLACE_EXISTING);
            Files.move(next.key(), old.key(), StandardCopyOption.REPLACE_EXISTING);
            proxy.service().reload(configuration(tls));
            var last = journal(proxy).getLast();
            assertTrue(last.matches("listener web: the certificate of .+ is renewed, and expires at .+Z"), last);
        }
    }

    // Who may what.

    private static final String WRONG = "Authorization: Bearer 0123456789abcdeX\r\n";

    @Test
    void too_many_wrong_tokens_are_told_to_wait_and_the_right_one_passes() throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            for (int i = 0; i < Visitors.MISTAKES; i++) {
                assertEquals(
                        401,
                        proxy.send(client, "GET /api/token", "localhost", WRONG, "")
                                .status());
            }
            var reply = proxy.send(client, "POST /api/logs", "localhost", WRONG, "");
            assertEquals(429, reply.status());
            assertTrue(
                    reply.lines().stream().anyMatch(line -> line.matches("Retry-After: ([1-9]|10|11)")),
                    reply::toString);
            var right = WRONG.replace("X", "f");
            assertEquals(
                    200,
                    proxy.send(client, "GET /api/token", "localhost", right, "").status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/admin.js", "/api/state", "/api/journal", "/api/token", "/metrics", "/nothing"})
    void every_response_says_what_browsers_may_not_do_with_it(String path) throws Exception {
        try (var proxy = WatchedProxy.alone();
                var client = proxy.page()) {
            var lines = WatchedProxy.get(client, path).read().lines();
            for (var line : List.of(
                    "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer")) {
                assertTrue(lines.contains(line), () -> path + ": " + lines);
            }
            var policies = lines.stream()
                    .filter(line -> line.startsWith("Content-Security-Policy: default-src 'none'"))
                    .toList();
            assertEquals(1, policies.size(), lines::toString);
        }
    }
}
