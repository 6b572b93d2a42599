package io.millrace.proxy;

import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.MetricsText;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.operation.BackendSamples;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/// What upstreams and their backends have counted, for [io.millrace.http.filter.Metrics].
///
/// ```java
/// var metrics = Metrics.of(MetricSource.loops(loops), UpstreamMetrics.of(backends));
/// ```
/// Immutable. Any thread.
public final class UpstreamMetrics implements MetricSource {
    private final Supplier<? extends Collection<Upstream>> layer7;
    private final Supplier<? extends Collection<TcpUpstream>> layer4;

    static {
        // Whoever shows upstreams shows their guards, too.
        ProxyGuards.declare();
    }

    private UpstreamMetrics(
            Supplier<? extends Collection<Upstream>> layer7, Supplier<? extends Collection<TcpUpstream>> layer4) {
        this.layer7 = layer7;
        this.layer4 = layer4;
    }

    /// Those of these, which have names of their own.
    public static UpstreamMetrics of(Upstream... upstreams) {
        var all = List.of(upstreams);
        return of(() -> all, List::of);
    }

    /// Those of these, which have names of their own.
    public static UpstreamMetrics of(TcpUpstream... upstreams) {
        var all = List.of(upstreams);
        return of(List::of, () -> all);
    }

    /// Those that there are whenever somebody asks.
    public static UpstreamMetrics of(
            Supplier<? extends Collection<Upstream>> layer7, Supplier<? extends Collection<TcpUpstream>> layer4) {
        return new UpstreamMetrics(layer7, layer4);
    }

    @Override
    public void write(MetricsText to) {
        BackendSamples.write(
                upstreams().stream().flatMap(one -> one.backends().stream()).toList(),
                tcpUpstreams().stream().flatMap(one -> one.backends().stream()).toList(),
                to);
    }

    // For an admin page.

    Collection<Upstream> upstreams() {
        return layer7.get();
    }

    Collection<TcpUpstream> tcpUpstreams() {
        return layer4.get();
    }
}
