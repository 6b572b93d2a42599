package io.millrace.proxy.upstream;

import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Health;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/// What the log and the admin page say of an upstream's backends: a line for each change of a state. Any thread;
/// without the upstream's lock, because logs may wait.
final class BackendNews {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    /// Of more that join or leave at a time, an event names these.
    private static final int MOST_NAMED = 8;

    private final String upstream;
    private final ToldStates panics = states();

    /// Whether so few are available that all are used, as the log has it.
    private final AtomicBoolean isPanicTold = new AtomicBoolean();

    BackendNews(String upstream) {
        this.upstream = upstream;
    }

    /// For the states of one thing.
    ToldStates states() {
        return new ToldStates(this::tell);
    }

    private void tell(Level level, String what) {
        LOG.log(level, "{0}: {1}", upstream, what);
        ProxyEvents.ofProcess().add(EventKind.BACKEND, level == Level.WARNING, upstream + ": " + what);
    }

    private static void bad(Backend backend, String what, long nowNanos) {
        backend.told.changed(Level.WARNING, backend + " " + what, nowNanos);
    }

    private static void good(Backend backend, String what, long nowNanos) {
        backend.told.changed(Level.INFO, backend + " " + what, nowNanos);
    }

    /// A check has changed its mind.
    ///
    /// @param before how long it was of the other
    static void checked(Backend backend, boolean isHealthy, Duration before, String finding, long nowNanos) {
        if (isHealthy) good(backend, "is healthy after " + Wording.of(before) + ": " + finding, nowNanos);
        else bad(backend, "is unhealthy, and gets no requests: " + finding, nowNanos);
    }

    static void ejected(Backend backend, Duration time, String why, long nowNanos) {
        bad(backend, "is ejected for " + Wording.of(time) + ": " + why, nowNanos);
    }

    static void ejectionIsOver(Backend backend, long nowNanos) {
        good(backend, "is back: its ejection is over", nowNanos);
    }

    static void unreachable(Backend backend, String why, long nowNanos) {
        bad(backend, "cannot be reached: " + why, nowNanos);
    }

    /// Servers of gRPC do, without TLS.
    void wantsHttp2(Backend backend, long nowNanos) {
        bad(
                backend,
                "speaks HTTP/2, and gets requests of HTTP/1.1, which fail: set protocol: h2 of the upstream "
                        + upstream,
                nowNanos);
    }

    static void answersAgain(Backend backend, Duration after, long nowNanos) {
        good(backend, "answers again, after " + Wording.of(after), nowNanos);
    }

    /// Too many are ejected already: it goes on getting requests.
    ///
    /// @param of so many backends
    /// @param isNews whether the log does not say yet that its requests fail
    void notEjected(Backend backend, int of, int mostPercent, String why, boolean isNews, long nowNanos) {
        var stays = "stays in use, because "
                + (mostPercent == 0
                        ? "ejection is off"
                        : "at most " + mostPercent + " % of " + Wording.count(of, "backend") + " may be ejected");
        if (mostPercent > 0) ProxyGuards.UPSTREAM_EJECTED.acted(upstream, backend + " " + stays + ": " + why);
        if (isNews) bad(backend, "fails, and " + stays + ": " + why, nowNanos);
    }

    void panics(boolean isNow, Health health, long nowNanos) {
        if (isPanicTold.getAndSet(isNow) == isNow) return;
        if (isNow)
            ProxyGuards.UPSTREAM_PANIC.acted(
                    upstream,
                    "less than " + health.panicThresholdPercent()
                            + " % of its backends are available: all are used except disabled ones");
        else panics.changed(Level.INFO, "enough backends are available: health counts again", nowNanos);
    }

    void tooMany(int listed, int used) {
        LOG.log(Level.WARNING, "{0}: {1} backends, of which the first {2} are used", upstream, listed, used);
    }

    /// Only to the admin page: lists may change all the time, and the log has what is no normal operation.
    void listed(List<Backend> before, List<Backend> after) {
        listed("joined the list", before, after);
        listed("left the list", after, before);
    }

    private void listed(String what, List<Backend> without, List<Backend> with) {
        var some = new LinkedHashSet<>(with);
        without.forEach(some::remove);
        if (some.isEmpty()) return;
        var names = some.stream().limit(MOST_NAMED).map(Backend::toString).collect(Collectors.joining(", "));
        var more = some.size() > MOST_NAMED ? " and " + (some.size() - MOST_NAMED) + " more" : "";
        ProxyEvents.ofProcess().add(EventKind.BACKEND, false, upstream + ": " + names + more + " " + what);
    }
}
