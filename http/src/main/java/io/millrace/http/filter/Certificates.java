package io.millrace.http.filter;

import io.millrace.tls.TlsIdentity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// When certificates end, for metrics.
final class Certificates {
    private Certificates() {}

    /// A sample for each.
    ///
    /// @param all by the names of listeners
    static void write(Map<String, List<TlsIdentity>> all, MetricsText to) {
        if (all.isEmpty()) return;
        to.gauge("millrace_tls_certificate_expiry_timestamp_seconds", "When the first of a chain ends, Unix time.");
        all.forEach((listener, identities) -> {
            // Of two with one subject, the old one and the new one for instance, what ends first.
            var ends = new TreeMap<String, Long>();
            for (var its : identities) ends.merge(subject(its), its.expires().getEpochSecond(), Math::min);
            ends.forEach((subject, end) -> to.value((long) end, "listener", listener, "subject", subject));
        });
    }

    private static String subject(TlsIdentity of) {
        return of.chain().getFirst().getSubjectX500Principal().getName();
    }
}
