package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Backlog;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Memberships;
import io.millrace.loop.Recipient;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The members of a [Group] on one event loop. Any thread adds steps: joins, leaves, and broadcasts ([Delivery]).
/// The loop runs them in order.
final class GroupLoop<M> implements Memberships.Part {
    private static final System.Logger LOG = LoopLog.of("io.millrace.group");

    private final Group<M> group;
    private final EventLoop loop;

    /// Counts what full members miss; null when they miss nothing.
    private final @Nullable LongAdder missed;

    /// The loop's.
    private final ArrayList<SeatRow<M>> sections = new ArrayList<>(2);

    /// How many members there are; written by the loop.
    private volatile int size;

    /// The loop's.
    private boolean isSending;

    /// How many steps wait for the loop; changed by any thread.
    private final AtomicInteger waitingSteps = new AtomicInteger();

    /// How many members the loop itself is adding; changed by the loop.
    private final AtomicInteger joins = new AtomicInteger();

    GroupLoop(Group<M> group, EventLoop loop, @Nullable LongAdder missed) {
        this.group = group;
        this.loop = loop;
        this.missed = missed;
    }

    EventLoop loop() {
        return loop;
    }

    Backlog backlog() {
        return loop.backlog();
    }

    int size() {
        return size;
    }

    /// Whether there is no member, and none about to join. Read in this order: a finished step has set the size.
    boolean isEmpty() {
        return !isBusy() && joins.get() == 0 && size == 0;
    }

    @Override
    public boolean isBusy() {
        return waitingSteps.get() > 0;
    }

    /// Whether the caller may do the next step at once: it is the loop, nothing is on its way, and it is not in
    /// the middle of another one.
    boolean takesNow() {
        return !isBusy()
                && !isSending
                && joins.get() == 0
                && loop.inLoop()
                && !Thread.currentThread().isVirtual();
    }

    // Members.

    /// The loop adds one at once, outside the group's lock: meanwhile the place is not empty.
    void joinBegins() {
        joins.incrementAndGet();
    }

    void joinEnds() {
        joins.decrementAndGet();
        if (size == 0) group.left(this);
    }

    /// Adds a member, if it is still open.
    ///
    /// @param past what the member gets first
    /// @param isAhead whether the caller does not come from the loop's queue
    void add(Seat<M> seat, List<Letter<M>> past, boolean isAhead) {
        if (!seat.recipient.isOpen()) {
            group.closed(seat.recipient.memberships());
        } else {
            seat.recipient.memberships().enter(this);
            for (var letter : past) deliver(letter, seat, isAhead);
            if (!past.isEmpty()) group.hasEncoded();
            // What it got may have been its end.
            if (!seat.hasLeft) section(seat.encoding).add(seat);
        }
        changed();
    }

    /// It has left.
    void remove(Seat<M> seat) {
        group.hasLeft(seat);
        removeNow(seat);
    }

    @Override
    public void closed(Memberships member) {
        var seat = group.closed(member);
        if (loop.isClosed()) loopIsGone();
        else if (seat != null) removeNow(seat);
    }

    /// And its connections with it; any thread.
    private void loopIsGone() {
        size = 0;
        group.left(this);
    }

    /// Possibly in the middle of a broadcast.
    private void removeNow(Seat<M> seat) {
        seat.hasLeft = true;
        if (seat.index >= 0) section(seat.encoding).remove(seat);
        changed();
    }

    private SeatRow<M> section(Encoding<M> encoding) {
        for (var section : sections) {
            if (section.encoding.equals(encoding)) return section;
        }
        var made = new SeatRow<>(encoding);
        sections.add(made);
        return made;
    }

    private void changed() {
        if (!isSending) tidy();
        int count = 0;
        for (var section : sections) count += section.size();
        size = count;
        if (count == 0) group.left(this);
    }

    private void tidy() {
        sections.removeIf(section -> section.size() == 0);
        for (var section : sections) section.compact();
    }

    // Messages; the loop's.

    List<SeatRow<M>> sections() {
        return sections;
    }

    void sendingBegins() {
        isSending = true;
    }

    void sendingEnds() {
        isSending = false;
        changed();
    }

    /// The frame of a letter; null if it cannot be sent to members with this encoding, which joined meanwhile.
    @Nullable
    Bytes frame(Letter<M> letter, Encoding<M> encoding) {
        try {
            return letter.frame(encoding, loop);
        } catch (RuntimeException e) {
            loop.errors().log(LOG, Level.WARNING, "group", () -> "a member of a group misses a message", e);
            return null;
        }
    }

    void deliver(Letter<M> letter, Seat<M> to, boolean isAhead) {
        var frame = frame(letter, to.encoding);
        if (frame != null) deliver(frame, to.recipient, isAhead);
    }

    void deliver(Bytes frame, Recipient to, boolean isAhead) {
        if (missed != null && to.isFull()) {
            missed.increment();
            return;
        }
        try {
            to.deliver(frame, isAhead);
        } catch (RuntimeException e) {
            loop.errors().log(LOG, Level.WARNING, "group", () -> "a message to a member of a group threw", e);
        }
    }

    // Steps.

    /// Before a join or a leave, and before any lock: a loop may need the lock to make room.
    static void awaitRoom(EventLoop loop) {
        if (!EventLoop.isCallerALoop()) loop.backlog().awaitRoom();
    }

    /// Joining and leaving never throw for lack of room; a caller that may wait has waited for it.
    ///
    /// @return false when the loop is gone
    boolean step(Runnable work) {
        return step(() -> run(work), 0);
    }

    /// The task says when it is done ([#stepIsDone]).
    boolean step(Runnable task, long bytes) {
        waitingSteps.incrementAndGet();
        loop.backlog().add(bytes + Backlog.STEP_BYTES);
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            // The loop is closed, and so are its connections.
            waitingSteps.decrementAndGet();
            loop.backlog().done(bytes + Backlog.STEP_BYTES);
            return false;
        }
    }

    private void run(Runnable work) {
        try {
            work.run();
        } finally {
            stepIsDone(0);
        }
    }

    void stepIsDone(long bytes) {
        loop.backlog().done(bytes + Backlog.STEP_BYTES);
        // The last step, which left no members, was still counted as waiting.
        if (waitingSteps.decrementAndGet() == 0 && size == 0) group.left(this);
    }
}
