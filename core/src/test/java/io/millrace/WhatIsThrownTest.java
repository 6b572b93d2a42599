package io.millrace;

import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What user code throws, or leaves behind in its thread, is the business of one connection.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WhatIsThrownTest {
    private static final int COUNT = 300;
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    private static final HandlerFactory THROWS = conn -> in -> {
        throw new IllegalStateException("as told");
    };

    private static final Session THROWING = conn -> {
        throw new IllegalStateException("as told");
    };

    @ParameterizedTest
    @EnumSource
    void handlers_that_throw_again_and_again_do_not_fill_the_log(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), THROWS)) {
            assertFillsNoLog(server, "io.millrace.handler");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sessions_that_throw_again_and_again_do_not_fill_the_log(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), THROWING)) {
            assertFillsNoLog(server, "io.millrace.session");
        }
    }

    /// A line a second, and the others are counted.
    private static void assertFillsNoLog(Server server, String logger) throws Exception {
        long before = CoreGuards.ERROR_LOG.count();
        try (var log = CapturedLog.of(logger)) {
            for (int i = 0; i < COUNT; i++) {
                try (var peer = RawPeer.of(server)) {
                    // It may be gone by then.
                    Stream.of(peer).forEach(WhatIsThrownTest::poke);
                }
            }
            Eventually.until(() -> server.connections() == 0);
            Eventually.until(() -> lines(log) + CoreGuards.ERROR_LOG.count() - before >= COUNT);
            assertEquals(COUNT, lines(log) + CoreGuards.ERROR_LOG.count() - before);
            assertTrue(lines(log) < COUNT / 2, () -> lines(log) + " lines");
        }
    }

    private static void poke(RawPeer peer) {
        try {
            peer.send("x").readAll();
        } catch (IOException _) {
            // Reset, which is what is waited for.
        }
    }

    private static long lines(CapturedLog log) {
        return log.linesSoFar().stream()
                .filter(line -> line.contains("as told"))
                .count();
    }

    @ParameterizedTest
    @EnumSource
    void a_log_that_fails_does_not_end_a_loop(Loops kind) throws Exception {
        var failing = new Failing();
        var loggers = Stream.of("io.millrace.handler", "io.millrace.loop")
                .map(Logger::getLogger)
                .toList();
        for (var logger : loggers) {
            logger.setUseParentHandlers(false);
            logger.addHandler(failing);
        }
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), THROWS);
                var echo = Tcp.listen(local(loops), ECHO);
                var other = RawPeer.of(echo);
                var peer = RawPeer.of(server)) {
            other.send("before").assertReads("before");
            poke(peer);
            loops.next().execute(() -> {
                throw new IllegalStateException("as told");
            });
            other.send("after").assertReads("after");
        } finally {
            for (var logger : loggers) {
                logger.removeHandler(failing);
                logger.setUseParentHandlers(true);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_interrupt_stays_with_the_call_that_it_was_meant_for(Loops kind) throws Exception {
        HandlerFactory interrupts = conn -> in -> {
            conn.output().move(in);
            Thread.currentThread().interrupt();
        };
        HandlerFactory reports = conn -> in -> {
            in.skip(in.remaining());
            conn.output().writeUtf8(Thread.currentThread().isInterrupted() ? "interrupted" : "undisturbed");
        };
        try (var loops = kind.start(1);
                var one = Tcp.listen(local(loops), interrupts);
                var other = Tcp.listen(local(loops), reports);
                var peer = RawPeer.of(one);
                var neighbour = RawPeer.of(other)) {
            for (int i = 0; i < 10; i++) {
                peer.send("x").assertReads("x");
                neighbour.send("x").assertReads("undisturbed");
            }
            var loop = loops.next();
            var interrupted = new CountDownLatch(1);
            loop.execute(() -> {
                Thread.currentThread().interrupt();
                interrupted.countDown();
            });
            interrupted.await();
            Eventually.turns(loops, 2);
            var seen = new CompletableFuture<Boolean>();
            loop.execute(() -> seen.complete(Thread.currentThread().isInterrupted()));
            assertFalse(seen.get());
        }
    }

    private static final class Failing extends Handler {
        @Override
        public void publish(LogRecord line) {
            throw new NoClassDefFoundError("as told");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
