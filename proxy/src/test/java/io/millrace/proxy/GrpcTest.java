package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.HttpVersion;
import io.millrace.http.ServedRequest;
import io.millrace.http.filter.AccessLog;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.proxy.Retries.Condition;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// gRPC through a proxy, with the client and the server of others (grpc-go).
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class GrpcTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private static Path folder;

    private static PemFiles files;

    @BeforeAll
    static void there_is_a_certificate() throws IOException {
        files = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
    }

    /// What carries all sides; between two proxies it may be HTTP/1.1.
    enum Way {
        NIO(TransportKind.NIO, false, false),
        EPOLL(TransportKind.EPOLL, false, false),
        EPOLL_TLS(TransportKind.EPOLL, true, false),
        URING(TransportKind.URING, false, false),
        URING_TLS(TransportKind.URING, true, false),
        EPOLL_HTTP_1(TransportKind.EPOLL, false, true),
        URING_TLS_HTTP_1(TransportKind.URING, true, true);

        private final TransportKind transport;
        private final boolean isSecure;
        private final boolean isFirstBetween;

        Way(TransportKind transport, boolean isSecure, boolean isFirstBetween) {
            this.transport = transport;
            this.isSecure = isSecure;
            this.isFirstBetween = isFirstBetween;
        }

        private Optional<PemFiles> files() {
            return isSecure ? Optional.of(files) : Optional.empty();
        }
    }

    /// Servers of gRPC, and a proxy in front, or two; closing it asserts that every slab came home.
    private static final class World implements AutoCloseable {
        private final Way way;
        private final List<GrpcPeer> backends = new ArrayList<>();
        private final List<Integer> ports = new ArrayList<>();
        private final Metrics metrics = Metrics.of();
        private final Path log;
        private final AccessLog lines;
        private final EventLoops loops;
        private final List<AutoCloseable> between = new ArrayList<>();
        private final Upstream upstream;
        private final Server proxy;

        World(Way way, int count, UnaryOperator<Upstream> setup) throws IOException {
            if (way.transport == TransportKind.URING)
                Transports.unavailableBecause(way.transport).ifPresent(why -> abort("io_uring does not work: " + why));
            this.way = way;
            for (int i = 0; i < count; i++) {
                backends.add(GrpcPeer.serve(way.files()));
                ports.add(Integer.parseInt(backends.getLast().line()));
            }
            this.loops =
                    EventLoops.configure().transport(way.transport).threads(2).start();
            this.log = Files.createTempFile(folder, "access", ".log");
            this.lines = AccessLog.open(
                    AccessLog.Format.of("{path} {protocol} {status} {grpc-status} {attempts}"),
                    Optional.of(log),
                    ProxyInfo.LOG_FIELDS);
            this.upstream = setup.apply(way.isFirstBetween ? inFirst() : upstream(ports));
            var counted = metrics.requests("web");
            var told = settings().listener(served -> {
                counted.over(served);
                logged(served);
            });
            this.proxy = Http.listen(listen(), told, upstream);
        }

        private static HttpSettings settings() {
            return HttpSettings.standard()
                    .limits(HttpLimits.standard().headBytes(60_000))
                    .errors(ErrorResponses.grpc(ErrorResponses.PHRASES));
        }

        /// Another proxy, which gets calls in HTTP/1.1.
        private Upstream inFirst() {
            var behind = upstream(ports);
            var second = Http.listen(listen(), settings(), behind);
            between.addAll(List.of(second, behind));
            return upstream(List.of(second.port())).version(HttpVersion.HTTP_1_1);
        }

        private void logged(ServedRequest served) {
            lines.over(served);
        }

        private Listen listen() {
            var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops);
            return way.isSecure
                    ? on.through(Tls.server(files.chain(), files.key()).speaking("h2", "http/1.1"))
                    : on;
        }

        private Upstream upstream(List<Integer> of) {
            var scheme = way.isSecure ? "https" : "http";
            var uris = of.stream().map(port -> scheme + "://127.0.0.1:" + port).toArray(String[]::new);
            var made = Upstream.of(uris)
                    .version(HttpVersion.HTTP_2)
                    .balance(Balance.ROUND_ROBIN)
                    .limits(HttpLimits.standard().headBytes(60_000));
            var trusting = Tls.client().trusting(TlsIdentity.certificates(files.chain()));
            return way.isSecure ? made.tls(trusting) : made;
        }

        List<String> ask(String... scenario) throws IOException {
            return GrpcPeer.ask(proxy.port(), way.files(), scenario);
        }

        GrpcPeer begin(String... scenario) throws IOException {
            return GrpcPeer.begin(proxy.port(), way.files(), scenario);
        }

        /// The lines about so many calls.
        List<String> logged(int count) throws IOException {
            while (true) {
                lines.flush();
                var found = Files.readAllLines(log);
                if (found.size() >= count) return found;
                Waiting.briefly();
            }
        }

        /// The counts of calls, by the label of their status.
        List<String> counted() {
            return Arrays.stream(metrics.text().split("\n"))
                    .filter(line -> line.startsWith("millrace_grpc_calls_total"))
                    .map(line -> line.replaceAll(".*code=\"(\\w+)\".* (\\d+).*", "$1 $2"))
                    .toList();
        }

        @Override
        public void close() throws IOException {
            backends.forEach(GrpcPeer::close);
            proxy.drain(Duration.ofSeconds(5));
            proxy.close();
            upstream.close();
            between.forEach(GrpcTest::close);
            loops.close();
            lines.close();
            for (var counters : loops.counters())
                assertEquals(0, counters.slabBytesInUse(), () -> "bytes of slabs that did not come home: " + counters);
        }
    }

    private static void close(AutoCloseable of) {
        try {
            of.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static World world(Way way, UnaryOperator<Upstream> setup) throws IOException {
        return new World(way, 1, setup);
    }

    private static World world(Way way) throws IOException {
        return world(way, upstream -> upstream);
    }

    @ParameterizedTest
    @EnumSource
    void every_kind_of_call_passes(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(
                    List.of("OK hello 0 0 0 [0 1 255]", "", "parts 500", "sum 500000", "both"), world.ask("kinds"));
            assertEquals(
                    List.of(
                            "/millrace.Peer/Say HTTP/2.0 200 0 1",
                            "/millrace.Peer/Parts HTTP/2.0 200 0 1",
                            "/millrace.Peer/Sum HTTP/2.0 200 0 1",
                            "/millrace.Peer/Echo HTTP/2.0 200 0 1"),
                    world.logged(4));
            assertEquals(List.of("0 4"), world.counted());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_fails_at_once_keeps_its_status_and_message(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(
                    List.of("ResourceExhausted  0  0 []", "as asked: 100 % ü"), world.ask("say", "hello", "fail=8"));
            assertEquals(List.of("Unauthenticated  0  0 []", "as asked: 100 % ü"), world.ask("say", "x", "fail=16"));
            assertEquals(
                    List.of("/millrace.Peer/Say HTTP/2.0 200 8 1", "/millrace.Peer/Say HTTP/2.0 200 16 1"),
                    world.logged(2));
            assertEquals(List.of("8 1", "16 1"), world.counted());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_fails_in_the_middle_keeps_its_status(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(List.of("Aborted in the middle"), world.ask("middle", "fail"));
            assertEquals(List.of("10 1"), world.counted());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_cancels_ends_the_call_at_the_server(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(List.of("Canceled", "OK after 0 0 0 [0 1 255]", ""), world.ask("cancel"));
            assertEquals("left Canceled", world.backends.getFirst().line("left"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_deadline_reaches_the_server(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals("DeadlineExceeded  0  0 []", world.ask("deadline").getFirst());
            assertTrue(world.backends.getFirst().line("gave up").startsWith("gave up true"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void large_metadata_passes_up_to_the_limits(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(
                    List.of("OK hello 32768 32768 32768 [0 1 255]", ""),
                    world.ask("say", "hello", "size=32768", "given=*32768"));
            // A head beyond the limit is refused by what it is refused with in HTTP, or with the connection.
            assertTrue(!world.ask("say", "hello", "given=*100000").getFirst().startsWith("OK"));
            // This server sends no head beyond what its client has announced.
            var reset = world.ask("say", "hello", "size=100000").getFirst();
            // HTTP/1.1 carries no code of a reset.
            assertEquals((way.isFirstBetween ? "Unavailable" : "Internal") + "  0  0 []", reset);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_dies_ends_its_calls(Way way) throws IOException {
        try (var world = world(way)) {
            assertEquals(List.of("Unavailable  0  0 []", "502 Bad Gateway"), world.ask("say", "die"));
            assertEquals(List.of("Unavailable  0  0 []", "503 Service Unavailable"), world.ask("say", "hello"));
        }
        try (var world = world(way)) {
            // It has sent a head, and nothing can follow that but a reset.
            assertTrue(world.ask("middle", "die").getFirst().startsWith("Internal "));
        }
    }

    @Test
    void a_server_that_is_asked_in_HTTP_1_1_is_told_apart_with_the_remedy() throws IOException {
        try (var world = world(Way.EPOLL, upstream -> upstream.name("greeter").version(HttpVersion.NEGOTIATED))) {
            assertEquals(
                    List.of("Unavailable  0  0 []", "502 Bad Gateway: greeter needs protocol: h2"),
                    world.ask("say", "hello"));
            var told = "greeter: 127.0.0.1:" + world.ports.getFirst() + " speaks HTTP/2, and gets requests of HTTP/1.1,"
                    + " which fail: set protocol: h2 of the upstream greeter";
            assertTrue(
                    ProxyEvents.ofProcess().all().stream()
                            .anyMatch(event -> event.what().equals(told)),
                    told);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_goodbye_of_the_server_ends_no_call(Way way) throws IOException {
        try (var world = world(way);
                var client = world.begin("across")) {
            assertEquals("begun", client.line());
            world.backends.getFirst().say("goodbye");
            assertEquals("done", world.backends.getFirst().line("done"));
            client.say("on");
            assertEquals("OK", client.line());
        }
    }

    @Test
    void a_proxy_that_drains_ends_no_call() throws IOException {
        try (var world = world(Way.EPOLL);
                var client = world.begin("across")) {
            assertEquals("begun", client.line());
            var drained = Thread.startVirtualThread(() -> world.proxy.drain(Duration.ofSeconds(20)));
            client.say("on");
            assertEquals("OK", client.line());
            drained.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void without_a_backend_a_call_is_unavailable() throws IOException {
        var closed = "http://127.0.0.1:" + Machine.closedPort();
        try (var world = world(Way.EPOLL, _ -> Upstream.of(closed).version(HttpVersion.HTTP_2))) {
            assertEquals(List.of("Unavailable  0  0 []", "503 Service Unavailable"), world.ask("say", "hello"));
            assertEquals(List.of("14 1"), world.counted());
        }
    }

    @Test
    void a_backend_that_is_late_makes_a_call_unavailable() throws IOException {
        try (var world = world(Way.EPOLL, upstream -> upstream.firstByteTimeout(Duration.ofMillis(200)))) {
            assertEquals(List.of("Unavailable  0  0 []", "504 Gateway Timeout"), world.ask("say", "wait"));
        }
    }

    private static Retries on(Condition... conditions) {
        return new Retries(Set.of(conditions), 2, Duration.ZERO, 10_000);
    }

    @Test
    void a_status_that_is_listed_is_tried_elsewhere() throws IOException {
        try (var world = new World(Way.EPOLL, 2, upstream -> upstream.retries(on(Condition.UNAVAILABLE)))) {
            // Both refuse it; the last one's status counts.
            assertEquals(
                    "Unavailable  0  0 []", world.ask("say", "hello", "fail=14").getFirst());
            // The same body reached both.
            for (var backend : world.backends) assertEquals("said hello", backend.line("said"));
            assertEquals(
                    "Internal  0  0 []", world.ask("say", "hello", "fail=13").getFirst());
            assertEquals(
                    List.of("/millrace.Peer/Say HTTP/2.0 200 14 2", "/millrace.Peer/Say HTTP/2.0 200 13 1"),
                    world.logged(2));
            // A stream passes as it comes, though its body is kept.
            assertEquals("both", world.ask("kinds").getLast());
        }
    }

    @Test
    void a_check_turns_a_backend_down_and_up() throws IOException {
        var health = Health.grpc("greeter")
                .interval(Duration.ofMillis(20))
                .healthyThreshold(1)
                .unhealthyThreshold(1)
                .initiallyHealthy(false);
        for (var way : List.of(Way.EPOLL, Way.URING_TLS)) {
            try (var world = world(way, upstream -> upstream.health(health).start())) {
                // The service is not known yet.
                awaitHealth(world, false, "answered with status 5 of gRPC");
                assertEquals("Unavailable  0  0 []", world.ask("say", "hello").getFirst());
                turn(world, "greeter up");
                awaitHealth(world, true, "answered that it is SERVING");
                assertEquals(
                        "OK hello 0 0 0 [0 1 255]", world.ask("say", "hello").getFirst());
                turn(world, "greeter down");
                awaitHealth(world, false, "answered that it is NOT_SERVING");
                assertEquals("Unavailable  0  0 []", world.ask("say", "hello").getFirst());
            }
        }
    }

    private static void turn(World world, String how) throws IOException {
        world.backends.getFirst().say(how);
        assertEquals("done", world.backends.getFirst().line("done"));
    }

    private static void awaitHealth(World world, boolean isHealthy, String finding) {
        while (true) {
            var backend = world.upstream.backends().orElseThrow().members().getFirst();
            if (backend.isHealthy() == isHealthy && backend.finding().equals(finding)) return;
            Waiting.briefly();
        }
    }
}
