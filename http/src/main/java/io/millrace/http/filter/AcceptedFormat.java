package io.millrace.http.filter;

import io.millrace.http.Request;
import io.millrace.http.filter.MetricsText.Format;
import io.millrace.http.grammar.FieldValue;
import java.util.Locale;
import java.util.Set;

/// The metrics format that a request asks for (RFC 9110 section 12.5.1): OpenMetrics if the request names it and
/// prefers nothing else, otherwise Prometheus's own text, which every collector reads.
final class AcceptedFormat {
    private static final Set<String> OPEN_METRICS = Set.of("application/openmetrics-text");
    private static final Set<String> PROMETHEUS = Set.of("text/plain", "text/*", "*/*");

    private AcceptedFormat() {}

    static Format of(Request request) {
        int openMetrics = weight(request, OPEN_METRICS);
        boolean isWanted = openMetrics > 0 && openMetrics >= weight(request, PROMETHEUS);
        return isWanted ? Format.OPEN_METRICS : Format.PROMETHEUS;
    }

    /// The highest weight that the request gives one of these types, in thousandths; 0 if it names none.
    private static int weight(Request request, Set<String> types) {
        int most = 0;
        for (var line : request.headers().all("Accept")) {
            for (var element : line.split(",", -1)) {
                var parts = element.split(";", -1);
                if (types.contains(parts[0].strip().toLowerCase(Locale.ROOT))) most = Math.max(most, weight(parts));
            }
        }
        return most;
    }

    private static int weight(String[] parts) {
        for (var part : parts) {
            int weight = FieldValue.weight(part);
            if (weight >= 0) return weight;
        }
        return FieldValue.MOST_WEIGHT;
    }
}
