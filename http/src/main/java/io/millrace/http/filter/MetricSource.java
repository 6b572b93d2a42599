package io.millrace.http.filter;

import io.millrace.EventLoops;
import io.millrace.tls.TlsIdentity;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Counters or gauges that are read whenever [Metrics] are collected.
///
/// ```java
/// MetricSource sessions = to -> to.gauge("app_sessions", "Open sessions.").value(store.size());
/// ```
@FunctionalInterface
public interface MetricSource {
    /// Writes its samples, family by family. Called by any thread, for one text by one thread at a time; it must
    /// not block.
    void write(MetricsText to);

    /// The counters of event loops.
    ///
    /// @param groups whose loops have distinct names
    static MetricSource loops(EventLoops... groups) {
        return to -> LoopSamples.write(
                List.of(groups).stream()
                        .flatMap(group -> group.counters().stream())
                        .toList(),
                to);
    }

    /// When the certificates of servers expire.
    ///
    /// @param identities by the names of listeners; called each time
    static MetricSource certificates(Supplier<Map<String, List<TlsIdentity>>> identities) {
        return to -> Certificates.write(identities.get(), to);
    }

    /// How many lines an access log has dropped ([AccessLog#dropped]).
    static MetricSource droppedLines(LongSupplier count) {
        return to -> to.counter("millrace_access_log_dropped", "Lines that were dropped.")
                .total(count.getAsLong());
    }
}
