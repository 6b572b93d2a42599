package io.millrace;

import io.millrace.loop.Backlog;
import io.millrace.loop.Derived;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopGroup;
import io.millrace.loop.LoopThreads;
import io.millrace.loop.Standing;
import io.millrace.loop.ThreadedLoops;
import io.millrace.memory.SlabPool;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Loop;
import io.millrace.net.LoopBroken;
import io.millrace.net.LoopCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A group of event loops, a thread each. A server without a group makes its own, and clients without one share
/// one; a group for several of them saves threads, and keeps what they exchange on one loop. Any thread.
public final class EventLoops implements AutoCloseable {
    private final LoopGroup group;
    private final CompletionStage<LoopBroken> broken;

    /// For a simulation that drives its loops itself.
    @SuppressWarnings("exports") // nobody else can have a LoopGroup
    public EventLoops(LoopGroup group) {
        this.group = group;
        this.broken = group.broken().minimalCompletionStage();
    }

    /// One loop for each core.
    public static EventLoops perCore() {
        return configure().start();
    }

    /// The given number of loops.
    public static EventLoops of(int threads) {
        return configure().threads(threads).start();
    }

    /// All settings; ends with [Setup#start].
    public static Setup configure() {
        return new Setup();
    }

    /// How loops are made. Immutable: setting a property returns a copy; without an argument, the same name reads
    /// it.
    ///
    /// ```java
    /// var loops = EventLoops.configure().threads(2).name("edge").start();
    /// ```
    @CheckReturnValue
    public static final class Setup {
        private static final long MAX_MEMORY = 256L << 20;
        private static final long MIN_MEMORY = 16L << 20;
        private static final long LEAST_MEMORY = 4L << 20;

        private Derived derived = Derived.first();
        private int threads = defaultThreads(
                Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory());
        private TransportKind transport = TransportKind.AUTO;
        private String name = "millrace";
        private long memoryBytes;
        private long groupPendingBytes = Backlog.DEFAULT_LIMIT_BYTES;
        private boolean isPooled = true;
        private boolean isDaemon;
        private boolean carries = !Boolean.getBoolean("millrace.noCarriers");
        private int earnAfter = Standing.STANDARD_NEEDED;
        private Duration stall = Duration.ofMillis(500);

        private Setup() {}

        private Setup(Setup from) {
            threads = from.threads;
            transport = from.transport;
            name = from.name;
            memoryBytes = from.memoryBytes;
            groupPendingBytes = from.groupPendingBytes;
            isPooled = from.isPooled;
            isDaemon = from.isDaemon;
            carries = from.carries;
            earnAfter = from.earnAfter;
            stall = from.stall;
        }

        private Setup with(String setter, Consumer<Setup> change) {
            var copy = new Setup(this);
            change.accept(copy);
            copy.derived = derived.next(setter);
            return copy;
        }

        /// How many loops, 1 or more; by default one for each core, but no more than the heap has 8 MiB for each.
        public Setup threads(int count) {
            if (count < 1) throw new IllegalArgumentException(count + " event loops: there must be 1 or more");
            return with("threads", copy -> copy.threads = count);
        }

        public int threads() {
            return threads;
        }

        /// How they reach the kernel; by default the best that works here.
        public Setup transport(TransportKind kind) {
            return with("transport", copy -> copy.transport = kind);
        }

        public TransportKind transport() {
            return transport;
        }

        /// The beginning of the threads' names; by default `millrace`.
        public Setup name(String prefix) {
            return with("name", copy -> copy.name = prefix);
        }

        public String name() {
            return name;
        }

        /// The maximum of slab memory for each loop, 4 MiB or more. By default the loops share a quarter of the
        /// heap's limit, at least 16 and at most 256 MiB each, but no more than half of it together. The JVM's
        /// memory outside the heap is as large as the heap, unless `-XX:MaxDirectMemorySize` says otherwise.
        public Setup memory(long bytesPerLoop) {
            if (bytesPerLoop < LEAST_MEMORY) {
                throw new IllegalArgumentException(
                        bytesPerLoop + " bytes of memory: give a loop 4 MiB (" + LEAST_MEMORY + " bytes) or more");
            }
            return with("memory", copy -> copy.memoryBytes = bytesPerLoop);
        }

        /// In bytes per loop; the default depends on the number of threads.
        ///
        /// @throws IllegalStateException when there is not enough memory for so many loops
        public long memory() {
            return memoryBytes == 0 ? defaultMemory(Runtime.getRuntime().maxMemory(), threads) : memoryBytes;
        }

        /// How many bytes of messages may wait on each loop for its groups ([io.millrace.codec.Group#broadcast]
        /// from other threads); each message counts 144 bytes more than its length. By default 16 MiB.
        public Setup groupPending(long bytesPerLoop) {
            if (bytesPerLoop < 1) {
                throw new IllegalArgumentException(
                        bytesPerLoop + " bytes of messages that may wait for groups: give it 1 or more");
            }
            return with("groupPending", copy -> copy.groupPendingBytes = bytesPerLoop);
        }

        public long groupPending() {
            return groupPendingBytes;
        }

        /// Whether slabs are reused, which is the default; off only to measure what reuse is worth.
        public Setup pooled(boolean isPooled) {
            return with("pooled", copy -> copy.isPooled = isPooled);
        }

        public boolean pooled() {
            return isPooled;
        }

        /// Whether the JVM may end while the loops run; by default not.
        public Setup daemon(boolean isDaemon) {
            return with("daemon", copy -> copy.isDaemon = isDaemon);
        }

        public boolean daemon() {
            return isDaemon;
        }

        /// Whether the loops carry virtual threads if the JDK allows it, which is the default. Otherwise, all of
        /// them run on the JDK's scheduler.
        public Setup carriers(boolean on) {
            return with("carriers", copy -> copy.carries = on);
        }

        public boolean carriers() {
            return carries;
        }

        /// How often a server's sessions or handlers must have resumed on the JDK's scheduler and kept their thread
        /// for less than a millisecond, before the loops carry their threads; by default 1000. With 0 they are
        /// carried from the start. Code that keeps its loop loses that again.
        public Setup earnAfter(int times) {
            if (times < 0) throw new IllegalArgumentException(times + " times to go on: give it 0 or more");
            return with("earnAfter", copy -> copy.earnAfter = times);
        }

        public int earnAfter() {
            return earnAfter;
        }

        /// How long a turn may take before the watchdog reports it; zero switches it off. By default 500 ms.
        public Setup stall(Duration limit) {
            return with("stall", copy -> copy.stall = limit);
        }

        public Duration stall() {
            return stall;
        }

        /// Starts the loops.
        ///
        /// @throws UncheckedIOException  when the transport does not work here, with the reason
        /// @throws IllegalStateException when there is no memory for so many loops, or the last copy of
        ///     this, with something set, was dropped
        public EventLoops start() {
            derived.use();
            long memory = memory();
            // The same for all loops: a connection moves from the loop that accepts it to another one.
            var kind = transport == TransportKind.AUTO ? Transports.best() : transport;
            try {
                return new EventLoops(new ThreadedLoops(
                        threads, name, isDaemon, earnAfter, stall, index -> make(index, kind, memory)));
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }

        private EventLoop make(int index, TransportKind kind, long memory) throws IOException {
            var pool = new SlabPool(memory, isPooled);
            var made = Transports.make(kind, pool);
            try {
                var loop = new EventLoop(name + "-" + index, made, pool, System::nanoTime, carries);
                loop.backlog().limit(groupPendingBytes);
                return loop;
            } catch (RuntimeException | Error e) {
                made.close();
                throw e;
            }
        }

        /// No more than there is the least memory for.
        static int defaultThreads(int processors, long heapBytes) {
            return Math.clamp(heapBytes / 2 / LEAST_MEMORY, 1, processors);
        }

        static long defaultMemory(long heapBytes, int loops) {
            long share = Math.min(Math.clamp(heapBytes / 4 / loops, MIN_MEMORY, MAX_MEMORY), heapBytes / 2 / loops);
            if (share >= LEAST_MEMORY) return share;
            throw new IllegalStateException(loops
                    + " event loops need 4 MiB of memory outside the heap each, and a JVM "
                    + "with a heap of " + (heapBytes >> 20) + " MiB leaves half of that to them: start fewer "
                    + "(EventLoops.Setup.threads), raise -Xmx, or set how much each loop may have "
                    + "(EventLoops.Setup.memory)");
        }
    }

    /// Why loops cannot carry virtual threads in this JVM, in a sentence with the remedy if there is one; empty
    /// when they can. Code that is not carried runs on the JDK's scheduler, where switching threads costs more.
    public static Optional<String> carriersUnavailableBecause() {
        return LoopThreads.cannotCarryBecause();
    }

    /// Daemon loops for clients without a group; they live as long as the JVM.
    static EventLoops shared() {
        return Shared.LOOPS;
    }

    private static final class Shared {
        static final EventLoops LOOPS =
                configure().name("millrace-client").daemon(true).start();
    }

    /// The loop with the fewest connections.
    public Loop next() {
        return group.leastLoaded();
    }

    /// The loops, always in the same order.
    public List<Loop> all() {
        return List.copyOf(group.loops());
    }

    /// What each loop has done so far.
    public List<LoopCounters> counters() {
        return group.loops().stream().map(EventLoop::counters).toList();
    }

    /// Completes when the first loop has ended without being closed: its connections and listeners are closed by
    /// then, and the other loops go on. If no loop breaks, it never completes. Dependent stages run on a thread of
    /// their own, and may wait.
    ///
    /// ```java
    /// loops.broken().thenAccept(broken -> signals.raise());       // let the process end, and be started again
    /// ```
    public CompletionStage<LoopBroken> broken() {
        return broken;
    }

    /// Whether every loop does a small task within a time: a sign of life, for watchdogs. Not on a loop's thread.
    public boolean answerWithin(Duration limit) throws InterruptedException {
        var answers = new CountDownLatch(group.loops().size());
        try {
            for (var loop : group.loops()) loop.execute(answers::countDown);
        } catch (RejectedExecutionException _) {
            return false;
        }
        return answers.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Closes every connection and listener, and stops the threads. Sessions get two seconds to notice.
    ///
    /// @throws LoopBroken when a loop had broken
    @Override
    public void close() {
        group.close();
    }

    LoopGroup group() {
        return group;
    }
}
