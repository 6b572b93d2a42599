package io.millrace.codec;

import static java.util.Objects.requireNonNull;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Backlog;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Outbox;
import io.millrace.loop.SlicedTask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The members of a [Group] on one event loop with the same encoding. Any thread adds steps; the loop runs them in
/// order.
final class GroupMembers<M> {
    private static final long SLICE_NANOS = 1_000_000;

    /// The clock is read after every so many members.
    private static final int LOOK_EVERY = 64;

    private final Group<M> group;
    private final EventLoop loop;
    private final Framing framing;
    private final Codec<M> codec;

    /// Counts what full members miss; null when they miss nothing.
    private final @Nullable LongAdder missed;

    /// The loop's. In the order of joining, so that simulations are reproducible.
    private final LinkedHashSet<Messages<M>> peers = new LinkedHashSet<>();

    /// How many peers there are; written by the loop.
    private volatile int size;

    /// The loop's: the current broadcast, and the members that have left during it.
    private @Nullable Broadcast sending;

    private final HashSet<Messages<M>> gone = new HashSet<>();

    /// How many steps wait for the loop; changed by any thread.
    private final AtomicInteger waitingSteps = new AtomicInteger();

    GroupMembers(Group<M> group, Messages<M> first, @Nullable LongAdder missed) {
        this.group = group;
        this.loop = first.eventLoop();
        this.framing = first.framing();
        this.codec = first.codec();
        this.missed = missed;
    }

    boolean isOf(Messages<M> peer) {
        return loop.equals(peer.eventLoop()) && encodesLike(peer);
    }

    boolean encodesLike(Messages<M> peer) {
        return framing.equals(peer.framing()) && codec.equals(peer.codec());
    }

    boolean encodesLike(GroupMembers<M> other) {
        return framing.equals(other.framing) && codec.equals(other.codec);
    }

    int size() {
        return size;
    }

    /// Whether there is no member, and none about to join. Read in this order: a finished step has set the size.
    boolean isEmpty() {
        return !isBusy() && size == 0;
    }

    /// Whether earlier steps wait for the loop.
    boolean isBusy() {
        return waitingSteps.get() > 0;
    }

    Bytes encode(M message) {
        return Outbox.valueOf(loop, out -> framing.write(message, codec, out));
    }

    void add(Messages<M> peer) {
        if (mayStepNow()) addNow(peer);
        else step(() -> addNow(peer));
    }

    private void addNow(Messages<M> peer) {
        if (peer.outbox().isOpen()) {
            peers.add(peer);
            peer.enter(this);
        }
        changed();
    }

    void remove(Messages<M> peer) {
        if (mayStepNow()) removeNow(peer);
        else step(() -> removeNow(peer));
    }

    /// On the loop; also when a connection closes, possibly in the middle of a broadcast.
    void removeNow(Messages<M> peer) {
        peer.exit(this);
        if (sending == null) peers.remove(peer);
        else if (peers.contains(peer)) gone.add(peer);
        changed();
    }

    private void changed() {
        size = peers.size() - gone.size();
        if (size == 0) group.left(this);
    }

    // Broadcasts.

    /// Whether the caller may send to these members at once.
    boolean takesNow() {
        return mayStepNow();
    }

    Backlog backlog() {
        return loop.backlog();
    }

    void send(Bytes frame, @Nullable Messages<M> except) {
        var broadcast = new Broadcast(frame, except);
        if (!mayStepNow() || !broadcast.begin()) step(broadcast, frame.length());
    }

    /// Sends one message to some members at a time, so that the loop has time for its connections, too.
    private final class Broadcast extends SlicedTask {
        private final Bytes frame;
        private final @Nullable Messages<M> except;

        /// The loop's, from the first member to the last.
        private @Nullable Iterator<Messages<M>> next;

        Broadcast(Bytes frame, @Nullable Messages<M> except) {
            this.frame = frame;
            this.except = except;
        }

        /// The caller overtakes nothing in the loop's queue, but might overtake what is on its way to one peer.
        ///
        /// @return false when the rest has to go through the queue
        boolean begin() {
            if (go(true)) return true;
            // Steps that wait already run first, and change the members.
            var rest = new ArrayList<Messages<M>>();
            requireNonNull(next).forEachRemaining(rest::add);
            next = rest.iterator();
            end();
            return false;
        }

        /// Runs after every earlier step.
        @Override
        protected boolean runSlice() {
            boolean isDone = true;
            try {
                isDone = go(false);
            } finally {
                // A slice that throws is its last one.
                if (isDone) stepIsDone(frame.length());
            }
            return isDone;
        }

        private boolean go(boolean isAhead) {
            var members = next;
            if (members == null) next = members = peers.iterator();
            sending = this;
            long endNanos = loop.clock().getAsLong() + SLICE_NANOS;
            boolean goesOn = false;
            try {
                for (int count = 1; members.hasNext(); count++) {
                    send(members.next(), isAhead);
                    if (count % LOOK_EVERY != 0 || loop.clock().getAsLong() - endNanos < 0) continue;
                    goesOn = members.hasNext();
                    return !goesOn;
                }
                return true;
            } finally {
                if (!goesOn) end();
            }
        }

        private void send(Messages<M> peer, boolean isAhead) {
            if (!peers.contains(peer) || !gets(peer, except)) return;
            if (isAhead) peer.sendFrame(frame);
            else peer.outbox().appendInTurn(frame);
        }

        private void end() {
            sending = null;
            if (gone.isEmpty()) return;
            gone.forEach(peers::remove);
            gone.clear();
            changed();
        }
    }

    @SuppressWarnings("ReferenceEquality") // the peer itself
    private boolean gets(Messages<M> peer, @Nullable Messages<M> except) {
        if (peer == except) return false;
        if (missed == null || !peer.isFull()) return true;
        missed.increment();
        return false;
    }

    private boolean mayStepNow() {
        return !isBusy()
                && sending == null
                && loop.inLoop()
                && !Thread.currentThread().isVirtual();
    }

    /// Joining and leaving never throw for lack of room; a caller that may wait has waited for it.
    private void step(Runnable work) {
        step(() -> run(work), 0);
    }

    /// Before a join or a leave, and before any lock: a loop may need the lock to make room.
    static void awaitRoom(EventLoop loop) {
        if (!EventLoop.isCallerALoop()) loop.backlog().awaitRoom();
    }

    private void step(Runnable task, long bytes) {
        waitingSteps.incrementAndGet();
        loop.backlog().add(bytes + Backlog.STEP_BYTES);
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop is closed, and so are its connections.
            waitingSteps.decrementAndGet();
            loop.backlog().done(bytes + Backlog.STEP_BYTES);
        }
    }

    private void run(Runnable work) {
        try {
            work.run();
        } finally {
            stepIsDone(0);
        }
    }

    private void stepIsDone(long bytes) {
        loop.backlog().done(bytes + Backlog.STEP_BYTES);
        // The last step, which left no members, was still counted as waiting.
        if (waitingSteps.decrementAndGet() == 0 && size == 0) group.left(this);
    }
}
