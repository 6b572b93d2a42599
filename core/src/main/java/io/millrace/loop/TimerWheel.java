package io.millrace.loop;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The timers of one event loop: a hierarchical timing wheel with ticks of one millisecond.
///
/// Confined to its loop's thread. It reads no clock: time is an argument, in nanoseconds on the scale of
/// `System.nanoTime()`, which may be negative and may wrap, or in the virtual time of a simulation.
///
/// **When.** Scheduling, moving and cancelling take constant time. A timer never fires early. A deadline that is
///   still ahead is rounded up to the next whole tick (counted from the moment given at construction), so timers
///   of one millisecond cost a loop one wake-up; a deadline that has passed is not rounded: it fires in the next
///   [#advance].
///
/// **In which order.** One [#advance] fires by tick, however many ticks it crosses, and within a tick in the
///   order of scheduling: equal deadlines keep that order, deadlines less than a tick apart may not fire in
///   theirs. Timers that had already passed when they were scheduled go before all others.
///
/// **How.** Level 0 has a slot for each of the next 64 ticks, a slot of level 1 spans 64 ticks, a slot of level 2
///   spans 64², and so on. A timer lives at the level of the highest base-64 digit in which its tick differs from
///   the current tick, in the slot that this digit names:
///
/// ```
///   current tick   1·64² + 3·64 +  7
///   tick           1·64² + 3·64 + 40    differs in digit 0: level 0, slot 40
///   tick           1·64² + 9·64 +  2    differs in digit 1: level 1, slot  9
/// ```
///
/// Time reaches slot 9 of level 1 at tick 1·64² + 9·64; the slot's timers are then placed again and land at level
/// 0 (they *cascade*). So the place of a timer follows from its tick and the current tick alone. That is why a
/// timer stores no place, why timers of one tick always share a list and keep their order, and why every timer of
/// a level comes before all timers of the levels above. One bit per slot finds the next occupied one: time jumps
/// there in one step, over any number of empty ticks.
final class TimerWheel {
    /// The resolution, and the most by which rounding delays a timer.
    static final long TICK_NANOS = 1_000_000;

    /// About 146 years: the furthest deadline, counted from now. Two moments compare by their difference, so there
    /// is no largest moment: for "never", add this to now.
    static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    /// What is beyond can only be a wrapped difference. Wider than [#FOREVER_NANOS] because the caller's clock is
    /// ahead of the last advance.
    private static final long RANGE_NANOS = FOREVER_NANOS / 2 * 3;

    private static final int DIGIT_BITS = 6;
    private static final int SLOTS_PER_LEVEL = 1 << DIGIT_BITS;

    /// 64⁸ ticks are 8 900 years: enough for 219 years ahead, from any moment this wheel lives to see.
    private static final int LEVELS = 8;

    private final BiConsumer<? super WheelTimer, ? super Throwable> onFailure;

    private final Slot[] slots = new Slot[LEVELS * SLOTS_PER_LEVEL];

    /// Per occupied slot a tick that no timer in it precedes. Exact until the earliest timer is cancelled or moved,
    /// which must not cost a search; the cascade corrects it.
    private final long[] earliestTicks = new long[slots.length];

    /// Per level, one bit per slot that holds a timer.
    private final long[] occupiedSlots = new long[LEVELS];

    /// One bit per level that holds a timer.
    private int occupiedLevels;

    /// Timers whose deadline had passed when they were scheduled; they wait for the next advance.
    private final Slot overdue = new Slot();

    /// The snapshot that an advance fires. A field, so that the rest is not lost when `onFailure` throws.
    private final Slot expired = new Slot();

    private long nowNanos;
    private long currentTick;
    private long currentTickNanos;
    private int size;
    private boolean isAdvancing;

    /// Nothing fires any more.
    private boolean hasEnded;

    /// `onFailure` gets the timer and what its [WheelTimer#fire] threw, during [#advance], which then goes on.
    TimerWheel(long nowNanos, BiConsumer<? super WheelTimer, ? super Throwable> onFailure) {
        this.nowNanos = nowNanos;
        this.currentTickNanos = nowNanos;
        this.onFailure = onFailure;
        Arrays.setAll(slots, _ -> new Slot());
    }

    /// Schedules a task that runs once. For repeated scheduling extend [WheelTimer], which costs no allocation.
    WheelTimer schedule(long deadlineNanos, Runnable task) {
        var timer = new TaskTimer(task);
        schedule(timer, deadlineNanos);
        return timer;
    }

    /// Schedules `timer`, or moves it if it is scheduled: also from within its own [WheelTimer#fire].
    ///
    /// @throws IllegalArgumentException if the deadline is over [#FOREVER_NANOS] away; the timer stays as it is
    void schedule(WheelTimer timer, long deadlineNanos) {
        long aheadNanos = deadlineNanos - currentTickNanos;
        if (aheadNanos > RANGE_NANOS || aheadNanos < -RANGE_NANOS) {
            throw new IllegalArgumentException("deadline " + deadlineNanos + " is more than 146 years away from now, "
                    + nowNanos + ": a deadline is now plus a timeout, and \"never\" is now plus FOREVER_NANOS");
        }
        if (timer.wheel != null && timer.wheel != this) {
            throw new IllegalStateException(timer + " is scheduled on another loop: cancel it there");
        }
        timer.cancel();
        if (hasEnded) {
            timer.ended();
            return;
        }
        timer.wheel = this;
        size++;
        if (deadlineNanos - nowNanos <= 0) {
            timer.tick = currentTick;
            overdue.append(timer);
            return;
        }
        timer.tick = currentTick + (aheadNanos - 1) / TICK_NANOS + 1;
        place(timer);
    }

    /// Fires every timer whose tick has come and returns how many fired. A `nowNanos` before an earlier one counts
    /// as the earlier one.
    ///
    /// It fires a snapshot: what is scheduled meanwhile waits for the next advance, even if it is due, so a timer
    /// that re-arms itself with no delay cannot hold up the loop. What is cancelled or moved meanwhile does not
    /// fire.
    int advance(long nowNanos) {
        if (isAdvancing) throw new IllegalStateException("advance was called by a timer");
        isAdvancing = true;
        try {
            overdue.moveAllTo(expired);
            collectUntil(nowNanos);
            return fireExpired();
        } finally {
            isAdvancing = false;
        }
    }

    /// Fires nothing from now on: what is scheduled, or comes later, hears of it instead.
    void end() {
        hasEnded = true;
        overdue.moveAllTo(expired);
        for (var slot : slots) slot.moveAllTo(expired);
        Arrays.fill(occupiedSlots, 0);
        occupiedLevels = 0;
        for (WheelTimer timer = expired.poll(); timer != null; timer = expired.poll()) {
            timer.wheel = null;
            size--;
            try {
                timer.ended();
            } catch (Throwable failure) {
                onFailure.accept(timer, failure);
            }
        }
    }

    /// A moment, in constant time, before which [#advance] has nothing to fire; in the past if it has something
    /// now.
    ///
    /// It is the tick of the earliest timer, or earlier if a timer that was cancelled or moved had been the
    /// earliest of its slot. Waking for such a timer sorts its slot into finer ones, so this happens at most once
    /// per slot and not per tick. With no timer at all it is [#FOREVER_NANOS] after the last advance: callers need
    /// no special case.
    long nextDeadlineNanos() {
        if (!overdue.isEmpty() || !expired.isEmpty()) {
            return nowNanos;
        }
        if (occupiedLevels == 0) {
            return nowNanos + FOREVER_NANOS;
        }
        return currentTickNanos + (earliestTicks[firstOccupied()] - currentTick) * TICK_NANOS;
    }

    /// How many timers are scheduled.
    int size() {
        return size;
    }

    private void collectUntil(long nowNanos) {
        if (nowNanos - this.nowNanos <= 0) {
            return;
        }
        this.nowNanos = nowNanos;
        long ticks = (nowNanos - currentTickNanos) / TICK_NANOS;
        if (ticks <= 0) {
            return;
        }
        long target = currentTick + ticks;
        while (occupiedLevels != 0) {
            int slot = firstOccupied();
            long start = startTick(slot);
            if (start > target) {
                break;
            }
            currentTick = start;
            collect(slot);
        }
        currentTick = target;
        currentTickNanos += ticks * TICK_NANOS;
    }

    private void collect(int slot) {
        markEmpty(slot);
        if (slot < SLOTS_PER_LEVEL) {
            slots[slot].moveAllTo(expired);
            return;
        }
        for (WheelTimer timer = slots[slot].poll(); timer != null; timer = slots[slot].poll()) {
            place(timer);
        }
    }

    private int fireExpired() {
        int fired = 0;
        for (WheelTimer timer = expired.poll(); timer != null; timer = expired.poll()) {
            timer.wheel = null;
            size--;
            fired++;
            try {
                timer.fire();
            } catch (Throwable failure) {
                onFailure.accept(timer, failure);
            }
        }
        return fired;
    }

    private void place(WheelTimer timer) {
        int slot = slotOf(timer.tick);
        if (slots[slot].isEmpty()) {
            markOccupied(slot);
            earliestTicks[slot] = timer.tick;
        } else if (timer.tick < earliestTicks[slot]) {
            earliestTicks[slot] = timer.tick;
        }
        slots[slot].append(timer);
    }

    private void remove(WheelTimer timer) {
        boolean isSlotEmpty = timer.unlink();
        timer.wheel = null;
        size--;
        if (isSlotEmpty && timer.tick > currentTick) {
            markEmpty(slotOf(timer.tick));
        }
    }

    private int slotOf(long tick) {
        // The current tick itself, to which a cascade can lead, differs nowhere and belongs to level 0.
        long difference = (tick ^ currentTick) | 1;
        int highestBit = Long.SIZE - 1 - Long.numberOfLeadingZeros(difference);
        int level = highestBit / DIGIT_BITS;
        int digit = (int) (tick >>> (level * DIGIT_BITS)) & (SLOTS_PER_LEVEL - 1);
        return level << DIGIT_BITS | digit;
    }

    private int firstOccupied() {
        int level = Integer.numberOfTrailingZeros(occupiedLevels);
        return level << DIGIT_BITS | Long.numberOfTrailingZeros(occupiedSlots[level]);
    }

    private long startTick(int slot) {
        int level = slot >>> DIGIT_BITS;
        long digit = slot & (SLOTS_PER_LEVEL - 1);
        long digitsAbove = currentTick >>> ((level + 1) * DIGIT_BITS);
        return (digitsAbove << DIGIT_BITS | digit) << (level * DIGIT_BITS);
    }

    private void markOccupied(int slot) {
        int level = slot >>> DIGIT_BITS;
        occupiedSlots[level] |= bit(slot);
        occupiedLevels |= 1 << level;
    }

    private void markEmpty(int slot) {
        int level = slot >>> DIGIT_BITS;
        occupiedSlots[level] &= ~bit(slot);
        if (occupiedSlots[level] == 0) {
            occupiedLevels &= ~(1 << level);
        }
    }

    /// The shift count is taken modulo 64: only the digit matters.
    private static long bit(int slot) {
        return 1L << slot;
    }

    /// Something that happens at a deadline. Its owner extends it, keeps it and schedules it as often as it
    /// likes: it is its own node in the wheel's lists. 32 bytes before the fields of a subclass, 40 with one or
    /// two references.
    ///
    /// Moving it touches its neighbours in two lists, which are not in the cache when there are many. An owner
    /// whose deadline only ever moves away, such as an idle timeout, may note the new deadline and schedule anew
    /// when it fires.
    ///
    /// ```
    ///        ┌───────────────────── cancel ─────────────────────┐
    ///        ▼                                                  │
    ///      IDLE ──schedule──► SCHEDULED ──its tick comes──► EXPIRED (in the snapshot of an advance)
    ///       ▲ ▲                 │   ▲                         │ │
    ///       │ └──── cancel ─────┘   └──────── schedule ───────┘ │
    ///       └───────────── the advance, which then calls fire() ┘
    /// ```
    ///
    /// Used on the thread of the loop on whose wheel it is scheduled.
    abstract static class WheelTimer {
        WheelTimer next = this;
        WheelTimer previous = this;

        /// Where it is scheduled, null while it is idle.
        private @Nullable TimerWheel wheel;

        private long tick;

        /// Called once per scheduling, when the timer is idle again: it may schedule itself anew.
        protected abstract void fire();

        /// Called in place of [#fire] when the wheel has ended before.
        protected void ended() {}

        /// Does nothing to an idle timer.
        final void cancel() {
            if (wheel != null) {
                wheel.remove(this);
            }
        }

        final boolean isScheduled() {
            return wheel != null;
        }

        /// Leaves its list; true if that is empty now.
        final boolean unlink() {
            previous.next = next;
            next.previous = previous;
            boolean isListEmpty = next instanceof Slot head && head.isEmpty();
            next = this;
            previous = this;
            return isListEmpty;
        }
    }

    private static final class TaskTimer extends WheelTimer {
        private final Runnable task;

        TaskTimer(Runnable task) {
            this.task = task;
        }

        @Override
        protected void fire() {
            task.run();
        }

        @Override
        public String toString() {
            return task.toString();
        }
    }

    /// The head of a circular list of timers, itself a link of it: a timer leaves without knowing which list it
    /// is in.
    private static final class Slot extends WheelTimer {
        boolean isEmpty() {
            return next == this;
        }

        void append(WheelTimer timer) {
            timer.previous = previous;
            timer.next = this;
            previous.next = timer;
            previous = timer;
        }

        @Nullable
        WheelTimer poll() {
            if (isEmpty()) {
                return null;
            }
            WheelTimer first = next;
            first.unlink();
            return first;
        }

        void moveAllTo(Slot other) {
            if (isEmpty()) {
                return;
            }
            other.previous.next = next;
            next.previous = other.previous;
            other.previous = previous;
            previous.next = other;
            next = this;
            previous = this;
        }

        @Override
        protected void fire() {
            throw new AssertionError("the head of a list was fired");
        }
    }
}
