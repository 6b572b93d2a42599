package io.millrace.http.filter;

import io.millrace.http.ServedRequest;
import io.millrace.http.grammar.Grpc;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Counts of a listener's requests, or of one of its routes; counted by any thread.
public final class Traffic {
    /// Index 0 is for requests without a response.
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private final LongAdder[] statuses = new LongAdder[CLASSES.length];
    private final LongAdder cut = new LongAdder();

    /// By status, and the last one for values that are none; null before the first call.
    private final AtomicReferenceArray<@Nullable LongAdder> calls = new AtomicReferenceArray<>(Grpc.MOST_STATUS + 2);

    private final LongAdder requestBytes = new LongAdder();
    private final LongAdder responseBytes = new LongAdder();
    private final Histogram durations = new Histogram();
    private final Histogram firstBytes = new Histogram();

    /// Name, value, …
    private final String[] labels;

    /// @param route the pattern of a route; empty for requests without one
    Traffic(String listener, String route) {
        String[] both = {"listener", listener, "route", route};
        this.labels = route.isEmpty() ? Arrays.copyOf(both, 2) : both;
        for (int i = 0; i < statuses.length; i++) statuses[i] = new LongAdder();
    }

    void add(ServedRequest served) {
        statuses[served.status() / 100].increment();
        if (!served.isComplete()) cut.increment();
        var call = served.grpcStatus();
        if (call.isPresent()) addCall(call.getAsInt());
        requestBytes.add(served.requestBytes());
        responseBytes.add(served.responseBytes());
        // A tunnel's duration says nothing about how fast a server is.
        durations.add(served.isTunnel() ? served.firstByteNanos() : served.nanos());
        if (served.firstByteNanos() > 0) firstBytes.add(served.firstByteNanos());
    }

    private void addCall(int status) {
        int at = Math.min(status, calls.length() - 1);
        var known = calls.get(at);
        if (known == null) {
            calls.compareAndSet(at, null, new LongAdder());
            known = calls.get(at);
        }
        if (known != null) known.increment();
    }

    /// Completed requests, by the class of their status; index 0 is for those without a response.
    public long[] statuses() {
        var counts = new long[statuses.length];
        for (int i = 0; i < counts.length; i++) counts[i] = statuses[i].sum();
        return counts;
    }

    /// Requests without a complete response.
    public long cut() {
        return cut.sum();
    }

    /// From the head of a request to the end of its response; for a tunnel, to its beginning.
    public Histogram durations() {
        return durations;
    }

    private void writeCalls(MetricsText to) {
        for (int i = 0; i < calls.length(); i++) {
            var count = calls.get(i);
            if (count == null) continue;
            var code = i <= Grpc.MOST_STATUS ? Integer.toString(i) : "other";
            to.total(count.sum(), MetricsText.with(labels, "code", code));
        }
    }

    static void write(Collection<Traffic> all, MetricsText to) {
        to.counter("millrace_requests", "Completed requests, by the class of their status.");
        for (var one : all) {
            for (int i = 0; i < CLASSES.length; i++)
                to.total(one.statuses[i].sum(), MetricsText.with(one.labels, "status", CLASSES[i]));
        }
        to.counter("millrace_requests_cut", "Requests without a complete response.");
        for (var one : all) to.total(one.cut.sum(), one.labels);
        to.counter("millrace_grpc_calls", "Calls of gRPC, by the status with which they ended.");
        for (var one : all) one.writeCalls(to);
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
