package io.millrace.proxy;

import io.millrace.http.ServedRequest;
import io.millrace.http.filter.LogFields;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.operation.LogTime;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// How an [Upstream] forwarded a request. A value.
///
/// @param upstream its name
/// @param backend `host:port` of the last backend that was tried; empty if none was
/// @param attempts how many times a backend was tried
/// @param failure why there is no whole response of a backend, as a text for a log; empty if there is one
/// @param trace the 32 digits of the trace (W3C Trace Context) that the backend got; empty for none
/// @param nanos from the last attempt's beginning to the end of the backend's response, or to the last that came
/// of it; 0 if it did not respond
public record ProxyInfo(String upstream, String backend, int attempts, String failure, String trace, long nanos) {
    /// Its fields for an access log, and the `route` of a proxy's configuration.
    public static final LogFields LOG_FIELDS = ((LogFields) ProxyInfo::logged)
            .named("upstream", "backend", "attempts", "upstream-seconds", "trace", "closed");

    /// The value for a request that has ended; empty if another handler responded.
    public static Optional<ProxyInfo> of(ServedRequest served) {
        return proxied(served).map(ProxyInfo::of);
    }

    static Optional<ProxiedRequest> proxied(ServedRequest served) {
        return served.request()
                .map(ReceivedRequest::behind)
                .flatMap(ReceivedRequest::passedOnBy)
                .filter(ProxiedRequest.class::isInstance)
                .map(ProxiedRequest.class::cast);
    }

    private static ProxyInfo of(ProxiedRequest request) {
        return new ProxyInfo(
                request.backends().toString(),
                request.backend().map(Object::toString).orElse(""),
                request.attempts(),
                request.reason(),
                request.trace().trace(),
                request.backendNanos());
    }

    private static Map<String, Object> logged(ServedRequest served) {
        var fields = new LinkedHashMap<String, Object>();
        var route = served.request()
                .map(ReceivedRequest::behind)
                .map(ReceivedRequest::ruledBy)
                .orElse("");
        if (!route.isEmpty()) fields.put("route", route);
        of(served).ifPresent(info -> info.addTo(fields));
        var closed = proxied(served).map(ProxiedRequest::closed).orElse("");
        if (!closed.isEmpty()) fields.put("closed", closed);
        return fields;
    }

    private void addTo(Map<String, Object> fields) {
        fields.put("upstream", upstream);
        if (!backend.isEmpty()) fields.put("backend", backend);
        fields.put("attempts", attempts);
        if (nanos > 0) fields.put("upstream_seconds", new BigDecimal(LogTime.seconds(nanos)));
        if (!trace.isEmpty()) fields.put("trace", trace);
        if (!failure.isEmpty()) fields.put("failure", failure);
    }
}
