package io.millrace.http.filter;

import io.millrace.EventLoops;
import io.millrace.tls.TlsIdentity;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Something that has counted and is asked for its numbers whenever [Metrics] are collected.
///
/// ```java
/// MetricSource sessions = to -> to.gauge("app_sessions", "Open sessions.").value(store.size());
/// ```
@FunctionalInterface
public interface MetricSource {
    /// Writes its samples, family by family. Called by any thread, one call at a time for one text; it must not block.
    void write(MetricsText to);

    /// What the event loops of groups have counted.
    ///
    /// @param groups whose loops have names that no other has
    static MetricSource loops(EventLoops... groups) {
        return to -> LoopSamples.write(
                List.of(groups).stream()
                        .flatMap(group -> group.counters().stream())
                        .toList(),
                to);
    }

    /// When the certificates of servers expire.
    ///
    /// @param identities by the names of listeners; asked each time
    static MetricSource certificates(Supplier<Map<String, List<TlsIdentity>>> identities) {
        return to -> Certificates.write(identities.get(), to);
    }

    /// How many lines an access log has left out ([AccessLog#dropped]).
    static MetricSource droppedLines(LongSupplier count) {
        return to -> to.counter("millrace_access_log_dropped", "Lines that were not written.")
                .total(count.getAsLong());
    }
}
