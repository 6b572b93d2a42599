package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.CountedGuard;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GuardTest {
    @Test
    void a_log_that_fails_does_not_reach_what_a_guard_protects() {
        var failing = new Failing();
        var logger = Logger.getLogger("io.millrace.guard");
        logger.addHandler(failing);
        logger.setUseParentHandlers(false);
        try {
            long before = CoreGuards.LINGER.count();
            // It may have written its line of this second already.
            while (failing.failures.get() == 0) CoreGuards.LINGER.acted(new InetSocketAddress(1), "as told");
            assertTrue(CoreGuards.LINGER.count() > before);
        } finally {
            logger.removeHandler(failing);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void a_limit_that_acts_every_day_counts_and_is_no_warning() {
        var quiet = CountedGuard.declareEveryday("guard-test.everyday", "what acts every day");
        var loud = CountedGuard.declare("guard-test.loud", "what does not");
        try (var log = CapturedLog.of("io.millrace.guard")) {
            quiet.acted("a phone", "is silent");
            loud.acted("somebody", "is loud");
            var levels = log.linesSoFar().stream()
                    .map(line -> line.lines().skip(1).findFirst().orElseThrow().replaceFirst(" acted.*", ""))
                    .toList();
            assertEquals(List.of("FINE: guard guard-test.everyday", "WARNING: guard guard-test.loud"), levels);
        }
        assertEquals(1, quiet.count());
        assertEquals("a phone: is silent", quiet.lastly());
    }

    /// As the JDK's own formatter does when it cannot read a file.
    private static final class Failing extends Handler {
        final AtomicInteger failures = new AtomicInteger();

        @Override
        public void publish(LogRecord line) {
            failures.incrementAndGet();
            throw new NoClassDefFoundError("as told");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
