package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a backend sends beyond the response that it was asked for is an answer to nobody's request.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrayResponsesTest {
    private static final String RIGHT = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright";
    private static final String STRAY = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray";

    /// The first connection goes by the script once it has its request; others answer what is right.
    private static RawBackend first(RawBackend.Script script) throws IOException {
        var visits = new AtomicInteger();
        return new RawBackend(visit -> {
            boolean isFirst = visits.incrementAndGet() == 1;
            while (true) {
                visit.head();
                if (isFirst) script.run(visit);
                else visit.send(RIGHT);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void one_in_the_same_segment_reaches_nobody(Proxying.Kind kind) throws Exception {
        try (var backend = first(visit -> visit.send(RIGHT + STRAY));
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            long before = HttpGuards.CLIENT_UNASKED.count();
            assertEquals("right", client.get("/a").read().text());
            assertEquals("right", client.get("/b").read().text());
            assertEquals(2, backend.connections());
            assertEquals(1, HttpGuards.CLIENT_UNASKED.count() - before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_comes_later_closes_the_idle_connection(Proxying.Kind kind) throws Exception {
        var isAnswered = new CountDownLatch(1);
        try (var backend = first(visit -> {
                    visit.send(RIGHT);
                    await(isAnswered);
                    visit.send(STRAY).awaitEnd();
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("right", client.get("/a").read().text());
            isAnswered.countDown();
            backend.awaitClosed();
            assertEquals("right", client.get("/b").read().text());
            assertEquals(2, backend.connections());
        }
    }

    /// All loops stand still until the next request, and behind it the stray response, have arrived.
    @ParameterizedTest
    @EnumSource
    void one_that_waits_when_the_connection_is_used_again_is_not_the_answer(Proxying.Kind kind) throws Exception {
        var isWanted = new CountDownLatch(1);
        var isSent = new CountDownLatch(1);
        try (var backend = first(visit -> {
                    visit.send(RIGHT);
                    await(isWanted);
                    visit.send(STRAY);
                    isSent.countDown();
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("right", client.get("/a").read().text());
            var goOn = stop(proxy);
            client.get("/b");
            isWanted.countDown();
            isSent.await();
            goOn.await();
            assertEquals("right", client.read().text());
            assertEquals(2, backend.connections());
        }
    }

    /// The loops go on when the caller comes to the barrier.
    private static CyclicBarrier stop(Proxying proxy) throws Exception {
        var loops =
                proxy.loops().stream().flatMap(group -> group.all().stream()).toList();
        var haveStopped = new CyclicBarrier(loops.size() + 1);
        var goOn = new CyclicBarrier(loops.size() + 1);
        for (var loop : loops) {
            loop.execute(() -> {
                await(haveStopped);
                await(goOn);
            });
        }
        haveStopped.await();
        return goOn;
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
