package io.millrace.http.filter;

import io.millrace.http.ServedRequest;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/// What a listener has served, by one of its routes where there are routes; counted by any thread.
public final class Traffic {
    /// Index 0 is for requests that got no response.
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private final LongAdder[] statuses = new LongAdder[CLASSES.length];
    private final LongAdder cut = new LongAdder();
    private final LongAdder requestBytes = new LongAdder();
    private final LongAdder responseBytes = new LongAdder();
    private final Histogram durations = new Histogram();
    private final Histogram firstBytes = new Histogram();

    /// Name, value, …
    private final String[] labels;

    /// @param route the pattern of a route; empty for what has none
    Traffic(String listener, String route) {
        String[] both = {"listener", listener, "route", route};
        this.labels = route.isEmpty() ? Arrays.copyOf(both, 2) : both;
        for (int i = 0; i < statuses.length; i++) statuses[i] = new LongAdder();
    }

    void add(ServedRequest served) {
        statuses[served.status() / 100].increment();
        if (!served.isComplete()) cut.increment();
        requestBytes.add(served.requestBytes());
        responseBytes.add(served.responseBytes());
        // How long a tunnel lasts says nothing about how quick anybody is.
        durations.add(served.isTunnel() ? served.firstByteNanos() : served.nanos());
        if (served.firstByteNanos() > 0) firstBytes.add(served.firstByteNanos());
    }

    /// Requests that are over, by the class of their status; index 0 is for those that got no response.
    public long[] statuses() {
        var counts = new long[statuses.length];
        for (int i = 0; i < counts.length; i++) counts[i] = statuses[i].sum();
        return counts;
    }

    /// Requests that did not get a whole response.
    public long cut() {
        return cut.sum();
    }

    /// From the head of a request to the end of its response; of one that became a tunnel to its beginning.
    public Histogram durations() {
        return durations;
    }

    static void write(Collection<Traffic> all, MetricsText to) {
        to.counter("millrace_requests", "Requests that are over, by the class of their status.");
        for (var one : all) {
            for (int i = 0; i < CLASSES.length; i++)
                to.total(one.statuses[i].sum(), MetricsText.with(one.labels, "status", CLASSES[i]));
        }
        to.counter("millrace_requests_cut", "Requests that did not get a whole response.");
        for (var one : all) to.total(one.cut.sum(), one.labels);
        to.counter("millrace_request_body_bytes", "Bytes of bodies of requests.");
        for (var one : all) to.total(one.requestBytes.sum(), one.labels);
        to.counter("millrace_response_body_bytes", "Bytes of bodies of responses.");
        for (var one : all) to.total(one.responseBytes.sum(), one.labels);
        to.histogram("millrace_request_seconds", "From the head of a request to the end of its response.");
        for (var one : all) to.buckets(one.durations, one.labels);
        to.histogram("millrace_first_byte_seconds", "From the head of a request to the beginning of its response.");
        for (var one : all) to.buckets(one.firstBytes, one.labels);
    }
}
