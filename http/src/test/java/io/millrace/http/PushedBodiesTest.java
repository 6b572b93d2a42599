package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies that any thread sends, within a bound.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PushedBodiesTest {
    private static final int PART = 10_000;

    /// Sends as fast as it is taken, on a thread of its own.
    private static void send(PushBody body, byte[] all) {
        var room = new Object();
        body.onRoom(() -> {
            synchronized (room) {
                room.notifyAll();
            }
        });
        Thread.ofPlatform().daemon().start(() -> {
            for (int at = 0; at < all.length; ) {
                var part = Bytes.of(Arrays.copyOfRange(all, at, Math.min(all.length, at + PART)));
                synchronized (room) {
                    while (body.isFull()) {
                        try {
                            room.wait(1_000);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }
                if (!body.send(part)) return;
                at += part.length();
            }
            body.end();
        });
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_sent_from_another_thread_as_the_peer_takes_it(Serving.Kind kind) throws Exception {
        var all = random(5_000_000);
        try (var serving = kind.serve(_ -> Response.push(200, body -> send(body, all)));
                var peer = serving.connect()) {
            assertArrayEquals(all, peer.get("/").read().body());
            assertArrayEquals(all, peer.get("/").read().body());
            peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals(200, peer.read(false).status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothing_more_is_taken_than_its_bound(Serving.Kind kind) throws Exception {
        var taken = new CompletableFuture<Long>();
        var closed = new CountDownLatch(1);
        try (var serving = kind.serve(_ -> Response.push(200, body -> {
            long sent = 0;
            while (body.send(Bytes.of(new byte[PART]))) sent += PART;
            taken.complete(sent);
            body.onClose(closed::countDown);
        }))) {
            try (var peer = serving.connect()) {
                peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals("HTTP/1.1 200 OK", peer.line());
                long most = (256 << 10) + PART;
                assertTrue(taken.get(20, TimeUnit.SECONDS) <= most, () -> taken.join() + " bytes");
                // One that only ends may still read.
                peer.socket().setSoLinger(true, 0);
            }
            assertTrue(closed.await(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_fails_ends_its_response_in_the_middle(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(_ -> Response.push(200, body -> {
                    body.send(Bytes.utf8("half"));
                    body.fail(new IllegalStateException("on purpose"));
                    assertFalse(body.send(Bytes.utf8("more")));
                }));
                var peer = serving.connect()) {
            peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            var all = new String(peer.readAll(), java.nio.charset.StandardCharsets.US_ASCII);
            assertFalse(all.endsWith("0\r\n\r\n"), all);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_published_is_asked_for_as_the_peer_takes_it(Serving.Kind kind) throws Exception {
        var all = random(3_000_000);
        try (var serving = kind.serve(_ -> Response.publish(200, subscriber -> publish(subscriber, all)));
                var peer = serving.connect()) {
            assertArrayEquals(all, peer.get("/").read().body());
            assertEquals(200, peer.get("/").read().status());
        }
    }

    private static void publish(Flow.Subscriber<? super Bytes> subscriber, byte[] all) {
        var publisher = new SubmissionPublisher<Bytes>(Runnable::run, 1);
        publisher.subscribe(subscriber);
        Thread.ofPlatform().daemon().start(() -> {
            for (int at = 0; at < all.length; at += PART) {
                publisher.submit(Bytes.of(Arrays.copyOfRange(all, at, Math.min(all.length, at + PART))));
            }
            publisher.close();
        });
    }

    @Test
    void a_publisher_hears_that_the_peer_has_gone() {
        Simulation.forEachSeed(50, network -> {
            var cancelled = new AtomicLong();
            Flow.Publisher<Bytes> endless = subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long n) {
                    network.loops().next().execute(() -> subscriber.onNext(Bytes.of(new byte[PART])));
                }

                @Override
                public void cancel() {
                    cancelled.incrementAndGet();
                }
            });
            try (var server =
                    io.millrace.http.server.Http.listen(network.on(80), _ -> Response.publish(200, endless))) {
                var peer = network.connect(80).pause().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofSeconds(10));
                assertEquals(0, cancelled.get());
                peer.abort();
                network.advance(Duration.ofSeconds(10));
                assertTrue(cancelled.get() > 0);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void without_a_server_it_is_what_was_sent() {
        var all = random(100_000);
        assertArrayEquals(
                all, Response.push(200, body -> send(body, all)).body().toArray());
        var published = Response.publish(200, subscriber -> publish(subscriber, all));
        var got = new ByteArrayOutputStream();
        got.writeBytes(published.body().toArray());
        assertArrayEquals(all, got.toByteArray());
    }
}
