package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The limits of a backend on layer 7 hold for all loops together.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CircuitTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static Backend backend(Proxying proxy, int number) {
        return proxy.upstream().backends().orElseThrow().members().get(number);
    }

    private static UpstreamLimits limits(int connections, int pending) {
        return UpstreamLimits.standard().connectionsPerBackend(connections).pendingPerBackend(pending);
    }

    @ParameterizedTest
    @EnumSource
    void clients_of_all_loops_share_the_connections_and_all_are_served(Proxying.Kind kind) throws Exception {
        int clients = 8;
        int requests = 100;
        var most = new AtomicInteger();
        Set<String> failures = ConcurrentHashMap.newKeySet();
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.to(upstream -> upstream.limits(limits(1, 100)), backend.uri())) {
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < clients; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try (var client = proxy.connect()) {
                        for (int n = 0; n < requests; n++) {
                            int status = client.get("/").read().status();
                            if (status != 200) failures.add("status " + status);
                            most.accumulateAndGet(
                                    backend(proxy, 0).connections().taken(), Math::max);
                        }
                    } catch (IOException | RuntimeException e) {
                        failures.add(e.toString());
                    }
                }));
            }
            for (var thread : threads) thread.join();
            assertEquals(Set.of(), failures);
            assertEquals(1, most.get());
            assertEquals(0, backend(proxy, 0).pending().taken());
        }
    }

    /// It goes on when the latch does.
    private static RawBackend holding(CountDownLatch latch) throws IOException {
        return new RawBackend(visit -> {
            while (true) {
                visit.head();
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                visit.send(OK);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void whoever_may_not_wait_is_refused_at_once(Proxying.Kind kind) throws Exception {
        var latch = new CountDownLatch(1);
        try (var backend = holding(latch);
                var proxy = kind.to(upstream -> upstream.limits(limits(1, 0)), backend.uri());
                var first = proxy.connect()) {
            first.get("/first");
            backend.nextHead();
            for (int i = 0; i < 4; i++) {
                try (var other = proxy.connect()) {
                    var reply = other.get("/other").read();
                    assertEquals(503, reply.status());
                    assertEquals("1", reply.header("Retry-After"));
                }
            }
            latch.countDown();
            assertEquals("ok", first.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whom_a_full_backend_refuses_another_one_serves(Proxying.Kind kind) throws Exception {
        var latch = new CountDownLatch(1);
        var clients = new ArrayList<RawClient>();
        try (var full = holding(latch);
                var free = RawBackend.answering(OK);
                var proxy = kind.to(upstream -> upstream.limits(limits(1, 1)), full.uri(), free.uri());
                var next = proxy.connect()) {
            var _ = proxy.upstream().start();
            // One is held, and one waits for its connection.
            for (int i = 0; i < 4; i++) clients.add(proxy.connect().get("/first"));
            Tunnelling.until(() -> backend(proxy, 0).pending().taken() == 1);
            Tunnelling.until(() -> backend(proxy, 0).requests().taken() == 2
                    && backend(proxy, 1).requests().taken() == 0);
            for (int i = 0; i < 4; i++)
                assertEquals("ok", next.get("/next").read().text());
            latch.countDown();
            for (var client : clients) {
                assertEquals("ok", client.read().text());
                client.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void places_are_given_back_when_connections_close(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send(OK);
                });
                var proxy = kind.to(upstream -> upstream.limits(limits(1, 1)), backend.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 20; i++)
                assertEquals("ok", client.get("/").read().text());
            Tunnelling.until(() -> backend(proxy, 0).connections().taken() == 0);
        }
    }
}
