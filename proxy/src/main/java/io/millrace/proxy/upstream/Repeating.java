package io.millrace.proxy.upstream;

import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Callable;

/// Work that runs repeatedly, on a virtual thread of its own that may block.
public final class Repeating implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final Thread thread;
    private volatile boolean isClosed;

    private Repeating(String name, Callable<Duration> work) {
        this.thread = Thread.ofVirtual().name(name).unstarted(() -> run(work));
    }

    /// Starts the thread, which soon runs the work for the first time.
    ///
    /// @param work returns how long to wait until the next run
    public static Repeating start(String name, Callable<Duration> work) {
        var repeating = new Repeating(name, work);
        repeating.thread.start();
        return repeating;
    }

    private void run(Callable<Duration> work) {
        try {
            while (!isClosed) Thread.sleep(work.call());
        } catch (InterruptedException _) {
            // Closed while it waited.
        } catch (Exception | Error e) {
            LOG.log(Level.ERROR, thread.getName() + " ends", e);
        }
    }

    /// Interrupts the work, which ends soon.
    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
