package io.millrace.proxy;

import io.millrace.http.ServedRequest;
import io.millrace.http.filter.LogFields;
import io.millrace.http.message.ReceivedRequest;
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
public record ProxyInfo(String upstream, String backend, int attempts, String failure, String trace) {
    /// Its fields for an access log.
    public static final LogFields LOG_FIELDS =
            served -> of(served).map(ProxyInfo::fields).orElse(Map.of());

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
                request.trace().trace());
    }

    private Map<String, Object> fields() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("upstream", upstream);
        if (!backend.isEmpty()) fields.put("backend", backend);
        fields.put("attempts", attempts);
        if (!trace.isEmpty()) fields.put("trace", trace);
        if (!failure.isEmpty()) fields.put("failure", failure);
        return fields;
    }
}
