package io.millrace;

import static io.millrace.Eventually.until;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.Standing;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// One loop, on which fifty quiet connections have neighbours that keep the thread which runs them, each in its own
/// way; in the long tier for as long as it takes to believe it.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NeighboursTest {
    private static final int QUIET = 50;

    /// Each of them has asked more often by then than it takes to earn the loop.
    private static final int FIRST_ANSWERS = 5_000;

    private static final int MOST_MILLIS = 30;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);

    /// As long as an offence: whoever waits for less has not waited for one.
    private static final int NOTICED_MILLIS = 600;

    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int RARE = 100_000;

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    @Tag("slow")
    void nobody_waits_for_them(Loops kind) throws Exception {
        assertNobodyWaits(kind, Offenders::inPeace, SHORT_NANOS, NOTICED_MILLIS, NOTICED_MILLIS);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    @Tag("clock")
    void nobody_waits_for_more_than_thirty_milliseconds_in_ten_minutes(Loops kind) throws Exception {
        assertNobodyWaits(kind, Offenders::inPeace, LONG_NANOS, Integer.MAX_VALUE, MOST_MILLIS);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    @Tag("clock")
    void ten_minutes_with_resets_and_drains_leave_nothing(Loops kind) throws Exception {
        assertNobodyWaits(kind, Offenders::inUnrest, 1_000_000, 20, Integer.MAX_VALUE);
        var before = threads();
        assertNobodyWaits(kind, Offenders::inUnrest, LONG_NANOS, Integer.MAX_VALUE, NOTICED_MILLIS);
        // Spare threads, and those of the JDK's scheduler, end when they have had nothing to do for a while.
        until(() -> before.containsAll(threads()));
    }

    private static void assertNobodyWaits(
            Loops kind, UnaryOperator<Offenders> begins, long nanos, int offenceMillis, int mostMillis)
            throws Exception {
        long keptBefore = CoreGuards.LOOP_KEPT.count();
        try (var loops = kind.setup()
                        .threads(1)
                        .earnAfter(Standing.STANDARD_NEEDED)
                        .start();
                var scene = new OffenceScene(offenceMillis, loops);
                var quiet = QuietPeers.start(QUIET, loops);
                var offenders = begins.apply(new Offenders(scene, loops))) {
            until(() -> quiet.answers() > FIRST_ANSWERS);
            long firstBeside = quiet.beside();
            long firstNanos = quiet.worstNanos();
            long end = System.nanoTime() + nanos;
            until(() -> System.nanoTime() - end > 0);
            long worstNanos = quiet.worstNanos();
            quiet.assertNothingIsLost();
            offenders.assertNothingIsLost();
            System.out.printf(
                    "%s: %d us at most for %d answers, %d beside the loop; at first %d us, %d beside;"
                            + " %d offences, the loop was kept %d times%n",
                    kind,
                    worstNanos / 1000,
                    quiet.answers() - FIRST_ANSWERS,
                    quiet.beside() - firstBeside,
                    firstNanos / 1000,
                    firstBeside,
                    offenders.answers(),
                    CoreGuards.LOOP_KEPT.count() - keptBefore);
            offenders.stop();
            quiet.stop();
            until(() -> loops.counters().getFirst().slabBytesInUse() == 0);
            assertTrue(worstNanos <= mostMillis * 1_000_000L, () -> worstNanos / 1_000_000 + " ms");
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("millrace"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("io.millrace.OffendersTest#offences")
    @Tag("clock")
    void once_in_a_hundred_thousand_calls_costs_one_stall(Loops kind, Offence offence, boolean isDirect)
            throws Exception {
        var isGuilty = new AtomicBoolean();
        try (var loops = kind.setup()
                        .threads(1)
                        .earnAfter(Standing.STANDARD_NEEDED)
                        .start();
                var scene = new OffenceScene(Integer.MAX_VALUE, loops);
                var quiet = QuietPeers.start(QUIET, loops);
                var server = Offenders.serve(loops, isDirect, () -> {
                    if (isGuilty.getAndSet(false)) offence.commit(scene);
                })) {
            until(() -> quiet.answers() > FIRST_ANSWERS);
            for (int i = 0; i < 3; i++) {
                try (var peer = RawPeer.of(server)) {
                    for (int call = 0; call < RARE; call++) peer.send("x").assertReads("x");
                    long stalls = stalls();
                    quiet.worstNanos();
                    isGuilty.set(true);
                    long tookNanos = timeOf(peer);
                    // What everybody may have to wait for is not always told: a file that is in memory, for one.
                    if (tookNanos > MOST_NANOS) until(() -> stalls() > stalls);
                    long worstNanos = quiet.worstNanos();
                    assertTrue(worstNanos <= tookNanos + MOST_NANOS, () -> worstNanos + " ns for " + tookNanos);
                    assertTrue(stalls() <= stalls + 1);
                }
            }
            quiet.assertNothingIsLost();
        }
    }

    private static long stalls() {
        return CoreGuards.LOOP_KEPT.count() + CoreGuards.STALL.count();
    }

    /// What waits in a static initialiser on its loop is not answered: it throws.
    private static long timeOf(RawPeer peer) {
        long beganNanos = System.nanoTime();
        try {
            peer.send("x").assertReads("x");
        } catch (IOException | AssertionError e) {
            // gone
        }
        return System.nanoTime() - beganNanos;
    }
}
