package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.load.Exchange;
import io.millrace.lab.process.ServerCommand;
import io.millrace.lab.report.LoadShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlanTest {
    @Test
    void pingpong_keeps_handlers_that_may_block_apart() {
        var plan = plan(Workload.PINGPONG);
        assertEquals(List.of(LoadShape.echo(64, 50, "inline"), LoadShape.echo(64, 50, "pool:2")), plan.allShapes());
        var inline = plan.allShapes().getFirst();
        var pool = plan.allShapes().getLast();
        assertTrue(plan.takesPart(candidate(Kind.INLINE), inline));
        assertFalse(plan.takesPart(candidate(Kind.INLINE), pool));
        assertTrue(plan.takesPart(candidate(Kind.BLOCKING), pool));
        assertFalse(plan.takesPart(candidate(Kind.BLOCKING), inline));
        assertTrue(plan.takesPart(candidate(Kind.ANY), inline));
        assertTrue(plan.takesPart(candidate(Kind.ANY), pool));
    }

    @Test
    void executor_compares_all_with_each_other() {
        var plan = plan(Workload.EXECUTOR);
        assertEquals(List.of(LoadShape.echo(64, 50, "pool:2")), plan.allShapes());
        for (var kind : Kind.values()) {
            assertTrue(plan.takesPart(candidate(kind), plan.allShapes().getFirst()));
        }
    }

    @Test
    void plaintext_pipelines_with_connections_of_their_own_and_measures_nothing_twice() {
        var shapes =
                List.of(Workload.Shapes.of(Exchange.REQUESTS, 64), Workload.Shapes.pipelined(List.of(1, 16), 64, 256));
        var plan = new Plan(
                Workload.PLAINTEXT, "", List.of("a"), shapes, 1, 1, 1, 2, List.of("a"), Optional.empty(), false);
        var all = List.of(
                requests(1, 64),
                requests(1, 256),
                requests(16, 64),
                varied(16, 64),
                requests(16, 256),
                varied(16, 256));
        assertEquals(all, plan.allShapes());
        for (var kind : Kind.values()) {
            assertTrue(plan.takesPart(candidate(kind), plan.allShapes().getFirst()));
        }
    }

    @Test
    void proxy_keeps_the_layers_apart() {
        var plan = plan(Workload.PROXY);
        var layer4 = new LoadShape(Exchange.PAGES, 64, 50, 1, "layer 4");
        var layer7 = new LoadShape(Exchange.PAGES, 64, 50, 1, "layer 7");
        assertEquals(List.of(layer4, layer7), plan.allShapes());
        assertEquals(List.of(64), plan.sizesBytes());
        assertFalse(plan.takesPart(candidate(Kind.LAYER_4), layer7));
        assertFalse(plan.takesPart(candidate(Kind.LAYER_7), layer4));
        for (var kind : List.of(Kind.DIRECT, Kind.ANY)) {
            assertTrue(plan.takesPart(candidate(kind), layer4));
            assertTrue(plan.takesPart(candidate(kind), layer7));
        }
        assertEquals(layer7, plan.firstShape(candidate(Kind.LAYER_7)));
    }

    @Test
    void each_layer_of_proxies_has_a_baseline_of_its_own() {
        var peers = List.of("direct", "millrace-4-nio-same", "haproxy-http", "nginx-proxy", "nginx-stream");
        assertEquals(List.of("nginx-stream", "nginx-proxy"), Workload.PROXY.baselinesOf(peers));
        assertEquals(List.of("direct"), Workload.PROXY.baselinesOf(List.of("direct", "millrace-4-nio-same")));
    }

    @Test
    void a_proxy_is_told_what_it_stands_in_front_of(@TempDir Path home) throws Exception {
        var catalogue = Catalogue.of(home, Workload.PROXY, 2, Map.of("mine", "proxy {host}:{port} {backend}"));
        for (var name : List.of("millrace-4-nio-own", "millrace-7-epoll-same-2000", "mine")) {
            var words = catalogue
                    .find(List.of(name))
                    .getFirst()
                    .recipe()
                    .command(PeerSite.at("127.0.0.1").inFrontOf("127.0.0.1:4711"))
                    .words();
            assertTrue(words.toString().contains("127.0.0.1:4711"), words::toString);
        }
    }

    @Test
    void each_depth_is_tried_once() {
        var shapes = List.of(Workload.Shapes.pipelined(List.of(1, 16), 64, 256));
        var plan = new Plan(
                Workload.PLAINTEXT, "", List.of("a"), shapes, 1, 1, 1, 2, List.of("a"), Optional.empty(), false);
        assertEquals(List.of(requests(1, 50), requests(16, 50), varied(16, 50)), plan.trials(candidate(Kind.ANY)));
    }

    @Test
    void what_cannot_send_bodies_back_is_not_asked_to() {
        var shapes = Workload.TLS.shapes(false);
        var plan = new Plan(Workload.TLS, "", List.of("a"), shapes, 1, 1, 1, 2, List.of("a"), Optional.empty(), false);
        assertTrue(exchanges(plan, Kind.INLINE).contains(Exchange.BODIES));
        assertEquals(
                Set.of(Exchange.HANDSHAKES, Exchange.RESUMED, Exchange.REQUESTS), exchanges(plan, Kind.WITHOUT_BODIES));
    }

    @Test
    void http2_has_streams_where_plaintext_has_a_pipeline() {
        var plan = plan(Workload.HTTP2, Workload.HTTP2.shapes(false), Optional.empty());
        var all = List.of(
                new LoadShape(Exchange.STREAMS, 13, 32, 10, ""), new LoadShape(Exchange.STREAMS, 13, 64, 1, ""));
        assertEquals(all, plan.allShapes());
        assertEquals("10 streams × 32 connections", all.getFirst().words());
        assertEquals("1 stream × 64 connections", all.getLast().words());
        assertEquals("http2", plan.words());
        assertEquals(
                "http2 over TLS",
                plan(Workload.HTTP2, plan.shapes(), Optional.of(KeyKind.RSA)).words());
    }

    @Test
    void idle_connections_of_http2_have_no_rounds() {
        var shapes = Workload.HTTP2_IDLE.shapes(false);
        var plan = plan(Workload.HTTP2_IDLE, shapes, Optional.of(KeyKind.ECDSA));
        assertFalse(plan.hasRounds());
        assertEquals(List.of(new LoadShape(Exchange.STREAMS, 13, 5000, 1, "")), plan.idleShapes());
        assertEquals("http2-idle over TLS", plan.words());
    }

    private static Plan plan(Workload workload, List<Workload.Shapes> shapes, Optional<KeyKind> key) {
        return new Plan(workload, "", List.of("a"), shapes, 1, 1, 1, 2, List.of("a"), key, false);
    }

    @Test
    void a_server_for_http2_is_one_over_tls_where_its_site_is(@TempDir Path home) throws Exception {
        var peer = Catalogue.of(home, Workload.HTTP2, 2, Map.of())
                .find(List.of("millrace-epoll"))
                .getFirst();
        var site = PeerSite.at("127.0.0.1");
        assertTrue(peer.recipe().command(site).words().contains("--listen"));
        assertTrue(peer.recipe()
                .command(new PeerSite(site.host(), "", "/identity"))
                .words()
                .contains("/identity/key.pem"));
    }

    private static Set<Exchange> exchanges(Plan plan, Kind kind) {
        return plan.trials(candidate(kind)).stream().map(LoadShape::exchange).collect(Collectors.toSet());
    }

    private static LoadShape requests(int depth, int connections) {
        return new LoadShape(Exchange.REQUESTS, 13, connections, depth, "");
    }

    private static LoadShape varied(int depth, int connections) {
        return new LoadShape(Exchange.VARIED_REQUESTS, 13, connections, depth, "");
    }

    @Test
    void peers_of_close_are_told_to_close_and_others_are_not(@TempDir Path home) throws Exception {
        for (var workload : List.of(Workload.CLOSE, Workload.PLAINTEXT)) {
            var millrace = Catalogue.of(home, workload, 2, Map.of()).find(List.of("millrace-epoll"));
            var words = millrace.getFirst()
                    .recipe()
                    .command(PeerSite.at("127.0.0.1"))
                    .words();
            assertEquals(workload == Workload.CLOSE, words.contains("--close"), words::toString);
        }
    }

    @Test
    void a_baseline_takes_part() {
        var shapes = List.of(Workload.Shapes.echo(List.of(64), 50));
        var refused = assertThrows(
                IllegalArgumentException.class,
                () -> new Plan(
                        Workload.EXECUTOR,
                        "",
                        List.of("a", "b"),
                        shapes,
                        1,
                        1,
                        1,
                        2,
                        List.of("c"),
                        Optional.empty(),
                        false));
        assertEquals("the baseline 'c' does not take part; take one of a, b", refused.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void each_peer_that_a_workload_takes_by_itself_is_in_the_catalogue(Workload workload, @TempDir Path home)
            throws InterruptedException {
        var catalogue = Catalogue.of(home, workload, 2, Map.of());
        for (boolean isFull : List.of(false, true)) {
            var names = catalogue.peersOf(workload, isFull);
            assertEquals(names.size(), catalogue.find(names).size());
            assertFalse(names.isEmpty());
        }
    }

    private static Plan plan(Workload workload) {
        var exchange = workload == Workload.PROXY ? Exchange.PAGES : Exchange.ECHO;
        var shapes = List.of(new Workload.Shapes(List.of(exchange), List.of(64), List.of(1), List.of(50)));
        return new Plan(workload, "", List.of("a"), shapes, 1, 1, 1, 2, List.of("a"), Optional.empty(), false);
    }

    private static Candidate candidate(Kind kind) {
        return new Candidate("a", kind, "", _ -> new ServerCommand("a", List.of(), Optional.empty()));
    }
}
