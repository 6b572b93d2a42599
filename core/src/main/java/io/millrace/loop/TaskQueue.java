package io.millrace.loop;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The tasks that other threads (and the loop itself) hand to one event loop: any thread adds, the loop's thread
/// runs.
///
/// It has no bound and rejects nothing before the loop has closed it: the continuations of virtual threads go
/// through it, and for them a rejection would surface as an exception in whoever unparks the thread. The order of
/// one producer is kept.
///
/// **States**, all in the one word `newest`:
///
/// ```
///    EMPTY (null) ────── prepareToWait ─────► ASLEEP
///      │  │   ▲   ◄────── awake, drain ─────    │
///     add │ drain                              add, whose caller wakes the loop
///      ▼  │   │                                 │
///    TASKS│(newest on top) ◄────────────────────┘
///         └─ close ─► CLOSED
/// ```
///
/// **No wake-up is lost**, because falling asleep and adding are atomic steps on the same word, so one of them
///   comes first. If it is the task, [#prepareToWait] finds it and the loop does not wait. If it is sleep, [#add]
///   finds `ASLEEP`, replaces it and tells its caller to wake the loop. (With a queue and a flag beside it, each
///   side would write one of them and read the other, which is right only with a full fence in between, on both
///   sides.)
///
/// **One wake-up per batch**: only the task that replaces `ASLEEP` answers true. A wake-up that arrives when the
///   loop has already woken up for another reason costs a turn without work.
///
/// **Why a stack**: one exchange takes the whole batch, which is the snapshot that [#drain] promises, and the
///   loop turns it around without anybody waiting. The nodes of a batch become garbage together; in a linked
///   queue, a node that has grown old keeps its successors alive until the old generation is collected.
final class TaskQueue {
    private static final Node ASLEEP = new Node(() -> {});
    private static final Node CLOSED = new Node(() -> {});

    private final BiConsumer<? super Runnable, ? super Throwable> onFailure;

    /// Shared by all threads: null, `ASLEEP`, or the task added last. All access is volatile: whoever puts a node
    /// here publishes it and what its task refers to, whoever finds it here sees them. That goes for the nodes
    /// further down, too, because each producer has found the node below here before it put its own on top.
    private final AtomicReference<@Nullable Node> newest = new AtomicReference<>();

    /// The loop's thread only: what is left of a batch when its time was over, or `onFailure` threw.
    private @Nullable Node rest;

    /// How many they are; written by the loop.
    private volatile int restSize;

    /// The loop's thread only: how many tasks the batch had.
    private int batchSize;

    /// The loop's thread only.
    private boolean isDraining;

    /// `onFailure` gets the task and what it threw, during [#drain], which then goes on.
    TaskQueue(BiConsumer<? super Runnable, ? super Throwable> onFailure) {
        this.onFailure = onFailure;
    }

    /// Adds a task, from any thread. True if the loop sleeps or is about to: then the caller must wake it up.
    ///
    /// @throws RejectedExecutionException after [#close]: the task will not run
    boolean add(Runnable task) {
        var node = new Node(task);
        Node below;
        do {
            below = newest.get();
            if (below == CLOSED) throw new RejectedExecutionException("the event loop is closed");
            node.putOn(below);
        } while (!newest.compareAndSet(below, node));
        return below == ASLEEP;
    }

    /// The loop's last step before it waits. False if there are tasks: then it must not wait. After true, a
    /// producer wakes it up, and it calls [#awake] as soon as it runs again for whatever reason.
    boolean prepareToWait() {
        return rest == null && newest.compareAndSet(null, ASLEEP);
    }

    /// The loop runs: from here on, producers need not wake it up. Without effect if a producer has woken it.
    void awake() {
        if (newest.get() == ASLEEP) {
            newest.compareAndSet(ASLEEP, null);
        }
    }

    /// Takes no task any more, unless there are some: then the loop runs them first. So each task either runs, or
    /// its producer hears that it will not.
    ///
    /// @return whether it is closed
    boolean close() {
        awake();
        return rest == null && (newest.get() == CLOSED || newest.compareAndSet(null, CLOSED));
    }

    /// Runs, on the loop's thread, the tasks that are there now, oldest first, and returns how many ran.
    ///
    /// What tasks add waits for the next drain, so a task that adds itself again (a virtual thread that yields)
    /// cannot keep the loop from its connections. Nor can many tasks, or a long one ([SlicedTask]): when the time
    /// is over, the rest waits for the next drain, in front of what was added since.
    ///
    /// @param clock      what tells the time
    /// @param sliceNanos how long it may take, but for one task
    int drain(LongSupplier clock, long sliceNanos) {
        if (isDraining) throw new IllegalStateException("drain was called by a task");
        if (rest == null && newest.get() == null) return 0;
        // First: a clock that throws must not lose what was taken.
        long endNanos = clock.getAsLong() + sliceNanos;
        Node oldest = rest == null ? takeAll() : rest;
        if (oldest == null) return 0;
        isDraining = true;
        try {
            return run(oldest, clock, endNanos);
        } finally {
            isDraining = false;
        }
    }

    /// How many tasks wait for the next drain, for metrics, from any thread. A number that was true a moment ago.
    int size() {
        Node top = newest.get();
        return restSize + (top == null ? 0 : top.height);
    }

    private @Nullable Node takeAll() {
        // Most turns find nothing, and a read leaves the cache line with the producers where an exchange would
        // not.
        Node top = newest.get();
        if (top == null || top == CLOSED) {
            return null;
        }
        Node taken = newest.getAndSet(null);
        batchSize = taken == null ? 0 : taken.height;
        return oldestFirst(taken);
    }

    private static @Nullable Node oldestFirst(@Nullable Node top) {
        Node oldest = null;
        for (Node node = top == ASLEEP ? null : top; node != null; ) {
            Node below = node.next;
            node.next = oldest;
            oldest = node;
            node = below;
        }
        return oldest;
    }

    private int run(Node oldest, LongSupplier clock, long endNanos) {
        int ran = 0;
        Node node = oldest;
        try {
            do {
                var current = node;
                node = current.next;
                ran++;
                if (runOne(current.task)) continue;
                node = current;
                break;
            } while (node != null && clock.getAsLong() - endNanos < 0);
            return ran;
        } finally {
            rest = node;
            if (node != null || restSize != 0) restSize = node == null ? 0 : batchSize - node.height + 1;
        }
    }

    /// Whether it is done.
    private boolean runOne(Runnable task) {
        try {
            if (task instanceof SlicedTask sliced) return sliced.runSlice();
            task.run();
        } catch (Throwable failure) {
            onFailure.accept(task, failure);
        }
        return true;
    }

    /// 24 bytes. Written by its producer until it is published, then by the loop's thread.
    private static final class Node {
        private final Runnable task;

        /// The node below; once the batch is turned around, the one to run next.
        private @Nullable Node next;

        /// How many tasks are in the stack up to this one: the size, without a counter that producers would
        /// fight for.
        private int height;

        Node(Runnable task) {
            this.task = task;
        }

        void putOn(@Nullable Node below) {
            next = below == ASLEEP ? null : below;
            height = below == null ? 1 : below.height + 1;
        }
    }
}
