package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import io.millrace.testing.Machine;
import io.millrace.testing.Waiting;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many reloads under load over real sockets, which change one route, one header and one backend in turn: no request
/// fails, nothing is left behind, and what is known of backends stays.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReloadsTest {
    private static final int CLIENTS = 4;
    private static final int LOOPS = 2;
    private static final String TOKEN = "a-token-of-this-test";

    /// Kept connections of each loop to a backend that some client needed at the same time, and what comes and goes.
    private static final int SLACK = 24;

    private final EventLoops backendLoops = EventLoops.configure().threads(1).start();
    private final Set<String> connectionsToFirst = ConcurrentHashMap.newKeySet();
    private final Set<String> protocols = ConcurrentHashMap.newKeySet();
    private Server first;
    private Server disabled;
    private Server moving;
    private RawBackend failing;
    private int nobody;

    @BeforeEach
    void there_are_backends() throws IOException {
        Assumptions.assumeTrue(new File("/proc/self/fd").isDirectory(), "no /proc");
        first = backend(request -> connectionsToFirst.add(request.remote().toString()));
        disabled = backend(_ -> {});
        moving = backend(_ -> {});
        failing = new RawBackend(RawBackend.Visit::head);
        nobody = Machine.closedPort();
    }

    private Server backend(java.util.function.Consumer<Request> told) {
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(backendLoops);
        var settings = HttpSettings.standard().listener(one -> protocols.add(one.protocol()));
        return Http.listen(listen, settings, request -> {
            told.accept(request);
            return Response.ok("hello");
        });
    }

    @AfterEach
    void they_end() throws IOException {
        for (var server : List.of(first, disabled, moving)) server.close();
        failing.close();
        backendLoops.close();
    }

    /// The file after so many reloads.
    private String file(int round) {
        var others = round / 3 % 2 == 0 ? "" : ", \"127.0.0.1:" + moving.port() + "\"";
        return """
                listeners:
                  web: {address: "127.0.0.1:0"}
                  bytes: {address: "127.0.0.2:0", layer: 4, upstream: raw}
                routes:
                  all: {upstream: app, response-headers: {set: {X-Round: "%d"}}}
                  other: {match: {path: /other%d}, respond: {status: 404}}
                upstreams:
                  app:
                    endpoints: ["127.0.0.1:%d", "127.0.0.1:%d", "127.0.0.1:%d", "127.0.0.1:%d"%s]
                    health: {check: tcp, interval: 1s, ejection-failures: 2, ejection-time: 1h, max-ejection-time: 1h, max-ejected: 100}
                    limits: {retries-per-second: 100}
                  raw: {endpoints: ["127.0.0.1:%d"], health: {check: tcp, interval: 1s}}
                admin: {address: "127.0.0.1:0", token: %s}
                runtime: {loops: %d}
                """.formatted(
                        (round + 2) / 3,
                        (round + 1) / 3,
                        first.port(),
                        disabled.port(),
                        failing.port(),
                        nobody,
                        others,
                        first.port(),
                        TOKEN,
                        LOOPS);
    }

    @Test
    void thirty_reloads_under_load_cost_nothing() throws Exception {
        reload(30);
    }

    @Test
    @Tag("long")
    void five_hundred_reloads_under_load_cost_nothing() throws Exception {
        reload(500);
    }

    @Test
    void reloads_that_change_the_protocol_under_load_fail_no_request() throws Exception {
        try (var proxy = Serving.of(speaking("h1"));
                var load = new Load(proxy)) {
            for (int round = 0; round < 30; round++) {
                var protocol = List.of("h2", "auto", "h1").get(round % 3);
                proxy.service().reload(Serving.configuration(speaking(protocol)));
                load.awaitMore(20);
            }
        }
        assertEquals(Set.of("HTTP/1.1", "HTTP/2.0"), protocols);
    }

    private String speaking(String protocol) {
        return """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {upstream: app}}
                upstreams:
                  app:
                    protocol: %s
                    endpoints: ["127.0.0.1:%d", "127.0.0.1:%d"]
                    retries: {attempts: 1}
                runtime: {loops: %d}
                """.formatted(protocol, first.port(), moving.port(), LOOPS);
    }

    private void reload(int rounds) throws Exception {
        try (var proxy = Serving.of(file(0));
                var admin = new RawClient(
                        ((InetSocketAddress) proxy.service().adminAddress().orElseThrow()).getPort());
                var bytes = new Socket("127.0.0.2", bytesPort(proxy))) {
            var layer4 = new Layer4(bytes);
            prepare(proxy, admin);
            rounds(proxy, 0, 10);
            assertKnown(admin);
            var before = Figures.now();
            int connections = connectionsToFirst.size();
            long requests = requestsToFirst(admin);
            rounds(proxy, 10, rounds);
            assertKnown(admin);
            var after = Figures.now();
            assertTrue(requestsToFirst(admin) > requests, "its counter goes on");
            layer4.assertAlive();
            // A client may be on the other loop now, and have to have one made there.
            assertTrue(
                    connectionsToFirst.size() <= connections + CLIENTS * LOOPS,
                    () -> connections + " connections, then " + connectionsToFirst.size());
            after.assertAsGoodAs(before);
        }
    }

    private static int bytesPort(Serving proxy) {
        return ((InetSocketAddress) proxy.service().addresses().getLast()).getPort();
    }

    /// A connection of layer 4 that is there all the time.
    private record Layer4(Socket socket) {
        void assertAlive() throws IOException {
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 200 ") && answer.endsWith("hello"), answer);
        }
    }

    // Backends.

    /// One is disabled, one ejected, one unhealthy.
    private void prepare(Serving proxy, RawClient admin) throws Exception {
        var form = "upstream=app&backend=127.0.0.1:" + disabled.port() + "&state=out";
        admin.send("POST /api/backend HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length() + "\r\n\r\n"
                + form);
        assertEquals(200, admin.read().status());
        try (var client = proxy.connect()) {
            // Until that is known, some requests meet one after the other.
            until(() -> {
                var _ = status(client);
                return value(admin, "ejected", failing.port()) == 1 && value(admin, "healthy", nobody) == 0;
            });
        }
    }

    private void assertKnown(RawClient admin) {
        assertEquals(0, value(admin, "available", disabled.port()), "disabled");
        assertEquals(1, value(admin, "healthy", disabled.port()));
        assertEquals(0, value(admin, "ejected", disabled.port()));
        assertEquals(1, value(admin, "ejected", failing.port()), "ejected");
        assertEquals(0, value(admin, "healthy", nobody), "unhealthy");
        assertEquals(1, value(admin, "available", first.port()));
    }

    private static long value(RawClient admin, String what, int port) {
        return sum(
                admin,
                "millrace_backend_" + what + "{layer=\"7\",upstream=\"app\",backend=\"127.0.0.1:" + port + "\"}");
    }

    private long requestsToFirst(RawClient admin) {
        return sum(
                admin,
                "millrace_backend_requests_total{layer=\"7\",upstream=\"app\",backend=\"127.0.0.1:" + first.port()
                        + "\",outcome=\"success\"}");
    }

    private static long sum(RawClient admin, String series) {
        String text;
        try {
            text = admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .read()
                    .text();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return text.lines()
                .filter(line -> line.startsWith(series))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + series + " in\n" + text));
    }

    // Load.

    private void rounds(Serving proxy, int from, int to) throws Exception {
        try (var load = new Load(proxy)) {
            for (int round = from + 1; round <= to; round++) {
                proxy.service().reload(Serving.configuration(file(round)));
                load.awaitMore(20);
            }
        }
    }

    private static int status(RawClient client) {
        try {
            return client.get("/").read().status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Clients that ask all the time, now and then on a new connection.
    private static final class Load implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicLong answered = new AtomicLong();
        private volatile boolean isOver;

        Load(Serving proxy) {
            for (int i = 0; i < CLIENTS; i++)
                threads.add(Thread.ofPlatform().name("load-" + i).start(() -> ask(proxy)));
        }

        private void ask(Serving proxy) {
            try {
                while (!isOver) askOnOne(proxy);
            } catch (Throwable e) {
                failures.add(e);
            }
        }

        private void askOnOne(Serving proxy) throws IOException {
            try (var client = proxy.connect()) {
                for (int i = 0; i < 50 && !isOver; i++) {
                    var answer = client.get("/").read();
                    assertEquals("200 hello", answer.status() + " " + answer.text());
                    answered.incrementAndGet();
                }
            }
        }

        /// Waits until so many more were answered.
        void awaitMore(int count) {
            long wanted = answered.get() + count;
            until(() -> answered.get() >= wanted || !failures.isEmpty());
        }

        @Override
        public void close() {
            isOver = true;
            for (var thread : threads) join(thread);
            assertTrue(failures.isEmpty(), () -> "failed: " + failures);
            assertTrue(answered.get() > 0);
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void until(BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) Waiting.briefly();
    }

    // What is left.

    /// @param threads of ours, but for those that come and go with the load: a busy machine has more of them
    /// @param heapBytes in use, after a collection
    private record Figures(int descriptors, long threads, long heapBytes) {
        static Figures now() {
            System.gc();
            var heap = Runtime.getRuntime();
            return new Figures(descriptorCount(), threadCount(), heap.totalMemory() - heap.freeMemory());
        }

        private static int descriptorCount() {
            var open = new File("/proc/self/fd").list();
            return open == null ? 0 : open.length;
        }

        private static long threadCount() {
            return Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .filter(name -> name.startsWith("millrace"))
                    .filter(name -> !name.startsWith("millrace-spare-") && !name.startsWith("millrace-computing-"))
                    .count();
        }

        void assertAsGoodAs(Figures before) {
            assertTrue(descriptors <= before.descriptors + SLACK, () -> before + ", then " + this);
            assertTrue(threads <= before.threads, () -> before + ", then " + this);
            assertTrue(heapBytes <= before.heapBytes + (16 << 20), () -> before + ", then " + this);
        }
    }
}
