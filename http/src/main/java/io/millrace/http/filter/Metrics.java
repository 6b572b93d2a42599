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

/// Numbers for Prometheus and its like, as its own text or as OpenMetrics: of requests, of guards, of the process, and
/// of whatever else is a [MetricSource].
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

    /// Those of requests, guards and the process, and of these sources.
    public static Metrics of(MetricSource... sources) {
        return new Metrics(List.of(sources));
    }

    /// Counts the requests of a server ([io.millrace.http.HttpSettings#listener]), those of each route by themselves
    /// ([ServedRequest#route]): `millrace_requests_total{listener="web",route="/rooms/{id}",status="2xx"}`. Several
    /// servers with one name count together, one after the other, too.
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

    /// From the beginning there is something to see.
    private static Map<String, Traffic> withoutRoute(String listener) {
        var byRoute = new ConcurrentSkipListMap<String, Traffic>();
        byRoute.put(NO_ROUTE, new Traffic(listener, NO_ROUTE));
        return byRoute;
    }

    /// What servers have counted so far, by the names of their listeners and by routes.
    public List<Traffic> traffic() {
        return traffic.values().stream()
                .flatMap(byRoute -> byRoute.values().stream())
                .toList();
    }

    /// Answers with all of it, as OpenMetrics if that is what the request likes best, and as the text of
    /// Prometheus otherwise.
    public HttpHandler handler() {
        return request -> {
            var format = AcceptedFormat.of(request);
            return Response.ok(Bytes.utf8(text(format)), format.mediaType()).setHeader("Cache-Control", "no-store");
        };
    }

    /// All of it, as OpenMetrics.
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
