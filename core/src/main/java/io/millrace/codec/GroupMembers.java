package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Outbox;
import java.util.LinkedHashSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The members of a [Group] that are on one event loop and encode alike. Steps come from any thread; they happen
/// on the loop, in their order.
final class GroupMembers<M> {
    private final Group<M> group;
    private final EventLoop loop;
    private final Framing framing;
    private final Codec<M> codec;

    /// Counts what full members miss; null when they miss nothing.
    private final @Nullable LongAdder missed;

    /// The loop's. In the order of joining, so that a simulation repeats itself.
    private final LinkedHashSet<Messages<M>> peers = new LinkedHashSet<>();

    /// How many peers there are; written by the loop.
    private volatile int size;

    /// Steps that wait for the loop, added to by any thread.
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

    /// Whether nobody is here, nor about to come. Asked in this order: a step that is done has set the size.
    boolean isEmpty() {
        return !isBusy() && size == 0;
    }

    /// Whether something that was done before waits for the loop.
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
        size = peers.size();
        if (size == 0) group.left(this);
    }

    void remove(Messages<M> peer) {
        if (mayStepNow()) removeNow(peer);
        else step(() -> removeNow(peer));
    }

    /// On the loop.
    void removeNow(Messages<M> peer) {
        peers.remove(peer);
        peer.exit(this);
        size = peers.size();
        if (size == 0) group.left(this);
    }

    void send(Bytes frame, @Nullable Messages<M> except) {
        if (mayStepNow()) sendNow(frame, except);
        else step(() -> sendInTurn(frame, except));
    }

    /// The caller is ahead of nothing in the loop's queue, but may be ahead of what is on its way to one peer.
    private void sendNow(Bytes frame, @Nullable Messages<M> except) {
        for (var peer : peers) {
            if (gets(peer, except)) peer.sendFrame(frame);
        }
    }

    /// Every step before this one is done.
    private void sendInTurn(Bytes frame, @Nullable Messages<M> except) {
        for (var peer : peers) {
            if (gets(peer, except)) peer.outbox().appendInTurn(frame);
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
        return !isBusy() && loop.inLoop() && !Thread.currentThread().isVirtual();
    }

    private void step(Runnable work) {
        waitingSteps.incrementAndGet();
        try {
            loop.execute(() -> run(work));
        } catch (RejectedExecutionException e) {
            // The loop is closed, and so are its connections.
            waitingSteps.decrementAndGet();
        }
    }

    private void run(Runnable work) {
        try {
            work.run();
        } finally {
            // A step that was the last one, and left nobody behind, had itself still to come.
            if (waitingSteps.decrementAndGet() == 0 && size == 0) group.left(this);
        }
    }
}
