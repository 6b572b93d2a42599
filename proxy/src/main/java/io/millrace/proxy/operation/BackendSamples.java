package io.millrace.proxy.operation;

import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.Outcome;
import java.util.Collection;
import java.util.Locale;
import java.util.function.ToLongFunction;

/// What upstreams and their backends have counted.
public final class BackendSamples {
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private final Collection<Backends> upstreams;
    private final OpenMetrics to;

    private BackendSamples(Collection<Backends> upstreams, OpenMetrics to) {
        this.upstreams = upstreams;
        this.to = to;
    }

    public static void write(Collection<Backends> upstreams, OpenMetrics to) {
        new BackendSamples(upstreams, to).write();
    }

    private void write() {
        to.counter("millrace_upstream_retries", "Requests that were tried again.");
        for (var upstream : upstreams) to.total(upstream.retries().retries(), "upstream", upstream.toString());
        gauge(
                "millrace_backend_able",
                "Whether it may be chosen: it is well and not ejected.",
                one -> bit(one.isAble()));
        gauge("millrace_backend_well", "Whether checks are content with it.", one -> bit(one.isWell()));
        gauge(
                "millrace_backend_ejected",
                "Whether it gets no requests because they failed.",
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
        counter("millrace_backend_ejections", "How often it was ejected.", Backend::ejections);
        outcomes();
        statuses();
        to.histogram("millrace_backend_seconds", "How long a backend had a request.");
        forEach((upstream, backend) ->
                to.buckets(backend.durations(), "upstream", upstream, "backend", backend.toString()));
    }

    private static long bit(boolean isSet) {
        return isSet ? 1 : 0;
    }

    private void gauge(String name, String help, ToLongFunction<Backend> value) {
        to.gauge(name, help);
        forEach((upstream, backend) ->
                to.value(value.applyAsLong(backend), "upstream", upstream, "backend", backend.toString()));
    }

    private void counter(String name, String help, ToLongFunction<Backend> value) {
        to.counter(name, help);
        forEach((upstream, backend) ->
                to.total(value.applyAsLong(backend), "upstream", upstream, "backend", backend.toString()));
    }

    private void outcomes() {
        to.counter("millrace_backend_requests", "Requests that it got, by what became of them.");
        forEach((upstream, backend) -> {
            for (var outcome : Outcome.values()) {
                var name = outcome.name().toLowerCase(Locale.ROOT);
                to.total(backend.ended(outcome), "upstream", upstream, "backend", backend.toString(), "outcome", name);
            }
        });
    }

    private void statuses() {
        to.counter("millrace_backend_responses", "Requests that it got, by the class of the status.");
        forEach((upstream, backend) -> {
            for (int i = 0; i < CLASSES.length; i++) {
                to.total(
                        backend.answered(i), "upstream", upstream, "backend", backend.toString(), "status", CLASSES[i]);
            }
        });
    }

    @FunctionalInterface
    private interface Visitor {
        void visit(String upstream, Backend backend);
    }

    private void forEach(Visitor visitor) {
        for (var upstream : upstreams) {
            for (var backend : upstream.members()) visitor.visit(upstream.toString(), backend);
        }
    }
}
