package io.millrace.proxy;

import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.MetricsText;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.Outcome;
import io.millrace.proxy.websocket.SocketCounts.PassedBytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// The counters of upstreams and their backends, for [io.millrace.http.filter.Metrics].
///
/// ```java
/// var metrics = Metrics.of(MetricSource.loops(loops), UpstreamMetrics.of(backends));
/// ```
/// Immutable. Any thread.
public final class UpstreamMetrics implements MetricSource {
    private final Supplier<? extends Collection<Upstream>> layer7;
    private final Supplier<? extends Collection<TcpUpstream>> layer4;

    static {
        // Upstreams come with their guards.
        ProxyGuards.declare();
    }

    private UpstreamMetrics(
            Supplier<? extends Collection<Upstream>> layer7, Supplier<? extends Collection<TcpUpstream>> layer4) {
        this.layer7 = layer7;
        this.layer4 = layer4;
    }

    /// The metrics of these upstreams, whose names differ.
    public static UpstreamMetrics of(Upstream... upstreams) {
        var all = List.of(upstreams);
        return of(() -> all, List::of);
    }

    /// The metrics of these upstreams, whose names differ.
    public static UpstreamMetrics of(TcpUpstream... upstreams) {
        var all = List.of(upstreams);
        return of(List::of, () -> all);
    }

    /// The metrics of the upstreams that the supplier has at each request.
    public static UpstreamMetrics of(
            Supplier<? extends Collection<Upstream>> layer7, Supplier<? extends Collection<TcpUpstream>> layer4) {
        return new UpstreamMetrics(layer7, layer4);
    }

    /// Requests that backends of layer 7 have at this moment, open WebSockets included.
    public long requestsInFlight() {
        return upstreams().stream()
                .flatMap(one -> one.backends().stream())
                .mapToLong(one -> one.requests().taken())
                .sum();
    }

    /// WebSockets that are open at this moment.
    public long openWebSockets() {
        return upstreams().stream().mapToLong(one -> one.webSockets().open()).sum();
    }

    @Override
    public void write(MetricsText to) {
        BackendSamples.write(
                upstreams().stream().flatMap(one -> one.backends().stream()).toList(),
                tcpUpstreams().stream().flatMap(one -> one.backends().stream()).toList(),
                to);
        writeSockets(to);
    }

    private void writeSockets(MetricsText to) {
        var all = upstreams();
        to.gauge("millrace_websockets_open", "Open WebSockets.");
        for (var one : all) to.value(one.webSockets().open(), "upstream", one.name());
        to.counter("millrace_websockets", "WebSockets that were opened.");
        for (var one : all) to.total(one.webSockets().total(), "upstream", one.name());
        to.counter(
                "millrace_websockets_closed", "WebSockets that have ended, by who closed them, and with which code.");
        for (var one : all)
            one.webSockets()
                    .forEachClosed((as, count) -> to.total(
                            count, "upstream", one.name(), "by", as.by().word(), "code", as.code()));
        to.counter("millrace_websocket_messages", "Messages of WebSockets, by who sent them.");
        for (var one : all) passed(one, PassedBytes::messages, to);
        to.counter("millrace_websocket_bytes", "Bytes of frames of WebSockets, by who sent them.");
        for (var one : all) passed(one, PassedBytes::bytes, to);
    }

    private static void passed(Upstream one, ToLongFunction<PassedBytes> value, MetricsText to) {
        var sockets = one.webSockets();
        to.total(value.applyAsLong(sockets.fromClients()), "upstream", one.name(), "from", "client");
        to.total(value.applyAsLong(sockets.fromBackends()), "upstream", one.name(), "from", "backend");
    }

    // For the admin page.

    Collection<Upstream> upstreams() {
        return layer7.get();
    }

    Collection<TcpUpstream> tcpUpstreams() {
        return layer4.get();
    }

    /// Writes the counters of upstreams and their backends.
    private static final class BackendSamples {
        private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

        private final List<Layered> upstreams;
        private final MetricsText to;

        /// An upstream with its layer: both layers may have one of the same name.
        private record Layered(String layer, Backends backends) {
            void total(MetricsText to, long value) {
                to.total(value, "layer", layer, "upstream", backends.toString());
            }
        }

        private BackendSamples(List<Layered> upstreams, MetricsText to) {
            this.upstreams = upstreams;
            this.to = to;
        }

        /// Writes the counters of layer 7 and of layer 4, whose requests are connections.
        static void write(Collection<Backends> layer7, Collection<Backends> layer4, MetricsText to) {
            var all = new ArrayList<Layered>();
            for (var upstream : layer7) all.add(new Layered("7", upstream));
            for (var upstream : layer4) all.add(new Layered("4", upstream));
            new BackendSamples(all, to).write();
        }

        private void write() {
            to.counter("millrace_upstream_retries", "Retries of requests.");
            for (var upstream : upstreams)
                upstream.total(to, upstream.backends.retries().retries());
            gauge(
                    "millrace_backend_available",
                    "Whether the backend may be chosen: it is healthy, not ejected and not disabled.",
                    one -> bit(one.isAble()));
            gauge("millrace_backend_healthy", "Whether the backend's checks pass.", one -> bit(one.isHealthy()));
            gauge(
                    "millrace_backend_ejected",
                    "Whether the backend is ejected because its requests failed.",
                    one -> bit(one.isEjected()));
            gauge(
                    "millrace_backend_requests_active",
                    "Requests in flight.",
                    one -> one.requests().taken());
            gauge(
                    "millrace_backend_requests_waiting",
                    "Requests that wait for a connection.",
                    one -> one.pending().taken());
            gauge(
                    "millrace_backend_connections",
                    "Open connections.",
                    one -> one.connections().taken());
            counter("millrace_backend_ejections", "Ejections of the backend.", Backend::ejections);
            outcomes();
            statuses();
            to.histogram("millrace_backend_seconds", "How long a backend had a request, or a layer 4 connection.");
            forEach((backend, labels) -> to.buckets(backend.durations(), labels));
        }

        private static long bit(boolean isSet) {
            return isSet ? 1 : 0;
        }

        private void gauge(String name, String help, ToLongFunction<Backend> value) {
            to.gauge(name, help);
            forEach((backend, labels) -> to.value(value.applyAsLong(backend), labels));
        }

        private void counter(String name, String help, ToLongFunction<Backend> value) {
            to.counter(name, help);
            forEach((backend, labels) -> to.total(value.applyAsLong(backend), labels));
        }

        private void outcomes() {
            to.counter("millrace_backend_requests", "Requests to the backend, by outcome.");
            forEach((backend, labels) -> {
                for (var outcome : Outcome.values()) {
                    var name = outcome.name().toLowerCase(Locale.ROOT);
                    to.total(backend.ended(outcome), MetricsText.with(labels, "outcome", name));
                }
            });
        }

        private void statuses() {
            to.counter("millrace_backend_responses", "Requests to the backend, by status class.");
            forEach((backend, labels) -> {
                for (int i = 0; i < CLASSES.length; i++) {
                    to.total(backend.answered(i), MetricsText.with(labels, "status", CLASSES[i]));
                }
            });
        }

        /// Visits each backend, with the labels of its samples.
        private void forEach(BiConsumer<Backend, String[]> visitor) {
            for (var upstream : upstreams) {
                for (var backend : upstream.backends.members()) {
                    String[] labels = {
                        "layer", upstream.layer, "upstream", upstream.backends.toString(), "backend", backend.toString()
                    };
                    visitor.accept(backend, labels);
                }
            }
        }
    }
}
