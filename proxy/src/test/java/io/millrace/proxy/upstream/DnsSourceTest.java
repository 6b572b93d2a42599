package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.upstream.DnsMessage.DnsRecord;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Against a name server of its own, whose answers are good for no time at all, so that a source asks again at
/// once.
@Timeout(60)
class DnsSourceTest {
    private static final Path NO_FILE = Path.of("/dev/null");

    private final BlockingQueue<List<Endpoint>> lists = new LinkedBlockingQueue<>();
    private NameServer server;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws IOException {
        server = new NameServer();
    }

    @AfterEach
    void stop() throws InterruptedException {
        server.close();
        server.join();
    }

    @Test
    void all_addresses_of_a_name_are_endpoints() throws Exception {
        server.addresses("app.example", 60, "10.0.0.2", "10.0.0.1");
        try (var _ = watch(EndpointSource.dns("app.example", 8080, server.address()))) {
            assertEquals(endpoints(8080, "10.0.0.1", "10.0.0.2"), lists.take());
        }
        assertEquals(1, server.asked.get());
    }

    @Test
    void when_they_are_no_longer_good_it_asks_again() throws Exception {
        server.addresses("app.example", 0, "10.0.0.1");
        try (var _ = watch("app.example")) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
            server.addresses("app.example", 0, "10.0.0.2", "10.0.0.3");
            assertEquals(endpoints(80, "10.0.0.2", "10.0.0.3"), lists.take());
        }
    }

    @Test
    void an_answer_is_kept_no_longer_than_is_wanted() throws Exception {
        server.addresses("app.example", 3600, "10.0.0.1");
        var source = source(names(), NO_FILE, "app.example", Duration.ofMillis(1), Duration.ofMillis(2));
        try (var _ = watch(source)) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
            server.addresses("app.example", 3600, "10.0.0.2");
            assertEquals(endpoints(80, "10.0.0.2"), lists.take());
        }
    }

    @Test
    void of_too_many_services_the_same_ones_are_asked_for_each_time() throws Exception {
        var services = new ArrayList<String>();
        for (int i = 10; i < 30; i++) {
            services.add((i == 29 ? 0 : 1) + " 1 80 host" + i + ".example");
            server.addresses("host" + i + ".example", 0, "10.0.0." + i);
        }
        var expected = new ArrayList<Endpoint>();
        for (int i = 10; i < 25; i++) expected.addAll(endpoints(80, "10.0.0." + i));
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(services, new Random(seed));
            server.services("_http._tcp.example", 0, services.toArray(String[]::new));
            try (var _ = watch(EndpointSource.srv("_http._tcp.example", server.address()))) {
                var list = lists.take();
                assertEquals(16, list.size());
                assertEquals(0, list.getLast().priority());
                assertEquals(
                        expected.stream().map(Endpoint::address).toList(),
                        list.subList(0, 15).stream().map(Endpoint::address).toList());
            }
        }
    }

    @Test
    void another_order_is_no_change() throws Exception {
        server.addresses("app.example", 0, "10.0.0.1", "10.0.0.2");
        try (var _ = watch("app.example")) {
            lists.take();
            server.addresses("app.example", 0, "10.0.0.2", "10.0.0.1");
            awaitQuestions(3);
            server.addresses("app.example", 0, "10.0.0.3");
            assertEquals(endpoints(80, "10.0.0.3"), lists.take());
        }
    }

    @Test
    void without_ipv4_its_ipv6_addresses_are_taken() throws Exception {
        server.addresses("six.example", 60, "2001:db8::1").addresses("both.example", 60, "2001:db8::1", "10.0.0.1");
        try (var _ = watch("six.example")) {
            assertEquals(endpoints(80, "2001:db8::1"), lists.take());
        }
        try (var _ = watch("both.example")) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
        }
    }

    @Test
    void an_alias_leads_to_its_addresses() throws Exception {
        server.addresses("c.example", 60, "10.0.0.1").alias("b.example", 60, "c.example");
        server.alias("a.example", 60, "b.example");
        try (var _ = watch("A.example")) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
        }
    }

    @Test
    void an_answer_that_does_not_fit_comes_over_tcp() throws Exception {
        server.large("app.example", 60, "10.0.0.1");
        try (var _ = watch("app.example")) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
        }
        assertEquals(1, server.askedByTcp.get());
    }

    @Test
    void answers_of_somebody_else_are_ignored() throws Exception {
        server.addresses("app.example", 60, "10.0.0.1").forging(5);
        try (var _ = watch("app.example")) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
        }
    }

    @Test
    void while_the_name_is_unknown_the_last_list_stands() throws Exception {
        server.addresses("app.example", 0, "10.0.0.1");
        try (var _ = watch("app.example")) {
            lists.take();
            server.forget("app.example");
            awaitQuestions(2);
            server.addresses("app.example", 0, "10.0.0.2");
            assertEquals(endpoints(80, "10.0.0.2"), lists.take());
        }
    }

    @Test
    void the_next_server_is_asked_when_one_refuses_or_is_silent() throws Exception {
        server.otherwise(NameServer.SERVFAIL);
        try (var silent = new NameServer().silent(true);
                var good = new NameServer().addresses("app.example", 60, "10.0.0.1")) {
            var servers = List.of(server.address(), silent.address(), good.address());
            var client = new DnsClient(servers, Duration.ofMillis(20));
            var answer = client.ask("app.example", DnsRecord.Type.A);
            assertEquals(1, answer.records().size());
            assertEquals(60, answer.seconds());
        }
    }

    @Test
    void without_an_answer_it_says_who_did_not() throws IOException {
        server.silent(true);
        var client = new DnsClient(List.of(server.address()), Duration.ofMillis(20));
        var failure = assertThrows(IOException.class, () -> client.ask("app.example", DnsRecord.Type.A));
        assertTrue(failure.toString().contains("no answer within 20 ms"), failure::toString);
    }

    @Test
    void services_have_their_ports_priorities_and_weights() throws Exception {
        server.services("_http._tcp.example", 60, "1 0 81 a.example", "0 5 82 b.example", "0 5 83 gone.example");
        server.addresses("a.example", 60, "10.0.0.1").addresses("b.example", 60, "10.0.0.2", "10.0.0.3");
        try (var _ = watch(EndpointSource.srv("_http._tcp.example", server.address()))) {
            assertEquals(
                    List.of(
                            new Endpoint(new InetSocketAddress("10.0.0.1", 81), 1, 1, ""),
                            new Endpoint(new InetSocketAddress("10.0.0.2", 82), 5, 0, ""),
                            new Endpoint(new InetSocketAddress("10.0.0.3", 82), 5, 0, "")),
                    lists.take());
        }
    }

    @Test
    void a_short_name_is_looked_for_where_the_system_says() throws Exception {
        server.addresses("app.default.svc.example", 60, "10.0.0.1");
        var names = new ResolvConf(List.of(server.address()), List.of("svc.example", "default.svc.example"), 5);
        try (var _ = watch(source(names, NO_FILE, "app"))) {
            assertEquals(endpoints(80, "10.0.0.1"), lists.take());
        }
    }

    @Test
    void what_the_file_of_hosts_says_goes_before_dns() throws Exception {
        server.addresses("app", 60, "10.0.0.1");
        var hosts = Files.writeString(folder.resolve("hosts"), "# ours\n10.0.0.9  app.example App # here\n");
        try (var _ = watch(source(names(), hosts, "app"))) {
            assertEquals(endpoints(80, "10.0.0.9"), lists.take());
        }
    }

    @Test
    void what_is_no_name_is_refused_at_once() {
        for (var bad : List.of("", ".", "a..b", "a b", "http://a", "x".repeat(64), "a.".repeat(130) + "a")) {
            assertThrows(IllegalArgumentException.class, () -> EndpointSource.dns(bad, 80), bad);
        }
        assertThrows(IllegalArgumentException.class, () -> EndpointSource.dns("app", 0));
    }

    @Test
    void names_are_completed_as_resolv_conf_says() {
        var names = ResolvConf.parse(List.of(
                "; a comment",
                "nameserver 10.0.0.53",
                "nameserver x",
                "search a.example b.example",
                "options ndots:2"));
        assertEquals(List.of(new InetSocketAddress("10.0.0.53", 53)), names.servers());
        assertEquals(List.of("app.x.a.example", "app.x.b.example", "app.x"), names.candidates("app.x"));
        assertEquals("app.x.y", names.candidates("app.x.y").getFirst());
        assertEquals(List.of("app"), names.candidates("app."));
    }

    /// So many have come since now, and their answers were seen: the next one is asked after the last was
    /// handled.
    private void awaitQuestions(int count) {
        int before = server.asked.get();
        while (server.asked.get() < before + count) Waiting.briefly();
    }

    private Upstreams.Watching watch(String name) {
        return watch(source(names(), NO_FILE, name));
    }

    private Upstreams.Watching watch(EndpointSource source) {
        return Upstreams.watch(source, lists::add);
    }

    private ResolvConf names() {
        return new ResolvConf(List.of(server.address()), List.of(), 0);
    }

    private static EndpointSource source(ResolvConf names, Path hosts, String name) {
        return source(names, hosts, name, Duration.ofMillis(1), Duration.ofHours(1));
    }

    private static EndpointSource source(ResolvConf names, Path hosts, String name, Duration minTtl, Duration maxTtl) {
        var client = new DnsClient(names.servers(), Duration.ofSeconds(5));
        return new DnsLookup(client, names, hosts, name, 80, minTtl, maxTtl)::watch;
    }

    private static List<Endpoint> endpoints(int port, String... addresses) {
        return List.of(addresses).stream()
                .map(address -> Endpoint.of(new InetSocketAddress(address, port)))
                .toList();
    }
}
