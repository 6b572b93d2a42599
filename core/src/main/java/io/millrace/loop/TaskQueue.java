package io.millrace.loop;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The tasks that other threads (and the loop itself) give to one event loop: any thread adds, the loop's thread
/// runs them.
///
/// It has no bound and rejects nothing before the loop has closed it: the continuations of virtual threads go
/// through it, and rejecting one would throw in the thread that unparks. Each producer's order is kept.
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
///   finds `ASLEEP`, replaces it and tells its caller to wake the loop. (With a queue and a separate flag, each
///   side would write one and read the other, which needs a full fence in between, on both sides.)
///
/// **One wake-up per batch**: only the task that replaces `ASLEEP` answers true. A wake-up that arrives when the
///   loop has already woken up for another reason costs a turn without work.
///
/// **Why a stack**: one exchange takes the whole batch, which is the snapshot that [#drain] promises, and the loop
///   reverses it without making any thread wait. The nodes of a batch become garbage together; in a linked queue, a
///   node that was promoted to the old generation keeps its successors alive until that is collected.
final class TaskQueue {
    private static final Node ASLEEP = new Node(() -> {});
    private static final Node CLOSED = new Node(() -> {});

    private final BiConsumer<? super Runnable, ? super Throwable> onFailure;

    /// Shared by all threads: null, `ASLEEP`, or the task added last. All access is volatile: putting a node here
    /// publishes it and what its task refers to, and a thread that reads it here sees them. The same holds for the
    /// nodes below, because each producer has read the node below from here before it put its own on top.
    private final AtomicReference<@Nullable Node> newest = new AtomicReference<>();

    /// The loop's thread only: the rest of a batch whose time ran out, or for which `onFailure` threw.
    private @Nullable Node rest;

    /// How many tasks are in the rest; written by the loop.
    private volatile int restSize;

    /// The loop's thread only: how many tasks the batch had.
    private int batchSize;

    /// The loop's thread only.
    private boolean isDraining;

    /// `onFailure` gets the task and what it threw, during [#drain], which then goes on.
    TaskQueue(BiConsumer<? super Runnable, ? super Throwable> onFailure) {
        this.onFailure = onFailure;
    }

    /// Adds a task, from any thread. Returns true if the loop sleeps or is about to: then the caller must wake it.
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

    /// The loop's last step before it waits. Returns false if there are tasks: then it must not wait. After true, a
    /// producer wakes it, and it calls [#awake] as soon as it runs again for whatever reason.
    boolean prepareToWait() {
        return rest == null && newest.compareAndSet(null, ASLEEP);
    }

    /// The loop runs: from here on, producers need not wake it up. Without effect if a producer has woken it.
    void awake() {
        if (newest.get() == ASLEEP) {
            newest.compareAndSet(ASLEEP, null);
        }
    }

    /// Closes the queue, unless there are tasks: then the loop runs them first. So each task either runs, or its
    /// producer learns that it will not.
    ///
    /// @return whether it is closed
    boolean close() {
        awake();
        return rest == null && (newest.get() == CLOSED || newest.compareAndSet(null, CLOSED));
    }

    /// Runs, on the loop's thread, the tasks that are there now, oldest first, and returns how many ran.
    ///
    /// Tasks added meanwhile wait for the next drain, so a task that adds itself again (a virtual thread that
    /// yields) cannot keep the loop from its connections. Nor can many tasks, or a long one ([SlicedTask]): when
    /// the time is over, the rest waits for the next drain, ahead of tasks added since.
    ///
    /// @param clock      the time, in nanoseconds
    /// @param sliceNanos how long it may take; it runs at least one task
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

    /// How many tasks waited for the next drain a moment ago, for metrics, from any thread.
    int size() {
        Node top = newest.get();
        return restSize + (top == null ? 0 : top.height);
    }

    private @Nullable Node takeAll() {
        // Most turns find nothing, and a read leaves the cache line with the producers, which an exchange would
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
                ran += 1 + takeAlong(current);
                node = current.next;
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

    /// Leaves out those that the task takes along; returns how many.
    private static int takeAlong(Node current) {
        if (!(current.task instanceof SlicedTask sliced)) return 0;
        int count = 0;
        for (var next = current.next; next != null && sliced.takesAlong(next.task); next = current.next) {
            current.next = next.next;
            count++;
        }
        return count;
    }

    /// Runs a task; returns whether it is done.
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

        /// The node below; once the batch is reversed, the one to run next.
        private @Nullable Node next;

        /// How many tasks are in the stack up to this one: the size, without a counter that producers contend for.
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
