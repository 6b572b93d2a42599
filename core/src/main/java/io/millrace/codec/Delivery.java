package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Recipient;
import io.millrace.loop.SlicedTask;
import io.millrace.memory.SharedChain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Sends a letter to the members on one loop, to some at a time, so that the loop has time for its connections,
/// too.
///
/// Broadcasts that follow each other in the loop's queue are one delivery: each member gets them in one write.
final class Delivery<M> extends SlicedTask {
    private static final long SLICE_NANOS = 1_000_000;

    /// The clock is read after every so many members.
    private static final int LOOK_EVERY = 64;

    /// To so many members, frames are sent at once rather than at the end of the turn.
    private static final int MANY = 64;

    private static final int MOST_LETTERS = 64;
    private static final long MOST_BYTES = 64 << 10;

    private final GroupLoop<M> place;
    private final Letter<M> letter;
    private final @Nullable Recipient except;
    private final long bytes;

    /// Instead of all members.
    private @Nullable List<Seat<M>> targets;

    /// This and those behind it, if there are some.
    private @Nullable ArrayList<Delivery<M>> all;

    private long allBytes;

    // Where it goes on.

    private int section;
    private int index;

    /// For the section: of each letter, or null if it cannot be sent to these members; and all of them together.
    private @Nullable Bytes[] frames = {};

    private @Nullable SharedChain shared;
    private boolean hasBegun;

    /// To all members.
    ///
    /// @param except who does not get it
    /// @param bytes of the frame, which count while it waits
    Delivery(GroupLoop<M> place, Letter<M> letter, @Nullable Recipient except, long bytes) {
        this.place = place;
        this.letter = letter;
        this.except = except;
        this.bytes = bytes;
        this.allBytes = bytes;
    }

    /// To these members only.
    Delivery<M> to(List<Seat<M>> members) {
        targets = members;
        return this;
    }

    void enqueue() {
        var _ = place.step(this, bytes);
    }

    /// On the loop, ahead of its queue: what takes longer goes through the queue.
    void begin() {
        boolean isDone = true;
        place.sendingBegins();
        try {
            isDone = goOn(true);
            // Steps that wait already run first, and change the members.
            if (!isDone && targets == null) targets = rest();
        } finally {
            place.sendingEnds();
        }
        if (!isDone) enqueue();
    }

    private List<Seat<M>> rest() {
        var rest = new ArrayList<Seat<M>>();
        var sections = place.sections();
        for (; section < sections.size(); section++, index = 0) {
            var members = sections.get(section);
            for (int i = index; i < members.end(); i++) {
                var seat = members.seat(i);
                if (seat != null) rest.add(seat);
            }
        }
        index = 0;
        return rest;
    }

    /// Runs after every earlier step.
    @Override
    protected boolean runSlice() {
        boolean isDone = true;
        hasBegun = true;
        place.sendingBegins();
        try {
            isDone = goOn(false);
        } finally {
            // A slice that throws is its last one. Until then it has an index.
            if (isDone) isDone();
        }
        return isDone;
    }

    private void isDone() {
        place.sendingEnds();
        if (all == null) place.stepIsDone(bytes);
        else for (var each : all) place.stepIsDone(each.bytes);
    }

    @Override
    protected boolean takesAlong(Runnable next) {
        if (hasBegun || targets != null || !(next instanceof Delivery<?> other)) return false;
        if (!other.place.equals(place) || other.targets != null) return false;
        if (allBytes + other.bytes > MOST_BYTES) return false;
        if (all == null) all = new ArrayList<>(List.of(this));
        if (all.size() == MOST_LETTERS) return false;
        allBytes += other.bytes;
        @SuppressWarnings("unchecked") // of the same place
        var same = (Delivery<M>) other;
        return all.add(same);
    }

    // On the loop.

    private boolean goOn(boolean isAhead) {
        var members = targets;
        return members == null ? toAll(isAhead) : toTargets(members, isAhead);
    }

    private boolean toTargets(List<Seat<M>> members, boolean isAhead) {
        long endNanos = endNanos();
        while (index < members.size()) {
            var seat = members.get(index++);
            if (seat.index >= 0 && isFor(seat.recipient)) place.deliver(letter, seat, isAhead);
            if (index % LOOK_EVERY == 0 && isOver(endNanos)) break;
        }
        return index == members.size();
    }

    private boolean toAll(boolean isAhead) {
        long endNanos = endNanos();
        var sections = place.sections();
        for (; section < sections.size(); section++, index = 0) {
            var members = sections.get(section);
            if (index == 0) prepare(members, isAhead);
            for (int count = 1; index < members.end(); count++) {
                var recipient = members.recipient(index++);
                if (recipient != null && !leavesAtOnce(recipient)) deliver(recipient, isAhead);
                if (count % LOOK_EVERY == 0 && isOver(endNanos)) return false;
            }
        }
        return true;
    }

    private long endNanos() {
        return place.loop().clock().getAsLong() + SLICE_NANOS;
    }

    private boolean isOver(long endNanos) {
        return place.loop().clock().getAsLong() - endNanos >= 0;
    }

    private void prepare(SeatRow<M> members, boolean isAhead) {
        frames = new Bytes[all == null ? 1 : all.size()];
        for (int i = 0; i < frames.length; i++) frames[i] = place.frame(delivery(i).letter, members.encoding);
        shared = isAhead || members.size() < MANY ? null : shared(frames);
    }

    private Delivery<M> delivery(int i) {
        return all == null ? this : all.get(i);
    }

    /// All frames as one value; null if there is none, or no memory for it.
    private static @Nullable SharedChain shared(@Nullable Bytes[] frames) {
        var some = Stream.of(frames).filter(Objects::nonNull).toList();
        var all = some.size() == 1
                ? some.getFirst()
                : Bytes.copyOf(some.stream().map(Bytes::segment).toArray(MemorySegment[]::new));
        return all.length() == 0 ? null : SharedChain.of(all);
    }

    private boolean leavesAtOnce(Recipient to) {
        return shared != null && isAllFor(to) && to.sendAtOnce(shared);
    }

    private boolean isAllFor(Recipient to) {
        if (all == null) return isFor(to);
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isFor(to)) return false;
        }
        return true;
    }

    private void deliver(Recipient to, boolean isAhead) {
        for (int i = 0; i < frames.length; i++) {
            var frame = frames[i];
            if (frame != null && delivery(i).isFor(to)) place.deliver(frame, to, isAhead);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the recipient itself
    private boolean isFor(Recipient to) {
        return to != except;
    }
}
