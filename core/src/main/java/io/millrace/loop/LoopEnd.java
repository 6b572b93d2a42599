package io.millrace.loop;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// Ends an event loop: drops its connections, gives threads that hold its slabs some time, tells those that wait
/// for it, and returns the memory. By the loop's thread.
final class LoopEnd {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");

    /// Threads that end, and slabs that other loops return, do not wake the loop.
    private static final long WAIT_NANOS = 1_000_000;

    private final EventLoop loop;

    /// The first assertion that failed in a task or a timer, or what kept the loop from closing in order: a mistake
    /// of ours, which a log line alone would hide.
    private @Nullable Throwable mistake;

    LoopEnd(EventLoop loop) {
        this.loop = loop;
    }

    /// Sets what it closes with, unless something was wrong before.
    void because(Throwable wrong) {
        if (mistake == null) mistake = wrong;
    }

    /// @param patienceNanos how long sessions may take to notice
    void close(long patienceNanos) {
        attempt(() -> closeConnections(patienceNanos));
        loop.stopped();
        do {
            // Takes what came at the last moment, such as a connection that another loop accepted.
            attempt(() -> loop.turn(0));
            // Without reading the clock, which may be what is broken.
            attempt(() -> loop.tasks().drain(() -> 0, 1));
            // Last, because a task may begin to connect.
            attempt(loop::abortAll);
            attempt(loop.timers()::end);
        } while (!loop.tasks().close());
        attempt(loop.carriage().calls()::run);
        loop.carriage().leave();
        // Sends what handlers wrote when they were told of the end.
        attempt(loop::flush);
        attempt(loop::wakeThreads);
        attempt(loop.transport()::close);
        loop.totals().busy.end();
        attempt(this::checkBalance);
        attempt(loop.pool()::release);
        if (mistake instanceof RuntimeException e) throw e;
        if (mistake instanceof Error e) throw e;
    }

    /// The kernel may refuse everything by now; threads that wait for a task or a connection are told of the end
    /// all the same.
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            because(e);
        }
    }

    private void closeConnections(long patienceNanos) {
        var clock = loop.clock();
        long deadlineNanos = clock.getAsLong() + patienceNanos;
        boolean isBusy;
        do {
            loop.abortAll();
            long leftNanos = deadlineNanos - clock.getAsLong();
            isBusy = loop.turn(isAwaited() ? Math.clamp(leftNanos, 0, WAIT_NANOS) : 0);
        } while ((isBusy || isAwaited()) && clock.getAsLong() - deadlineNanos < 0);
    }

    /// Whether threads have loans, or slabs are still on another loop, which learns of the end about now.
    private boolean isAwaited() {
        var threads = loop.threads();
        return threads.running() > 0 || (threads.borrowed() == 0 && loop.pool().missing() > 0);
    }

    private void checkBalance() {
        long missing = loop.pool().missing();
        if (missing == 0) return;
        int loans = loop.threads().running() + loop.threads().borrowed();
        if (loans > 0) {
            LOG.log(
                    Level.WARNING,
                    "{0}: closed while {1} threads hold a loan of {2} slabs; the collector takes them",
                    loop,
                    loans,
                    missing);
            return;
        }
        var message = loop + ": " + missing + " slabs were not returned";
        LOG.log(Level.ERROR, message);
        assert false : message;
    }
}
