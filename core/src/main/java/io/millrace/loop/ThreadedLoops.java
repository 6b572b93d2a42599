package io.millrace.loop;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.millrace.net.LoopBroken;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Event loops with a platform thread each.
public final class ThreadedLoops implements LoopGroup {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");
    private static final long CLOSE_PATIENCE_NANOS = 2_000_000_000L;

    /// Makes one loop, on the thread that will run it.
    @FunctionalInterface
    public interface LoopFactory {
        EventLoop make(int index) throws IOException;
    }

    private final List<EventLoop> loops = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Watchdog watchdog;
    private final int earnAfter;

    /// Pools that may have threads, retired ones too. Guarded by this.
    private final List<ThreadPoolExecutor> workers = new ArrayList<>();

    private final AtomicBoolean isClosing = new AtomicBoolean();

    /// The first failure of a loop itself, which must not disappear with its thread.
    private final AtomicReference<@Nullable LoopBroken> failure = new AtomicReference<>();

    private final CompletableFuture<LoopBroken> broken = new CompletableFuture<>();

    /// Starts `count` loops.
    ///
    /// @param isDaemon  whether the JVM may end while they run
    /// @param earnAfter how often code on virtual threads must resume before they carry it
    /// @param stall     how long a turn may take before it is reported; zero for no limit
    /// @throws IOException when a transport cannot be opened
    public ThreadedLoops(int count, String name, boolean isDaemon, int earnAfter, Duration stall, LoopFactory factory)
            throws IOException {
        this.earnAfter = earnAfter;
        try {
            for (int i = 0; i < count; i++) start(i, name, isDaemon, factory);
            watchdog = new Watchdog(name, loops, threads, stall);
            watchdog.start();
        } catch (IOException | RuntimeException | Error e) {
            closeLoops();
            throw e;
        }
    }

    private void start(int index, String name, boolean isDaemon, LoopFactory factory) throws IOException {
        var started = new CompletableFuture<EventLoop>();
        var thread = Thread.ofPlatform()
                .name(name + "-" + index)
                .daemon(isDaemon)
                .unstarted(() -> live(started, factory, index));
        thread.start();
        try {
            // Waits even when interrupted: a loop that is not known here would never end.
            loops.add(started.join());
            threads.add(thread);
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException io
                    ? io
                    : new IOException(String.valueOf(e.getCause()), e.getCause());
        }
    }

    private void live(CompletableFuture<EventLoop> started, LoopFactory factory, int index) {
        EventLoop loop;
        try {
            loop = factory.make(index);
        } catch (Throwable e) {
            started.completeExceptionally(e);
            return;
        }
        loop.adoptThread();
        started.complete(loop);
        LoopBroken early = null;
        try {
            while (!isClosing.get()) loop.turn(true);
        } catch (Throwable e) {
            early = broke(loop, e);
        }
        try {
            loop.close(CLOSE_PATIENCE_NANOS);
        } catch (Throwable e) {
            broke(loop, e);
        } finally {
            loop.leaveThread();
        }
        // Last, so that the loop is closed when this completes; and on another thread, where dependents may wait.
        var told = early;
        if (told != null) Thread.ofPlatform().name(loop.name() + "-broken").start(() -> broken.complete(told));
    }

    private LoopBroken broke(EventLoop loop, Throwable cause) {
        var told = new LoopBroken(loop.name(), cause);
        failure.compareAndSet(null, told);
        loop.errors().log(LOG, Level.ERROR, "loop", () -> loop.name() + " is broken, its connections are lost", cause);
        return told;
    }

    @Override
    public List<EventLoop> loops() {
        return loops;
    }

    @Override
    public int earnAfter() {
        return earnAfter;
    }

    @Override
    public CompletableFuture<LoopBroken> broken() {
        return broken;
    }

    @Override
    public <T> T call(EventLoop loop, Callable<T> work) throws IOException {
        try {
            if (loop.inLoop()) return loop.callHere(work::call);
            EventLoop.checkMayWait("this call to " + loop.name(), "pass it to loop.execute(…)");
            var result = new CompletableFuture<T>();
            loop.execute(() -> complete(result, work));
            return Awaiting.result(List.of(loop), "a call to " + loop.name(), result);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for an event loop", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            throw new IllegalStateException(e.getCause());
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
        try {
            result.complete(work.call());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    @Override
    public boolean await(Duration patience, BooleanSupplier isTrue) {
        return Awaiting.truth(loops, patience, isTrue);
    }

    @Override
    public synchronized Executor workers(int threads) {
        var factory = Thread.ofPlatform().name("millrace-worker-", 0).daemon().factory();
        var pool = new ThreadPoolExecutor(threads, threads, 1, NANOSECONDS, new LinkedBlockingQueue<>(), factory);
        workers.add(pool);
        return pool;
    }

    @Override
    public synchronized void retire(Executor retired) {
        for (var pool : workers) {
            if (pool.equals(retired)) pool.allowCoreThreadTimeOut(true);
        }
        // A busy pool must learn of the group's end, too; so it is forgotten only when another one retires.
        workers.removeIf(pool -> pool.allowsCoreThreadTimeOut() && pool.getPoolSize() == 0);
    }

    /// @throws LoopBroken when a loop had broken before, or its slabs were not returned (with `-ea`)
    @Override
    public void close() {
        closeLoops();
        watchdog.close();
        // Loops that are still closing have work for these threads.
        if (EventLoop.isCallerTurning())
            Thread.ofPlatform().name("millrace-end").start(this::stopWorkers);
        else stopWorkers();
        if (!EventLoop.isCallerTurning()) LoopLog.settle();
        var broken = failure.getAndSet(null);
        if (broken != null) throw broken;
    }

    private void stopWorkers() {
        for (var thread : threads) join(thread);
        synchronized (this) {
            workers.forEach(ThreadedLoops::stop);
        }
    }

    /// Handlers that waited for a worker in vain are still told of the end.
    private static void stop(ExecutorService workers) {
        var waiting = workers.shutdownNow();
        if (waiting.isEmpty()) return;
        Thread.ofPlatform().name("millrace-last-worker").daemon().start(() -> waiting.forEach(Runnable::run));
    }

    private void closeLoops() {
        // Only once: two loops whose handlers both close the group would wait for each other.
        if (!isClosing.compareAndSet(false, true)) return;
        for (var loop : loops) {
            if (!loop.isClosed()) loop.returned(() -> {});
        }
        for (var thread : threads) join(thread);
    }

    private static void join(Thread thread) {
        // Nor may two loops that close each other's group wait for each other.
        if (EventLoop.isCallerTurning()) return;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
