package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.operation.AcceptedFormat;
import io.millrace.proxy.operation.BackendSamples;
import io.millrace.proxy.operation.Certificates;
import io.millrace.proxy.operation.LoopSamples;
import io.millrace.proxy.operation.MetricsText;
import io.millrace.proxy.operation.MetricsText.Format;
import io.millrace.proxy.operation.ProcessSamples;
import io.millrace.proxy.operation.Reloads;
import io.millrace.proxy.operation.Traffic;
import io.millrace.tls.TlsIdentity;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Numbers for Prometheus and its like, as its own text or as OpenMetrics: of requests, upstreams and their
/// backends, event loops, memory, guards, and of the process.
///
/// ```java
/// var metrics = Metrics.of().loops(loops).upstreams(() -> List.of(backends));
/// Http.listen(on.loops(loops), HttpSettings.standard().listener(metrics.exchanges("web")), backends);
/// Http.listen(9090, Routes.of().get("/metrics", metrics.handler()));
/// ```
/// What they count is there already, but for a few additions for each request, which allocate nothing. Any
/// thread.
public final class Metrics {
    private final Map<String, Traffic> listeners = new ConcurrentSkipListMap<>();
    private final List<EventLoops> groups = new CopyOnWriteArrayList<>();
    private volatile Supplier<? extends Collection<Upstream>> upstreams = List::of;
    private volatile Supplier<? extends Collection<TcpUpstream>> tcpUpstreams = List::of;
    private volatile Supplier<Map<String, List<TlsIdentity>>> identities = Map::of;
    private volatile Optional<LongSupplier> droppedLines = Optional.empty();
    private volatile Optional<Reloads> reloads = Optional.empty();

    private Metrics() {}

    /// Those of nothing yet but the guards and the process.
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

    /// Those of layer 4, too; as [#upstreams].
    public Metrics tcpUpstreams(Supplier<? extends Collection<TcpUpstream>> which) {
        tcpUpstreams = which;
        return this;
    }

    /// Who servers are in TLS, by their names: when their certificates end. Asked each time.
    public Metrics identities(Supplier<Map<String, List<TlsIdentity>>> which) {
        identities = which;
        return this;
    }

    /// How many lines an access log has left out, as [AccessLog#dropped] says.
    public Metrics droppedLines(LongSupplier count) {
        droppedLines = Optional.of(count);
        return this;
    }

    /// A configuration was to be served: whether it is in force now, or could not be used. The time is told
    /// with it.
    public void reloaded(boolean isUsed) {
        Reloads known;
        synchronized (this) {
            known = reloads.orElseGet(() -> new Reloads(InstantSource.system()));
            reloads = Optional.of(known);
        }
        if (isUsed) known.used();
        else known.refused();
    }

    /// Counts the requests of a server. Several with one name count together, one after the other too.
    ///
    /// @param listener what it is called
    public RequestListener exchanges(String listener) {
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

    Collection<TcpUpstream> watchedTcpUpstreams() {
        return List.copyOf(tcpUpstreams.get());
    }

    // Told as text.

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
        Traffic.write(listeners, to);
        BackendSamples.write(
                upstreams.get().stream()
                        .flatMap(upstream -> upstream.backends().stream())
                        .toList(),
                tcpUpstreams.get().stream()
                        .flatMap(upstream -> upstream.backends().stream())
                        .toList(),
                to);
        Certificates.write(identities.get(), to);
        droppedLines.ifPresent(count -> to.counter("millrace_access_log_dropped", "Lines that were not written.")
                .total(count.getAsLong()));
        reloads.ifPresent(known -> known.write(to));
        LoopSamples.write(loopCounters(), to);
        ProcessSamples.write(to);
        return to.end();
    }
}
