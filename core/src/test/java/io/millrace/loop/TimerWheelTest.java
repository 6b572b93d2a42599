package io.millrace.loop;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerWheelTest {
    /// Not a multiple of a tick, negative, and the deadlines of most tests wrap around from it.
    private static final long START = Long.MIN_VALUE + 7;

    private final List<String> fired = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final TimerWheel wheel = new TimerWheel(START, (_, failure) -> failures.add(failure));

    @Test
    void a_timer_fires_once_when_its_deadline_has_come() {
        schedule("a", MILLISECONDS.toNanos(5));
        assertEquals(0, wheel.advance(START + MILLISECONDS.toNanos(5) - 1));
        assertEquals(1, wheel.advance(START + MILLISECONDS.toNanos(5)));
        assertEquals(0, wheel.advance(START + HOURS.toNanos(1)));
        assertEquals(List.of("a"), fired);
    }

    @Test
    void a_deadline_between_two_ticks_is_rounded_up() {
        schedule("a", MICROSECONDS.toNanos(5_200));
        assertEquals(0, wheel.advance(START + MICROSECONDS.toNanos(5_900)));
        assertEquals(1, wheel.advance(START + MICROSECONDS.toNanos(6_000)));
    }

    @Test
    void a_deadline_that_has_passed_fires_in_the_next_advance() {
        wheel.advance(START + MICROSECONDS.toNanos(10_300));
        schedule("long ago", -SECONDS.toNanos(1));
        schedule("just now", MICROSECONDS.toNanos(10_300));
        assertEquals(2, wheel.advance(START + MICROSECONDS.toNanos(10_300)));
        assertEquals(List.of("long ago", "just now"), fired);
    }

    @Test
    void timers_crossed_in_one_jump_fire_in_the_order_of_their_deadlines() {
        schedule("3 days", DAYS.toNanos(3));
        schedule("2 s", SECONDS.toNanos(2));
        schedule("1 h", HOURS.toNanos(1));
        schedule("1 s", SECONDS.toNanos(1));
        schedule("70 ms", MILLISECONDS.toNanos(70));
        schedule("3 ms", MILLISECONDS.toNanos(3));
        assertEquals(6, wheel.advance(START + DAYS.toNanos(10)));
        assertEquals(List.of("3 ms", "70 ms", "1 s", "2 s", "1 h", "3 days"), fired);
    }

    @Test
    void equal_deadlines_fire_in_the_order_of_scheduling_even_if_scheduled_at_different_distances() {
        schedule("far", SECONDS.toNanos(300));
        wheel.advance(START + SECONDS.toNanos(290));
        schedule("nearer", SECONDS.toNanos(300));
        wheel.advance(START + SECONDS.toNanos(300) - MILLISECONDS.toNanos(3));
        schedule("near", SECONDS.toNanos(300));
        wheel.advance(START + SECONDS.toNanos(300));
        assertEquals(List.of("far", "nearer", "near"), fired);
    }

    @Test
    void the_furthest_deadline_fires_and_not_before() {
        schedule("a", TimerWheel.FOREVER_NANOS);
        assertEquals(0, wheel.advance(START + TimerWheel.FOREVER_NANOS - TimerWheel.TICK_NANOS));
        assertEquals(1, wheel.advance(START + TimerWheel.FOREVER_NANOS + TimerWheel.TICK_NANOS));
    }

    @Test
    void a_clock_that_wraps_is_a_clock_like_any_other() {
        long start = Long.MAX_VALUE - SECONDS.toNanos(1);
        var wrapping = new TimerWheel(start, (_, failure) -> failures.add(failure));
        wrapping.schedule(start + SECONDS.toNanos(2), () -> fired.add("after"));
        wrapping.schedule(start + MILLISECONDS.toNanos(999), () -> fired.add("before"));
        assertEquals(1, wrapping.advance(start + MILLISECONDS.toNanos(1_999)));
        assertEquals(start + SECONDS.toNanos(2), wrapping.nextDeadlineNanos());
        assertEquals(1, wrapping.advance(start + SECONDS.toNanos(2)));
        assertEquals(List.of("before", "after"), fired);
    }

    @Test
    void the_largest_long_is_no_deadline_and_the_refusal_says_what_is() {
        for (long start : new long[] {-SECONDS.toNanos(1), SECONDS.toNanos(1)}) {
            var plain = new TimerWheel(start, (_, failure) -> failures.add(failure));
            var timer = plain.schedule(start + SECONDS.toNanos(1), () -> fired.add("as it was"));
            var refusal = assertThrows(IllegalArgumentException.class, () -> plain.schedule(timer, Long.MAX_VALUE));
            assertTrue(refusal.toString().contains("now plus FOREVER_NANOS"), refusal.toString());
            assertEquals(1, plain.advance(start + SECONDS.toNanos(1)));
        }
    }

    @Test
    void a_clock_that_goes_back_is_taken_to_stand_still() {
        wheel.advance(START + MILLISECONDS.toNanos(100));
        schedule("now", MILLISECONDS.toNanos(90));
        schedule("later", MILLISECONDS.toNanos(101));
        assertEquals(1, wheel.advance(START));
        assertEquals(1, wheel.advance(START + MILLISECONDS.toNanos(101)));
    }

    @Test
    void a_cancelled_timer_does_not_fire() {
        var timer = wheel.schedule(START + MILLISECONDS.toNanos(1), () -> fired.add("a"));
        assertTrue(timer.isScheduled());
        timer.cancel();
        timer.cancel();
        assertFalse(timer.isScheduled());
        assertEquals(0, wheel.size());
        assertEquals(0, wheel.advance(START + SECONDS.toNanos(1)));
    }

    @Test
    void a_timer_scheduled_again_moves() {
        var timer = wheel.schedule(START + SECONDS.toNanos(1), () -> fired.add("a"));
        wheel.schedule(timer, START + MILLISECONDS.toNanos(2));
        assertEquals(1, wheel.size());
        assertEquals(1, wheel.advance(START + MILLISECONDS.toNanos(2)));
        wheel.schedule(timer, START + MILLISECONDS.toNanos(3));
        assertEquals(1, wheel.advance(START + MILLISECONDS.toNanos(3)));
        assertEquals(0, wheel.advance(START + SECONDS.toNanos(2)));
    }

    @Test
    void a_timer_that_re_arms_itself_with_no_delay_runs_once_per_advance() {
        var timer = new TimerWheel.WheelTimer() {
            @Override
            protected void fire() {
                fired.add("again");
                wheel.schedule(this, START);
            }
        };
        wheel.schedule(timer, START);
        assertEquals(1, wheel.advance(START));
        assertEquals(1, wheel.advance(START + HOURS.toNanos(1)));
        assertEquals(1, wheel.size());
    }

    @Test
    void a_timer_is_idle_while_it_fires() {
        var timer = new TimerWheel.WheelTimer() {
            @Override
            protected void fire() {
                fired.add("scheduled " + isScheduled() + ", size " + wheel.size());
            }
        };
        wheel.schedule(timer, START);
        wheel.advance(START);
        assertEquals(List.of("scheduled false, size 0"), fired);
    }

    @Test
    void a_timer_can_cancel_and_move_timers_that_expired_with_it() {
        var cancelled = wheel.schedule(START, () -> fired.add("cancelled"));
        var moved = wheel.schedule(START, () -> fired.add("moved"));
        wheel.schedule(START, () -> fired.add("last"));
        cancelled.cancel();
        wheel.schedule(cancelled, START + MILLISECONDS.toNanos(2));
        wheel.schedule(moved, START + MILLISECONDS.toNanos(2));
        wheel.schedule(START + MILLISECONDS.toNanos(1), () -> {
            cancelled.cancel();
            wheel.schedule(moved, START + SECONDS.toNanos(1));
        });
        assertEquals(2, wheel.advance(START + MILLISECONDS.toNanos(2)));
        assertEquals(1, wheel.size());
        assertEquals(1, wheel.advance(START + SECONDS.toNanos(1)));
        assertEquals(List.of("last", "moved"), fired);
    }

    @Test
    void a_timer_that_throws_is_reported_and_the_others_fire() {
        var boom = new IllegalStateException("boom");
        schedule("before", MILLISECONDS.toNanos(1));
        wheel.schedule(START + MILLISECONDS.toNanos(1), () -> {
            throw boom;
        });
        schedule("after", MILLISECONDS.toNanos(1));
        assertEquals(3, wheel.advance(START + MILLISECONDS.toNanos(1)));
        assertEquals(List.of("before", "after"), fired);
        assertEquals(List.of(boom), failures);
    }

    @Test
    void even_a_failure_handler_that_throws_loses_no_timer() {
        var strict = new TimerWheel(START, (timer, failure) -> {
            throw new IllegalStateException(timer.toString(), failure);
        });
        strict.schedule(START, () -> {
            throw new IllegalStateException("boom");
        });
        strict.schedule(START, () -> fired.add("rest"));
        assertThrows(IllegalStateException.class, () -> strict.advance(START));
        assertTrue(strict.nextDeadlineNanos() - START <= 0);
        assertEquals(1, strict.advance(START));
        assertEquals(List.of("rest"), fired);
    }

    @Test
    void the_next_deadline_is_exact_however_far_it_is() {
        schedule("2 days", DAYS.toNanos(2));
        schedule("1 day", DAYS.toNanos(1));
        assertEquals(START + DAYS.toNanos(1), wheel.nextDeadlineNanos());
        schedule("1 h", HOURS.toNanos(1));
        assertEquals(START + HOURS.toNanos(1), wheel.nextDeadlineNanos());
        wheel.advance(START + HOURS.toNanos(23));
        assertEquals(START + DAYS.toNanos(1), wheel.nextDeadlineNanos());
    }

    @Test
    void the_next_deadline_of_an_empty_wheel_is_out_of_sight() {
        wheel.advance(START + SECONDS.toNanos(1));
        assertEquals(START + SECONDS.toNanos(1) + TimerWheel.FOREVER_NANOS, wheel.nextDeadlineNanos());
    }

    @Test
    void the_next_deadline_does_not_lie_ahead_while_something_is_due() {
        schedule("future", SECONDS.toNanos(1));
        schedule("past", 0);
        assertEquals(START, wheel.nextDeadlineNanos());
    }

    @Test
    void an_idle_loop_wakes_up_a_few_times_for_a_deadline_that_was_cancelled() {
        var earliest = wheel.schedule(START + HOURS.toNanos(20), () -> fired.add("cancelled"));
        schedule("day", HOURS.toNanos(24));
        earliest.cancel();
        int wakeUps = 0;
        while (fired.isEmpty()) {
            wheel.advance(wheel.nextDeadlineNanos());
            wakeUps++;
        }
        assertEquals(List.of("day"), fired);
        assertTrue(wakeUps <= 5, wakeUps + " wake-ups");
    }

    @Test
    void timers_of_a_wheel_that_ends_hear_of_it_and_never_fire() {
        var told = new ArrayList<TimerWheel.WheelTimer>();
        var timers = new ArrayList<TimerWheel.WheelTimer>();
        for (long aheadNanos : new long[] {-1, MILLISECONDS.toNanos(1), HOURS.toNanos(1), DAYS.toNanos(9)}) {
            var timer = new TimerWheel.WheelTimer() {
                @Override
                protected void fire() {
                    fired.add("late");
                }

                @Override
                protected void ended() {
                    told.add(this);
                }
            };
            timers.add(timer);
            wheel.schedule(timer, START + aheadNanos);
        }
        timers.removeLast().cancel();
        wheel.end();
        assertEquals(timers, told);
        assertEquals(0, wheel.size());
        wheel.schedule(timers.getFirst(), START);
        assertEquals(4, told.size());
        assertEquals(0, wheel.advance(START + DAYS.toNanos(10)));
        assertEquals(List.of(), fired);
    }

    private void schedule(String name, long delayNanos) {
        wheel.schedule(START + delayNanos, () -> fired.add(name));
    }
}
