package io.millrace.http.filter;

import io.millrace.tls.TlsIdentity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Expiry times of certificates, for metrics.
final class Certificates {
    private Certificates() {}

    /// Writes a sample for each certificate.
    ///
    /// @param all by the names of listeners
    static void write(Map<String, List<TlsIdentity>> all, MetricsText to) {
        if (all.isEmpty()) return;
        to.gauge(
                "millrace_tls_certificate_expiry_timestamp_seconds",
                "When the first certificate of a chain expires, Unix time.");
        all.forEach((listener, identities) -> {
            // Two certificates may have one subject, an old and a new one for instance: the earlier end counts.
            var ends = new TreeMap<String, Long>();
            for (var its : identities) ends.merge(subject(its), its.expires().getEpochSecond(), Math::min);
            ends.forEach((subject, end) -> to.value((long) end, "listener", listener, "subject", subject));
        });
    }

    private static String subject(TlsIdentity of) {
        return of.chain().getFirst().getSubjectX500Principal().getName();
    }
}
