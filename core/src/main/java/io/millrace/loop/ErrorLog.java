package io.millrace.loop;

import io.millrace.net.NetException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Logs what goes wrong on one loop: of each kind at most one line with its stack a second. Otherwise a peer that
/// makes a handler throw repeatedly would keep the loop writing stacks. The others count as [CoreGuards#ERROR_LOG].
///
/// Any thread. Never throws: a broken log is no reason to end a loop.
public final class ErrorLog {
    private static final long ONE_SECOND_NANOS = 1_000_000_000L;

    private final EventLoop loop;

    /// When a line of each kind was last written; there are a dozen kinds.
    private final ConcurrentHashMap<String, AtomicLong> loggedNanos = new ConcurrentHashMap<>();

    ErrorLog(EventLoop loop) {
        this.loop = loop;
    }

    /// Logs what user code threw. Failures of the network, and what follows from the connection's end, are logged
    /// at DEBUG.
    ///
    /// @param kind what threw, such as `handler`
    /// @param of   its connection
    void threw(System.Logger log, String kind, TcpConnection of, boolean hasEnded, Throwable failure) {
        loop.host().threw(failure);
        var thrown = failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : failure;
        if (thrown != null && !hasEnded && !(thrown instanceof NetException)) {
            log(log, Level.WARNING, kind, () -> "the " + kind + " of " + Wording.of(of.remote()) + " threw", thrown);
            return;
        }
        try {
            log.log(Level.DEBUG, "the {0} of {1} ended: {2}", kind, of, thrown);
        } catch (RuntimeException | Error _) {
            // as below
        }
    }

    /// Logs another failure.
    ///
    /// @param kind one of a few constants
    public void log(System.Logger log, Level level, String kind, Supplier<String> message, Throwable thrown) {
        try {
            if (isDue(kind)) log.log(level, message, thrown);
            else
                CoreGuards.ERROR_LOG.acted(
                        loop.name(), "one stack a second is logged, and another " + kind + ": " + thrown);
        } catch (RuntimeException | Error _) {
            // What is logged was handled already.
        }
    }

    private boolean isDue(String kind) {
        long now = loop.clock().getAsLong();
        var before = loggedNanos.putIfAbsent(kind, new AtomicLong(now));
        if (before == null) return true;
        long last = before.get();
        return now - last >= ONE_SECOND_NANOS && before.compareAndSet(last, now);
    }
}
