package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.http.Exchanges;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.operation.BackendSamples;
import io.millrace.proxy.operation.OpenMetrics;
import io.millrace.proxy.operation.ProcessSamples;
import io.millrace.proxy.operation.Traffic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/// Numbers for Prometheus and its like, as OpenMetrics text: of requests, upstreams and their backends, event
/// loops, memory, and guards.
///
/// ```java
/// var metrics = Metrics.of().loops(loops).upstreams(() -> List.of(backends));
/// Http.serve(on.loops(loops), Dispatch.loop(), HttpLimits.standard(), metrics.exchanges("web"), backends);
/// Http.serve(9090, Routes.of().get("/metrics", metrics.handler()));
/// ```
/// What they count is there already, but for a few additions for each request, which allocate nothing. Any
/// thread.
public final class Metrics {
    private final Map<String, Traffic> listeners = new ConcurrentSkipListMap<>();
    private final List<EventLoops> groups = new CopyOnWriteArrayList<>();
    private volatile Supplier<? extends Collection<Upstream>> upstreams = List::of;
    private volatile Optional<AccessLog> log = Optional.empty();

    private Metrics() {}

    /// Those of nothing yet but the guards.
    public static Metrics of() {
        return new Metrics();
    }

    /// The loops of a group, too; their names should be of no other group.
    public Metrics loops(EventLoops group) {
        groups.add(group);
        return this;
    }

    /// These upstreams, too, with names of their own; asked for each time, because they may change.
    public Metrics upstreams(Supplier<? extends Collection<Upstream>> which) {
        upstreams = which;
        return this;
    }

    /// A log that may leave out lines.
    public Metrics log(AccessLog which) {
        log = Optional.of(which);
        return this;
    }

    /// Counts the requests of a server. Several with one name count together, one after the other too.
    ///
    /// @param listener what it is called
    public Exchanges exchanges(String listener) {
        return listeners.computeIfAbsent(listener, _ -> new Traffic())::add;
    }

    // For an admin page.

    Collection<Traffic> traffic() {
        return listeners.values();
    }

    List<LoopCounters> loopCounters() {
        var loops = new ArrayList<LoopCounters>();
        for (var group : groups) loops.addAll(group.counters());
        return loops;
    }

    Collection<Upstream> watchedUpstreams() {
        return List.copyOf(upstreams.get());
    }

    // Told as text.

    /// Answers with all of it.
    public HttpHandler handler() {
        return _ -> Response.ok(Bytes.utf8(text()), OpenMetrics.MEDIA_TYPE).header("Cache-Control", "no-store");
    }

    /// All of it.
    public String text() {
        var to = new OpenMetrics();
        Traffic.write(listeners, to);
        BackendSamples.write(
                upstreams.get().stream()
                        .flatMap(upstream -> upstream.backends().stream())
                        .toList(),
                to);
        log.ifPresent(lines -> lines.write(to));
        ProcessSamples.write(loopCounters(), to);
        return to.end();
    }
}
