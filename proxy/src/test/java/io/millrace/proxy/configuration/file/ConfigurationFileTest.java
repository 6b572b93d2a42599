package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.http.Request;
import io.millrace.http.filter.AccessLog;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Expires;
import io.millrace.http.server.StaticFiles;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.Retries;
import io.millrace.proxy.UpstreamSettings;
import io.millrace.proxy.UpstreamSettings.HashKey;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Configuration.AccessLogSettings;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import io.millrace.proxy.configuration.Configuration.ForwardingRules;
import io.millrace.proxy.configuration.Configuration.RuntimeSettings;
import io.millrace.proxy.configuration.Configuration.UpstreamLoops;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.StatusClass;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.upstream.DnsSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a file says is what comes out, or all that is wrong with it.
class ConfigurationFileTest {
    private static final String SMALL = """
            listeners: {web: {address: "127.0.0.1:80"}}
            routes: {all: {upstream: app}}
            upstreams: {app: {endpoints: [10.0.0.1:80]}}
            """;

    private static Configuration good(String text) {
        assertEquals("", Corpus.problems(text));
        return assertInstanceOf(CheckedFile.Good.class, Corpus.check(text)).configuration();
    }

    private static ConfiguredUpstream configured(Configuration configuration, String name) {
        return Optional.ofNullable(configuration.upstreams().get(name)).orElseThrow();
    }

    private static UpstreamSettings upstream(Configuration configuration, String name) {
        return configured(configuration, name).settings();
    }

    private static ListenerSettings listener(Configuration configuration, String name) {
        return Optional.ofNullable(configuration.listeners().get(name)).orElseThrow();
    }

    private static ActionSettings action(Configuration configuration, String route) {
        return route(configuration, route).action();
    }

    private static RouteSettings route(Configuration configuration, String name) {
        return Optional.ofNullable(configuration.routes().get(name)).orElseThrow();
    }

    // What is left out.

    @Test
    void what_a_file_leaves_out_has_its_standard() {
        var configuration = good(SMALL);
        assertEquals(ForwardingRules.STANDARD, configuration.forwarding());
        assertEquals(RuntimeSettings.STANDARD, configuration.runtime());
        assertEquals(Configuration.STANDARD_DRAIN, configuration.drain());
        assertEquals(Optional.empty(), configuration.accessLog());
        assertEquals(Optional.empty(), configuration.admin());
        var listener = listener(configuration, "web");
        assertEquals(7, listener.layer());
        assertEquals(GateSettings.OPEN, listener.gate());
        assertEquals(16 << 10, listener.limits().http().headBytes());
        var upstream = upstream(configuration, "app");
        assertEquals(TimeoutSettings.STANDARD, upstream.timeouts());
        assertEquals(Retries.STANDARD, upstream.retries());
        assertEquals(HostPolicy.KEEP, upstream.host());
        assertEquals(UpstreamLoops.SAME, configured(configuration, "app").loops());
        assertEquals(Balance.Way.LEAST_REQUESTS, upstream.balance().way());
        assertEquals(Health.Check.NONE, upstream.health().check());
        assertEquals(Optional.empty(), upstream.sendProxyProtocol());
    }

    @Test
    void a_section_without_keys_means_the_same_as_none() {
        var configuration =
                good(SMALL.replace("]}}", "], timeouts: {}, retries: {}, limits: {}, balance: {}, health: {}}}")
                        + "forwarding: {}\nruntime: {}\naccess-log: {}\n");
        assertEquals(ForwardingRules.STANDARD, configuration.forwarding());
        assertEquals(RuntimeSettings.STANDARD, configuration.runtime());
        var upstream = upstream(configuration, "app");
        assertEquals(TimeoutSettings.STANDARD, upstream.timeouts());
        assertEquals(Retries.STANDARD, upstream.retries());
        assertEquals(1000, upstream.limits().connectionsPerBackend());
        assertEquals(Duration.ofSeconds(5), upstream.health().interval());
    }

    // What is the same.

    @Test
    void a_file_that_is_read_twice_says_the_same() {
        for (var file : Corpus.files("good")) {
            var text = Corpus.text(file);
            assertEquals(good(text), good(text), file);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "fields: 50, fields: 51",
        "body-rate: 0, body-rate: 1",
        "idle-timeout: 90s, idle-timeout: 91s",
        "spillover-threshold: 50, spillover-threshold: 51",
        "slow-start: 30s, slow-start: 31s",
        "healthy-threshold: 1, healthy-threshold: 2",
        "jitter: 0, jitter: 1",
        "max-ejection-time: 10m, max-ejection-time: 11m",
        "requests-per-backend: 100, requests-per-backend: 101",
        "retry-percent: 10, retry-percent: 11",
    })
    void a_file_with_another_value_says_something_else(String before, String after) {
        var text = Corpus.text("good/whole.yaml");
        assertTrue(text.contains(before), before);
        assertNotEquals(good(text), good(text.replace(before, after)));
    }

    // What is there.

    @Test
    void every_key_of_a_listener_is_read() {
        var web = listener(good(Corpus.text("good/whole.yaml")), "web");
        assertEquals(new InetSocketAddress(InetAddress.ofLiteral("::1"), 8080), web.address());
        assertEquals(5000, web.connections());
        assertEquals(
                "[10.0.0.0/8, fd00:0:0:0:0:0:0:0/8, 192.0.2.1/32]",
                web.proxyProtocol().orElseThrow().from().toString());
        assertFalse(web.proxyProtocol().orElseThrow().isRequired());
        assertEquals(4 << 10, web.limits().http().requestLineBytes());
        assertEquals(32768, web.limits().http().headBytes());
        assertEquals(50, web.limits().http().fields());
        assertEquals(Duration.ofSeconds(5), web.limits().http().headTimeout());
        assertEquals(Duration.ofSeconds(90), web.limits().http().idleTimeout());
        assertEquals(Duration.ofMillis(1500), web.limits().writeTimeout());
        assertEquals(0, web.limits().http().bodyBytesPerSecond());
        assertEquals(20, web.limits().http().connectionsPerAddress());
        assertEquals(1, web.gate().access().orElseThrow().allow().size());
        var limit = web.gate().rateLimit().orElseThrow();
        assertEquals("RateLimit[10 in PT1M, burst 20, by X-Key, 1000 keys]", limit.toString());
        var auth = web.gate().basicAuth().orElseThrow();
        assertEquals("Staff only", auth.realm());
        assertEquals(Set.of("ann"), auth.users().keySet());
    }

    @Test
    void a_listener_of_layer_4_has_an_upstream() {
        var bytes = listener(good(Corpus.text("good/whole.yaml")), "bytes");
        assertEquals(InetSocketAddress.createUnresolved("localhost", 0), bytes.address());
        assertEquals(4, bytes.layer());
        assertEquals(Optional.of("named"), bytes.upstream());
        assertEquals(Duration.ofHours(1), bytes.idle());
    }

    @Test
    void every_key_of_a_route_is_read() {
        var route = Optional.ofNullable(
                        good(Corpus.text("good/whole.yaml")).routes().get("first"))
                .orElseThrow();
        assertEquals(List.of("web"), route.listeners());
        assertEquals(List.of("example.org", "[::1]"), route.match().hosts());
        assertEquals(Set.of("GET", "PATCH"), route.match().methods());
        assertEquals(3, route.match().headers().size());
        var forward = assertInstanceOf(ActionSettings.Forward.class, route.action());
        assertEquals("listed", forward.upstream());
        assertTrue(forward.rewrite().isPresent());
        assertEquals(Set.of("x-set", "x-empty", "cookie"), forward.request().remove());
        var request = Request.get("/rooms/7/a").addHeader("X-Y", "y");
        assertEquals(
                Optional.of("a value and ${VALUE} of 0.0.0.0, 7 and y"),
                forward.request().added(request).first("X-Add"));
        assertEquals(Set.of("server"), route.response().changes().remove());
        assertEquals(Set.of("server"), route.response().others().remove());
        assertEquals(Set.of(StatusClass.values()), route.response().statuses());
        assertTrue(route.gate().access().isPresent());
        assertTrue(route.gate().rateLimit().isPresent());
        assertTrue(route.gate().basicAuth().isPresent());
    }

    @Test
    void what_becomes_of_content_is_that_of_the_route_or_else_of_its_listener() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        var web = listener(configuration, "web");
        var ofListener = Compression.gzip().level(6).least(2 << 10).types(List.of("text/*", "application/json"));
        assertEquals(Optional.of(ofListener), web.content().compression());
        assertEquals(
                Optional.of(ofListener),
                route(configuration, "fixed").behind(web).content().compression());
        assertEquals(
                Optional.of(Compression.gzip().types(List.of())),
                route(configuration, "empty").behind(web).content().compression());
    }

    @Test
    void the_times_of_media_types_are_those_of_the_route_or_else_of_its_listener() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        var web = listener(configuration, "web");
        var ofRoute = Expires.of()
                .type("text/html", Duration.ZERO)
                .type("image/*", Duration.ofDays(30))
                .immutable("font/woff2", Duration.ofDays(365))
                .type("*/*", Duration.ofMinutes(10));
        assertEquals(
                Optional.of(ofRoute),
                route(configuration, "files").behind(web).content().expires());
        assertEquals(
                Optional.of(Expires.of().type("*/*", Duration.ofHours(1))),
                route(configuration, "fixed").behind(web).content().expires());
    }

    @Test
    void every_action_is_read() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        var moved = assertInstanceOf(ActionSettings.Redirect.class, action(configuration, "moved"));
        assertEquals("308 {path}?from={name}", moved.status() + " " + moved.to());
        var made = assertInstanceOf(ActionSettings.Respond.class, action(configuration, "made"));
        assertEquals("404 text/html <p>nothing</p>\n", made.status() + " " + made.type() + " " + made.body());
        var files = assertInstanceOf(ActionSettings.Files.class, action(configuration, "files"));
        assertEquals(
                StaticFiles.of(Corpus.FOLDER.resolve("assets"))
                        .listing(true)
                        .index(List.of("index.html", "index.htm"))
                        .tryFiles(List.of("{path}.html", "/index.html"))
                        .precompressed(List.of("zstd", "gzip")),
                files.handler());
        var fixed = assertInstanceOf(ActionSettings.Forward.class, action(configuration, "fixed"));
        assertEquals(HeaderChanges.NONE, fixed.request());
    }

    @Test
    void every_key_of_an_upstream_is_read() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        var listed = upstream(configuration, "listed");
        assertEquals(HashKey.cookie("session"), listed.hash());
        assertEquals(Balance.Way.HASH, listed.balance().way());
        assertEquals(Duration.ofSeconds(30), listed.balance().slowStart());
        assertEquals(
                "50 eu-1",
                listed.balance().spilloverThresholdPercent() + " "
                        + listed.balance().zone());
        assertEquals(
                new TimeoutSettings(seconds(1), seconds(6), seconds(2), seconds(3), seconds(7), seconds(4), seconds(5)),
                listed.timeouts());
        assertEquals(new Retries(Set.of(Retries.Condition.values()), 3, seconds(1), 64 << 10), listed.retries());
        assertEquals(HostPolicy.rewrite("app.internal:80"), listed.host());
        assertEquals(UpstreamLoops.OWN, configured(configuration, "listed").loops());
        assertEquals(Optional.of(Version.V2), listed.sendProxyProtocol());
    }

    @Test
    void checks_by_grpc_are_read() {
        var configuration = good(Corpus.text("good/grpc.yaml"));
        assertEquals(
                Health.grpc("greet.Greeter").host("greet.internal"),
                upstream(configuration, "named").health());
        assertEquals(Health.grpc(""), upstream(configuration, "whole").health());
    }

    @Test
    void every_key_of_health_and_limits_is_read() {
        var listed = upstream(good(Corpus.text("good/whole.yaml")), "listed");
        var health = listed.health();
        assertEquals(
                "HTTP /healthz?full=1 backend.internal", health.check() + " " + health.path() + " " + health.host());
        assertTrue(health.isExpected(399) && !health.isExpected(400));
        assertEquals("PT1S 0 PT0.5S", health.interval() + " " + health.jitterPercent() + " " + health.timeout());
        assertEquals(
                "1 5 false",
                health.healthyThreshold() + " " + health.unhealthyThreshold() + " " + health.initiallyHealthy());
        assertEquals("3 PT20S", health.ejectionFailures() + " " + health.ejectionTime());
        assertEquals("PT10M 30", health.maxEjectionTime() + " " + health.maxEjectedPercent());
        assertEquals("[502, 503] 40", new TreeSet<>(health.ejectionStatuses()) + " " + health.panicThresholdPercent());
        var limits = listed.limits();
        assertEquals("100 50", limits.connections() + " " + limits.connectionsPerBackend());
        assertEquals("0 0", limits.pending() + " " + limits.pendingPerBackend());
        assertEquals("200 100", limits.requests() + " " + limits.requestsPerBackend());
        assertEquals("10 0", limits.retryPercent() + " " + limits.retriesPerSecond());
        assertEquals(
                "32768 200",
                listed.responses().headBytes() + " " + listed.responses().fields());
    }

    @Test
    void endpoints_come_from_a_list_a_file_or_dns() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        assertEquals(
                EndpointSource.of(List.of(
                        Endpoint.of(new InetSocketAddress("10.0.0.1", 80)),
                        Endpoint.of(new InetSocketAddress("fd00::1", 80)),
                        Endpoint.of(InetSocketAddress.createUnresolved("backend.internal", 8080)),
                        Endpoint.of(UnixDomainSocketAddress.of("/run/app")),
                        new Endpoint(new InetSocketAddress("10.0.0.2", 80), 3, 1, "eu-1"))),
                upstream(configuration, "listed").source());
        assertEquals(
                EndpointSource.file(Corpus.FOLDER.resolve("backends.txt")),
                upstream(configuration, "watched").source());
        assertEquals(
                new DnsSource(
                        "_http._tcp.example.org",
                        DnsSource.Type.SRV,
                        0,
                        List.of(new InetSocketAddress("10.0.0.53", 53), new InetSocketAddress("fd00::53", 53)),
                        seconds(5),
                        Duration.ofMinutes(1)),
                upstream(configuration, "named").source());
    }

    @Test
    void every_other_key_is_read() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        var forwarding = configuration.forwarding().rules();
        assertEquals(Set.of(Forwarding.Fields.values()), forwarding.forwardedHeaders());
        assertEquals(
                "[10.0.0.0/8] edge-1 [example.org:443]",
                forwarding.trusted() + " " + forwarding.via() + " "
                        + configuration.forwarding().connect());
        var log = new AccessLogSettings(AccessLog.Format.COMBINED, Optional.of(Corpus.FOLDER.resolve("access.log")));
        assertEquals(Optional.of(log), configuration.accessLog());
        var admin = configuration.admin().orElseThrow();
        assertEquals(Optional.of("0123456789abcdef"), admin.token());
        assertEquals("/m", admin.metrics());
        assertEquals(
                new RuntimeSettings(2, TransportKind.NIO, Dispatch.pool(2), false, 2000, Optional.empty()),
                configuration.runtime());
        assertEquals(Duration.ZERO, configuration.drain());
    }

    @Test
    void a_route_without_listeners_is_for_all_of_layer_7() {
        var configuration = good(Corpus.text("good/whole.yaml"));
        assertEquals(
                configuration.routes().size(), configuration.routesOf("web").size());
        assertEquals(
                configuration.routes().size() - 1,
                configuration.routesOf("another").size());
    }

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    // Secrets.

    @Test
    void a_secret_is_in_no_message_and_in_no_text_of_the_configuration() {
        var whole = good(Corpus.text("good/whole.yaml"));
        assertFalse(whole.toString().contains("0123456789abcdef"));
        assertFalse(whole.toString().contains("AAAAAAAA"));
        assertFalse(Corpus.problems(Corpus.text("only-read/variables.yaml")).contains("hidden"));
    }

    // Files that cannot be used as such.

    @Test
    void a_file_that_is_no_yaml_is_refused_with_its_place() {
        assertTrue(Corpus.problems("listeners:\n  web: [\n").startsWith("proxy.yaml:3:1: it is not YAML"));
        assertTrue(Corpus.problems("a: \u0000").contains("it is not YAML"), Corpus.problems("a: \u0000"));
    }

    @Test
    void an_empty_file_is_refused() {
        assertEquals(
                "proxy.yaml: it is empty: write listeners, routes and upstreams\n", Corpus.problems("# nothing\n"));
    }

    @Test
    void a_second_document_is_refused() {
        assertEquals(
                "proxy.yaml:4:1: a second document begins here: keep one of them, without ---\n",
                Corpus.problems(SMALL + "---\na: b\n"));
    }

    @Test
    void many_levels_are_refused_before_anything_could_overflow() {
        var problems = Corpus.problems("a: " + "[".repeat(200_000));
        assertEquals("proxy.yaml:1:35: more than 32 levels: write it flatter\n", problems);
    }

    @Test
    void many_aliases_are_refused() {
        var problems = Corpus.problems("a: &a x\nb: [" + "*a, ".repeat(201) + "]\n");
        assertTrue(problems.contains("more than 200 aliases"), problems);
    }

    @Test
    void aliases_that_multiply_are_refused() {
        var routes = new StringBuilder("listeners: &l {web: {address: \":80\"}}\nroutes:\n");
        routes.append("  r0: &r {match: {headers: &h [")
                .append("{name: a, value: b}, ".repeat(5000))
                .append("]}, upstream: a}\n");
        for (int i = 1; i < 100; i++) routes.append("  r").append(i).append(": *r\n");
        var problems = Corpus.problems(routes.toString());
        assertTrue(problems.contains("more than 200000 values with all aliases: write fewer"), problems);
    }

    @Test
    void a_node_that_contains_itself_is_refused() {
        var problems = Corpus.problems("listeners: &a {web: *a}\n");
        assertTrue(problems.contains("listeners.web.web: the key is unknown"), problems);
    }

    @Test
    void a_long_text_is_matched_without_calling_itself_for_each_part() {
        var host = "a.".repeat(100_000) + "!";
        var problems = Corpus.problems("listeners: {web: {address: \":80\"}}\nroutes: {a: {match: {hosts: [\"" + host
                + "\"]}, respond: {}}}\n");
        assertTrue(problems.contains("routes.a.match.hosts[0]: 'a.a.") && problems.contains("is not a host"), problems);
    }

    @Test
    void a_large_file_is_refused(@TempDir Path folder) throws IOException {
        var file = folder.resolve("large.yaml");
        Files.writeString(file, "#".repeat(ConfigurationFile.MOST_BYTES + 1));
        assertEquals("more than 1048576 bytes: make it smaller", problem(file));
    }

    @Test
    void a_file_in_another_encoding_is_refused(@TempDir Path folder) throws IOException {
        var file = folder.resolve("latin1.yaml");
        Files.write(file, "# ä".getBytes(StandardCharsets.ISO_8859_1));
        assertEquals("it is not UTF-8: save it as UTF-8", problem(file));
    }

    @Test
    void a_missing_file_is_a_problem_as_any_other(@TempDir Path folder) {
        var problem = problem(folder.resolve("none.yaml"));
        assertTrue(problem.startsWith("it cannot be read (there is no file "), problem);
    }

    @Test
    void names_of_files_are_relative_to_the_folder_of_the_file(@TempDir Path folder) throws IOException {
        Files.createDirectory(folder.resolve("assets"));
        var file = folder.resolve("proxy.yaml");
        Files.writeString(file, "listeners: {web: {address: \":80\"}}\nroutes: {all: {files: {folder: assets}}}\n");
        var checked = ConfigurationFile.read(file, Map.of());
        var configuration = assertInstanceOf(CheckedFile.Good.class, checked).configuration();
        var files = assertInstanceOf(ActionSettings.Files.class, action(configuration, "all"));
        assertEquals(folder.resolve("assets"), files.handler().root());
    }

    private static String problem(Path file) {
        var bad = assertInstanceOf(CheckedFile.Bad.class, ConfigurationFile.read(file, Map.of()));
        assertEquals(1, bad.problems().size());
        assertEquals(0, bad.problems().getFirst().line());
        return bad.problems().getFirst().message();
    }

    @Test
    void a_variable_that_is_missing_or_empty_may_have_a_text_instead() {
        var text = SMALL + "forwarding: {via: \"${MISSING:-edge}-${VALUE_1:-}${SHORT:-not this}\"}\n";
        assertEquals("edge-hidden", good(text).forwarding().rules().via());
    }

    @Test
    void a_number_or_a_truth_value_may_come_from_a_variable() {
        var text = SMALL + "runtime: {loops: \"${LOOPS:-3}\", pooled: \"${POOLED:-false}\"}\n";
        var runtime = good(text).runtime();
        assertEquals(3, runtime.loops());
        assertFalse(runtime.isPooled());
        assertEquals(
                "proxy.yaml:4:18: runtime.loops: '${VALUE}' is a text: write a whole number, 1 to 1024 event loops\n",
                Corpus.problems(SMALL + "runtime: {loops: \"${VALUE}\"}\n"));
    }
}
