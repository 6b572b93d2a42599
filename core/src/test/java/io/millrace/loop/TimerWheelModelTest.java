package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Simulation;
import java.util.Comparator;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The wheel against a sorted map that does the same in the obvious way, through random schedules, cancellations,
/// moves and jumps of time, from outside and from within timers that fire.
@Tag("simulation")
class TimerWheelModelTest {
    private static final int STEPS = 600;

    @Test
    void fires_what_a_sorted_map_fires_in_the_same_order() {
        Simulation.forEachSeed(1_000, network -> new Run(network.seed()).play());
    }

    /// Moments of the model are nanoseconds since the start, so that they do not wrap where those of the wheel
    /// do.
    private record Due(long nanos, long turn) implements Comparable<Due> {
        private static final Comparator<Due> ORDER =
                Comparator.comparingLong(Due::nanos).thenComparingLong(Due::turn);

        @Override
        public int compareTo(Due other) {
            return ORDER.compare(this, other);
        }
    }

    private static final class Run {
        private final Random random;
        private final long startNanos;
        private final TimerWheel wheel;
        private final ModelTimer[] timers = new ModelTimer[50];
        private final TreeMap<Due, ModelTimer> waiting = new TreeMap<>();
        private final TreeMap<Due, ModelTimer> snapshot = new TreeMap<>();
        private long nowNanos;
        private long turns;
        private int fired;
        private int thrown;
        private int caught;

        Run(long seed) {
            random = new Random(seed);
            startNanos = random.nextBoolean() ? random.nextLong() : Long.MAX_VALUE - randomNanos();
            wheel = new TimerWheel(startNanos, this::caught);
            for (int i = 0; i < timers.length; i++) {
                timers[i] = new ModelTimer();
            }
        }

        void play() {
            for (int i = 0; i < STEPS; i++) {
                step();
                check();
            }
            advanceTo(nowNanos + TimerWheel.FOREVER_NANOS + TimeUnit.DAYS.toNanos(1));
            check();
        }

        private void step() {
            switch (random.nextInt(4)) {
                case 0 -> advanceTo(nowNanos + randomNanos());
                case 1 -> advanceTo(Math.min(wheel.nextDeadlineNanos() - startNanos, nowNanos + randomNanos()));
                default -> changeSomeTimer();
            }
        }

        private void changeSomeTimer() {
            var timer = timers[random.nextInt(timers.length)];
            if (random.nextInt(4) == 0) {
                cancel(timer);
            } else {
                schedule(timer, randomDeadlineNanos());
            }
        }

        private long randomDeadlineNanos() {
            // The second jump over 146 years would wrap the moments of the model.
            boolean mayBeFar = nowNanos < TimerWheel.FOREVER_NANOS;
            return switch (random.nextInt(50)) {
                case 0 -> nowNanos + (mayBeFar ? TimerWheel.FOREVER_NANOS : 0);
                case 1, 2, 3, 4, 5 -> nowNanos - randomNanos();
                default -> nowNanos + randomNanos();
            };
        }

        private void cancel(ModelTimer timer) {
            timer.cancel();
            forget(timer);
        }

        private void schedule(ModelTimer timer, long deadlineNanos) {
            wheel.schedule(timer, startNanos + deadlineNanos);
            forget(timer);
            long dueNanos = deadlineNanos <= nowNanos
                    ? nowNanos
                    : Math.ceilDiv(deadlineNanos, TimerWheel.TICK_NANOS) * TimerWheel.TICK_NANOS;
            timer.due = new Due(dueNanos, turns++);
            waiting.put(timer.due, timer);
        }

        private void forget(ModelTimer timer) {
            if (timer.due != null) {
                waiting.remove(timer.due);
                snapshot.remove(timer.due);
                timer.due = null;
            }
        }

        private void advanceTo(long untilNanos) {
            nowNanos = Math.max(nowNanos, untilNanos);
            var expired = waiting.headMap(new Due(nowNanos, Long.MAX_VALUE), true);
            snapshot.putAll(expired);
            expired.clear();
            fired = 0;
            int reported = wheel.advance(startNanos + untilNanos);
            assertEquals(fired, reported);
            assertTrue(snapshot.isEmpty(), () -> "did not fire: " + snapshot);
        }

        private void fired(ModelTimer timer) {
            var first = snapshot.pollFirstEntry();
            assertNotNull(first, "fired before its time");
            assertSame(first.getValue(), timer, "fired out of order");
            timer.due = null;
            fired++;
            for (int i = random.nextInt(3); i > 0; i--) {
                changeSomeTimer();
            }
            if (random.nextInt(10) == 0) {
                thrown++;
                throw new IllegalStateException("what a timer throws");
            }
        }

        private void caught(TimerWheel.WheelTimer timer, Throwable failure) {
            if (failure instanceof AssertionError mismatch) {
                throw mismatch;
            }
            caught++;
        }

        private void check() {
            assertEquals(waiting.size(), wheel.size());
            assertEquals(thrown, caught);
            for (var timer : timers) {
                assertEquals(timer.due != null, timer.isScheduled());
            }
            checkNextDeadline(wheel.nextDeadlineNanos() - startNanos);
        }

        private void checkNextDeadline(long nextNanos) {
            if (waiting.isEmpty()) {
                assertEquals(nowNanos + TimerWheel.FOREVER_NANOS, nextNanos);
                return;
            }
            long dueNanos = waiting.firstKey().nanos();
            assertTrue(nextNanos <= dueNanos, "would sleep past a deadline");
            assertEquals(dueNanos <= nowNanos, nextNanos <= nowNanos, "wakes up at once only if something is due");
        }

        /// Every scale alike, from nothing to a month.
        private long randomNanos() {
            return random.nextLong(1L << random.nextInt(52));
        }

        private final class ModelTimer extends TimerWheel.WheelTimer {
            private @Nullable Due due;

            @Override
            protected void fire() {
                fired(this);
            }
        }
    }
}
