package io.millrace.http.filter;

import io.millrace.Guards;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.http.filter.MetricsText.Format;
import io.millrace.http.grammar.HttpGuards;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/// Metrics for Prometheus and compatible collectors, as its own text or as OpenMetrics: requests, guards, the
/// process, and every other [MetricSource].
///
/// ```java
/// var metrics = Metrics.of(MetricSource.loops(loops));
/// Http.listen(on.loops(loops), HttpSettings.standard().listener(metrics.requests("web")), app);
/// Http.listen(9090, Routes.of().get("/metrics", metrics.handler()));
/// ```
/// Counting costs a few additions for each request. Any thread.
public final class Metrics {
    private static final String NO_ROUTE = "";

    private final List<MetricSource> sources;
    private final Map<String, Map<String, Traffic>> traffic = new ConcurrentSkipListMap<>();

    private Metrics(List<MetricSource> sources) {
        this.sources = sources;
    }

    /// Metrics of requests, guards and the process, and of these sources.
    public static Metrics of(MetricSource... sources) {
        return new Metrics(List.of(sources));
    }

    /// Counts a server's requests ([io.millrace.http.HttpSettings#listener]), each route separately
    /// ([io.millrace.http.ServedRequest#route]):
    /// `millrace_requests_total{listener="web",route="/rooms/{id}",status="2xx"}`.
    /// Several servers with one name count together, also one after the other.
    ///
    /// @param listener the value of the label `listener`
    public RequestListener requests(String listener) {
        var byRoute = traffic.computeIfAbsent(listener, _ -> withoutRoute(listener));
        return served -> {
            var route = served.route().orElse(NO_ROUTE);
            var known = byRoute.get(route);
            if (known == null) known = byRoute.computeIfAbsent(route, made -> new Traffic(listener, made));
            known.add(served);
        };
    }

    /// So that the metrics exist from the beginning.
    private static Map<String, Traffic> withoutRoute(String listener) {
        var byRoute = new ConcurrentSkipListMap<String, Traffic>();
        byRoute.put(NO_ROUTE, new Traffic(listener, NO_ROUTE));
        return byRoute;
    }

    /// The counts of servers so far, by listener and route.
    public List<Traffic> traffic() {
        return traffic.values().stream()
                .flatMap(byRoute -> byRoute.values().stream())
                .toList();
    }

    /// A handler that answers with all metrics, as OpenMetrics if the request prefers that, otherwise as
    /// Prometheus's text.
    public HttpHandler handler() {
        return request -> {
            var format = AcceptedFormat.of(request);
            return Response.ok(Bytes.utf8(text(format)), format.mediaType()).setHeader("Cache-Control", "no-store");
        };
    }

    /// All metrics, as OpenMetrics.
    public String text() {
        return text(Format.OPEN_METRICS);
    }

    private String text(Format format) {
        var to = new MetricsText(format);
        Traffic.write(traffic(), to);
        for (var source : sources) source.write(to);
        guards(to);
        ProcessSamples.write(to);
        return to.end();
    }

    private static void guards(MetricsText to) {
        HttpGuards.declare();
        to.counter("millrace_guard_acted", "How often a limit has acted.");
        for (var guard : Guards.all()) to.total(guard.count(), "guard", guard.name());
    }
}
