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
import java.util.function.Consumer;

/// A group of event loops, a thread each. Servers and clients that are given none make or share one of their own;
/// one group for several of them saves threads, and keeps what they exchange on one loop. Any thread.
public final class EventLoops implements AutoCloseable {
    private final LoopGroup group;
    private final CompletionStage<LoopBroken> broken;

    /// For a simulation, which drives its loops itself.
    @SuppressWarnings("exports") // nobody else can have a LoopGroup
    public EventLoops(LoopGroup group) {
        this.group = group;
        this.broken = group.broken().minimalCompletionStage();
    }

    /// One loop for each core.
    public static EventLoops perCore() {
        return configure().start();
    }

    /// So many loops.
    public static EventLoops of(int threads) {
        return configure().threads(threads).start();
    }

    /// Everything that can be chosen; ends with [Setup#start].
    public static Setup configure() {
        return new Setup();
    }

    /// How loops are made. Immutable: a property is set by its name, which returns a copy, and read by the same name.
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
        private int threads = Runtime.getRuntime().availableProcessors();
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

        /// How many loops, 1 or more; by default one for each core.
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

        /// The most memory of slabs for each loop, 4 MiB or more; by default a quarter of the heap's limit shared
        /// by the loops, at least 16 and at most 256 MiB each, but all together no more than half of it.
        /// Outside its heap the JVM has as much as in it, unless `-XX:MaxDirectMemorySize` says otherwise.
        public Setup memory(long bytesPerLoop) {
            if (bytesPerLoop < LEAST_MEMORY) {
                throw new IllegalArgumentException(
                        bytesPerLoop + " bytes of memory: give a loop 4 MiB (" + LEAST_MEMORY + " bytes) or more");
            }
            return with("memory", copy -> copy.memoryBytes = bytesPerLoop);
        }

        /// In bytes per loop, as it is for so many threads.
        ///
        /// @throws IllegalStateException when there is none for so many loops
        public long memory() {
            return memoryBytes == 0 ? defaultMemory(Runtime.getRuntime().maxMemory(), threads) : memoryBytes;
        }

        /// What may wait on each loop for its groups ([io.millrace.codec.Group#broadcast] from other threads), in
        /// bytes, each message as 144 more than it has; by default 16 MiB.
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

        /// Whether slabs are reused, which they are unless a comparison wants to see what that is worth.
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

        /// Whether the loops carry virtual threads where the JDK lets them, which is the default. Without it, all of
        /// them run on the JDK's scheduler.
        public Setup carriers(boolean on) {
            return with("carriers", copy -> copy.carries = on);
        }

        public boolean carriers() {
            return carries;
        }

        /// How often the sessions or handlers of a server have to go on within a millisecond, on the JDK's
        /// scheduler, before the loops carry their threads; by default 1000. With 0 they are carried from
        /// the start. Code that keeps its loop loses that again.
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
            // All of them the same: a connection goes from the loop that accepts it to another one.
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

        static long defaultMemory(long heapBytes, int loops) {
            long share = Math.min(Math.clamp(heapBytes / 4 / loops, MIN_MEMORY, MAX_MEMORY), heapBytes / 2 / loops);
            if (share >= LEAST_MEMORY) return share;
            throw new IllegalStateException(loops
                    + " event loops need 4 MiB of memory outside the heap each, and a JVM "
                    + "with a heap of " + (heapBytes >> 20) + " MiB has half of that for them: start fewer of them "
                    + "(EventLoops.Setup.threads), raise -Xmx, or say how much there is (EventLoops.Setup.memory)");
        }
    }

    /// Why loops cannot carry virtual threads in this JVM, in a sentence with the remedy where there is
    /// one; empty when they can.
    /// Without it the same code runs on the JDK's scheduler, and a hand-over between threads costs more.
    public static Optional<String> carriersUnavailableBecause() {
        return LoopThreads.cannotCarryBecause();
    }

    /// Daemon loops for clients that name none; they live as long as the JVM.
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

    /// Completes when a loop has ended though nobody closed it, for the first one that does: its connections and
    /// listeners are closed by then, and the others go on. Never, if none does. What depends on it runs on
    /// a thread of its own, and may wait.
    ///
    /// ```java
    /// loops.broken().thenAccept(broken -> signals.raise());       // let the process end, and be started again
    /// ```
    public CompletionStage<LoopBroken> broken() {
        return broken;
    }

    /// Closes every connection and listener, and stops the threads. Sessions get two seconds to notice.
    ///
    /// @throws LoopBroken when one of them had broken
    @Override
    public void close() {
        group.close();
    }

    LoopGroup group() {
        return group;
    }
}
