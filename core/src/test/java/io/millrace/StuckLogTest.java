package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.LoopLog;
import io.millrace.net.HandlerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A log that takes nothing, as when nobody reads the pipe that it is written to.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StuckLogTest {
    private static final HandlerFactory ECHO = conn -> in -> {
        if (in.peekByte(0) == '!') throw new IllegalStateException("as told");
        conn.output().move(in);
    };

    /// Takes the first line, and nothing until it is released.
    private static final class Stuck extends Handler implements AutoCloseable {
        final CountDownLatch isHere = new CountDownLatch(1);
        final CountDownLatch mayGo = new CountDownLatch(1);
        final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final Logger logger;

        Stuck(String name) {
            logger = Logger.getLogger(name);
            logger.setUseParentHandlers(false);
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            isHere.countDown();
            Uninterrupted.await(mayGo);
            lines.add(new SimpleFormatter().format(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            mayGo.countDown();
            LoopLog.settle();
            logger.removeHandler(this);
            logger.setUseParentHandlers(true);
        }
    }

    private static Listen local(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    @ParameterizedTest
    @EnumSource
    void the_loop_goes_on_that_has_a_line_for_it(Loops kind) throws Exception {
        try (var log = new Stuck("io.millrace.handler");
                var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var innocent = RawPeer.of(server);
                var guilty = RawPeer.of(server)) {
            guilty.send("!").assertGone();
            log.isHere.await();
            innocent.send("x").assertReads("x");
            log.mayGo.countDown();
            assertTrue(log.lines.take().contains("IllegalStateException: as told"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void lines_that_do_not_fit_are_counted_and_told_of(Loops kind) throws Exception {
        var quiet = LoopLog.of("io.millrace.loop");
        long before = CoreGuards.LOG_LINES.count();
        try (var log = new Stuck("io.millrace.loop");
                var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            var loop = loops.all().getFirst();
            loop.execute(() -> quiet.log(System.Logger.Level.WARNING, "the first"));
            log.isHere.await();
            var isDone = new CompletableFuture<Void>();
            loop.execute(() -> {
                for (int i = 0; i < 2000; i++) quiet.log(System.Logger.Level.WARNING, "line " + i);
                isDone.complete(null);
            });
            isDone.join();
            assertEquals(2001 - 1024, CoreGuards.LOG_LINES.count() - before);
            log.mayGo.countDown();
            while (!log.lines.take().contains("977 lines of event loops were dropped")) {}
            // One was being written, so many waited.
            while (!log.lines.take().contains("line 1022")) {}
        }
    }

    /// Whoever tells of a limit may hold a lock that a loop needs.
    @Test
    void guards_wait_for_it_on_no_thread() throws Exception {
        try (var log = new Stuck("io.millrace.guard")) {
            while (log.isHere.getCount() > 0) CoreGuards.LINGER.acted("a test", "as told");
            for (var guard : Guards.all()) guard.acted("a test", "as told");
        }
    }

    /// It could be what the loop is stuck in.
    @ParameterizedTest
    @EnumSource
    void the_watchdog_does_not_wait_for_it(Loops kind) throws Exception {
        try (var log = new Stuck("io.millrace.guard");
                var loops = kind.watched(Duration.ofMillis(50));
                var server = Tcp.listen(local(loops), conn -> in -> {
                    long end = System.nanoTime() + 150_000_000;
                    Eventually.until(() -> System.nanoTime() - end > 0);
                    conn.output().move(in);
                });
                var peer = RawPeer.of(server)) {
            // There is one line a second at most.
            while (log.isHere.getCount() > 0) peer.send("x").assertReads("x");
            long before = CoreGuards.STALL.count();
            while (CoreGuards.STALL.count() < before + 2) peer.send("x").assertReads("x");
        }
    }
}
