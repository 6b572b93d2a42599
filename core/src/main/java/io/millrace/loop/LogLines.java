package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Event loops' lines on their way to the log, in order, and the thread that writes them, which ends a while after
/// the last line. At most [#MOST] wait; further ones are dropped and counted, and the log says so.
///
/// Adding a line never waits. Any thread.
final class LogLines {
    static final int MOST = 1024;

    private static final System.Logger LOG = System.getLogger("io.millrace.loop");
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ConcurrentLinkedQueue<Runnable> LINES = new ConcurrentLinkedQueue<>();

    /// Includes the line that is being written.
    private static final AtomicInteger WAITING = new AtomicInteger();

    private static final AtomicInteger LEFT_OUT = new AtomicInteger();

    /// A line was written, or failed: the log has opened what it needs.
    private static volatile boolean hasWritten;

    private static final AtomicReference<@Nullable Thread> WRITER = new AtomicReference<>();

    private LogLines() {}

    static void add(Runnable line) {
        if (WAITING.incrementAndGet() > MOST) {
            WAITING.decrementAndGet();
            LEFT_OUT.incrementAndGet();
            CoreGuards.LOG_LINES.counts();
            return;
        }
        LINES.add(line);
        var writer = WRITER.get();
        if (writer == null) start();
        else LockSupport.unpark(writer);
    }

    /// The thread must not retain what a loop's thread has: class loaders, or thread locals.
    private static void start() {
        Thread writer = null;
        try {
            writer = Thread.ofPlatform()
                    .name("millrace-log")
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .unstarted(LogLines::write);
            writer.setContextClassLoader(ClassLoader.getSystemClassLoader());
            if (WRITER.compareAndSet(null, writer)) writer.start();
        } catch (Throwable e) {
            // No memory or no threads: the next line tries again.
            if (writer != null) WRITER.compareAndSet(writer, null);
        }
    }

    private static void write() {
        while (true) {
            var line = LINES.poll();
            if (line != null) write(line);
            else if (isOver()) return;
        }
    }

    private static void write(Runnable line) {
        try {
            LogDescriptors.openLog();
            line.run();
            int leftOut = LEFT_OUT.getAndSet(0);
            if (leftOut == 0) return;
            LOG.log(
                    Level.WARNING,
                    "{0} lines of event loops were dropped, because the log did not take them fast enough (log.lines)",
                    leftOut);
        } catch (Throwable _) {
            // The log has no descriptors or memory, or is broken.
        } finally {
            hasWritten = true;
            WAITING.decrementAndGet();
        }
    }

    /// Whether the very first line is on its way.
    static boolean isFirstDue() {
        return !hasWritten && WAITING.get() > 0;
    }

    /// Waits for more lines. A thread that adds a line before the writer has ended starts no other.
    private static boolean isOver() {
        long end = System.nanoTime() + IDLE_NANOS;
        for (long left = IDLE_NANOS; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(LINES, left);
            if (!LINES.isEmpty()) return false;
        }
        var writer = Thread.currentThread();
        WRITER.set(null);
        return LINES.isEmpty() || !WRITER.compareAndSet(null, writer);
    }

    /// Waits until all lines so far are written, at most a second.
    static void await() {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (WAITING.get() > 0 && System.nanoTime() - end < 0) LockSupport.parkNanos(LINES, 1_000_000);
    }
}
