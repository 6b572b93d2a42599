package io.millrace.proxy.backend;

import io.millrace.net.CheckReturnValue;
import java.util.List;

/// How much goes to an upstream, and to each of its backends, at a time; `docs/limits.md` lists every
/// limit by name. Requests beyond a limit are refused at once, so that a slow backend does not fill the
/// proxy with waiting requests. Immutable: a property is set by its name, which returns a copy, and read
/// by the same name; an invalid value gets an [IllegalArgumentException].
///
/// ```java
/// UpstreamLimits.standard().requestsPerBackend(200).retryPercent(10)
/// ```
@CheckReturnValue
public final class UpstreamLimits {
    private static final UpstreamLimits STANDARD = new UpstreamLimits();

    private int connections = 10_000;
    private int connectionsPerBackend = 1_000;
    private int pending = 1_000;
    private int pendingPerBackend = 100;
    private int requests = 100_000;
    private int requestsPerBackend = 10_000;
    private int retryPercent = 20;
    private int retriesPerSecond = 3;

    private UpstreamLimits() {}

    /// A copy to be changed before anything else sees it.
    private UpstreamLimits(UpstreamLimits other) {
        this.connections = other.connections;
        this.connectionsPerBackend = other.connectionsPerBackend;
        this.pending = other.pending;
        this.pendingPerBackend = other.pendingPerBackend;
        this.requests = other.requests;
        this.requestsPerBackend = other.requestsPerBackend;
        this.retryPercent = other.retryPercent;
        this.retriesPerSecond = other.retriesPerSecond;
    }

    /// 10 000 connections, 1000 of them to one backend; 1000 requests that wait for a connection, 100 of them for
    /// one backend; 100 000 requests in flight, 10 000 of them at one backend; retries of 20 % of the requests
    /// and three a second.
    public static UpstreamLimits standard() {
        return STANDARD;
    }

    /// Connections to all backends together, 1 or more (`upstream.connections`).
    public UpstreamLimits connections(int most) {
        var copy = new UpstreamLimits(this);
        copy.connections = checked("connections", most, 1);
        return copy;
    }

    /// Connections to one backend, 1 or more (`backend.connections`).
    public UpstreamLimits connectionsPerBackend(int most) {
        var copy = new UpstreamLimits(this);
        copy.connectionsPerBackend = checked("connections of a backend", most, 1);
        return copy;
    }

    /// Requests that wait for a connection to any backend, 0 or more (`upstream.pending`).
    public UpstreamLimits pending(int most) {
        var copy = new UpstreamLimits(this);
        copy.pending = checked("requests that wait", most, 0);
        return copy;
    }

    /// Requests that wait for a connection to one backend, 0 or more (`backend.pending`).
    public UpstreamLimits pendingPerBackend(int most) {
        var copy = new UpstreamLimits(this);
        copy.pendingPerBackend = checked("requests that wait for a backend", most, 0);
        return copy;
    }

    /// Requests in flight to all backends together, 1 or more (`upstream.requests`).
    public UpstreamLimits requests(int most) {
        var copy = new UpstreamLimits(this);
        copy.requests = checked("requests in flight", most, 1);
        return copy;
    }

    /// Requests in flight to one backend, 1 or more (`backend.requests`). A backend at this limit is
    /// passed over while others have room.
    public UpstreamLimits requestsPerBackend(int most) {
        var copy = new UpstreamLimits(this);
        copy.requestsPerBackend = checked("requests in flight at a backend", most, 1);
        return copy;
    }

    /// How many requests in a hundred may be retried, 0 to 100 (`upstream.retries`): retrying all of them
    /// would double the load of an upstream that fails under load.
    public UpstreamLimits retryPercent(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("retries of " + percent + " % of the requests: take 0 to 100");
        }
        var copy = new UpstreamLimits(this);
        copy.retryPercent = percent;
        return copy;
    }

    /// How many more retries a second, 0 or more, for upstreams with few requests.
    public UpstreamLimits retriesPerSecond(int count) {
        var copy = new UpstreamLimits(this);
        copy.retriesPerSecond = checked("retries a second", count, 0);
        return copy;
    }

    private List<Object> values() {
        return List.of(
                connections,
                connectionsPerBackend,
                pending,
                pendingPerBackend,
                requests,
                requestsPerBackend,
                retryPercent,
                retriesPerSecond);
    }

    /// Whether all settings are equal.
    @Override
    public boolean equals(Object other) {
        return other instanceof UpstreamLimits it && values().equals(it.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    private static int checked(String what, int value, int least) {
        if (value >= least) return value;
        throw new IllegalArgumentException(value + " " + what + ": take " + least + " or more");
    }

    public int connections() {
        return connections;
    }

    public int connectionsPerBackend() {
        return connectionsPerBackend;
    }

    public int pending() {
        return pending;
    }

    public int pendingPerBackend() {
        return pendingPerBackend;
    }

    public int requests() {
        return requests;
    }

    public int requestsPerBackend() {
        return requestsPerBackend;
    }

    public int retryPercent() {
        return retryPercent;
    }

    public int retriesPerSecond() {
        return retriesPerSecond;
    }
}
