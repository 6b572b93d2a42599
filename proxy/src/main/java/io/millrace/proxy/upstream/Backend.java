package io.millrace.proxy.upstream;

import io.millrace.http.filter.Histogram;
import io.millrace.http.message.Destination;
import io.millrace.http.operation.Mix;
import io.millrace.loop.Wording;
import io.millrace.net.Guard;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.UpstreamLimits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// One server of an upstream, as long as it is on the list or has requests in flight. Any thread.
///
/// ```
///             ┌── UNHEALTHY ◄──────┐ checks (HealthChecks)
///   new ──► HEALTHY ───────────────┘
///             │  ▲ time is over
///             ▼  │
///           EJECTED: several failures in a row      any ──leaves the list──► LEAVING ──last request ends──► gone
/// ```
/// Unhealthy, ejected and disabled are independent: a backend is chosen only if it is none of them. After
/// a choice, call [#began], and if that is true, [#ended] once.
public final class Backend implements Destination {
    private static final String NOT_CHECKED = "not checked";

    private final Backends upstream;
    private final SocketAddress address;
    private final String name;
    private final String authority;

    /// The same in every process.
    final long hash;

    private final CountedPermits requests;
    private final CountedPermits pending;
    private final CountedPermits connections;
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
    private final LongAdder[] statuses = new LongAdder[6];
    private final Histogram durations = new Histogram();

    /// Its entry in the list; written under the upstream's lock.
    private volatile Endpoint endpoint;

    /// Whether it may be chosen: on the list, healthy, not ejected and not disabled. Written under the
    /// upstream's lock, like the next fields.
    private volatile boolean isAble;

    private volatile boolean isListed = true;
    private volatile boolean isHealthy;
    private volatile boolean isChecked;

    /// Since when it is healthy, or unhealthy.
    private long healthySinceNanos;

    private volatile boolean isEjected;

    /// Whether it was disabled by hand.
    private volatile boolean isDisabled;

    /// The result of the last check, as a text.
    private volatile String finding = NOT_CHECKED;

    /// When it has its full weight, if it has ever started slowly.
    private volatile long warmNanos;

    private volatile boolean hasWarmed;
    final Ejection ejection = new Ejection();

    /// Its states, as the log has them.
    final ToldStates told;

    /// Its last requests have failed, and the log says so.
    private final AtomicBoolean isFailing = new AtomicBoolean();

    /// Since when; written by the thread that sets it, and a moment late at most.
    private volatile long failingSinceNanos;

    Backend(Backends upstream, Endpoint endpoint, boolean isHealthy, long nowNanos) {
        this.upstream = upstream;
        this.endpoint = endpoint;
        this.address = endpoint.address();
        this.name = Wording.of(address);
        this.authority = authority(address);
        this.hash = Mix.of(name);
        this.told = upstream.news.states();
        this.isHealthy = isHealthy;
        this.healthySinceNanos = nowNanos;
        var limits = upstream.limits();
        this.requests = permits(ProxyGuards.BACKEND_REQUESTS, limits.requestsPerBackend(), upstream.requests());
        this.pending = permits(ProxyGuards.BACKEND_PENDING, limits.pendingPerBackend(), upstream.pending());
        this.connections =
                permits(ProxyGuards.BACKEND_CONNECTIONS, limits.connectionsPerBackend(), upstream.connections());
        for (var outcome : Outcome.values()) outcomes.put(outcome, new LongAdder());
        for (int i = 0; i < statuses.length; i++) statuses[i] = new LongAdder();
    }

    private CountedPermits permits(Guard guard, int most, CountedPermits whole) {
        return new CountedPermits(guard, this + " of " + upstream, most, whole);
    }

    /// The `Host` field of a request to it, unless the client's is kept: a Unix socket has no name of its
    /// own, and the scope of an IPv6 address means something on this machine only.
    static String authority(SocketAddress address) {
        if (!(address instanceof InetSocketAddress)) return "localhost";
        var text = Wording.of(address);
        return text.indexOf('%') < 0 ? text : text.replaceFirst("%[^]]*", "");
    }

    // Requests.

    /// Counts a request that is about to be sent to it.
    ///
    /// @return false if it has no room any more, or has left the list: choose another one
    public boolean began() {
        return isListed && requests.take();
    }

    /// Counts the end of a request that [#began].
    ///
    /// @param took how long it was in flight, in nanoseconds
    public void ended(Outcome outcome, long took, long nowNanos) {
        ended(outcome, 0, took, nowNanos);
    }

    /// The same, for a request with a response.
    ///
    /// @param status 100 to 599, or 0 without one
    public void ended(Outcome outcome, int status, long took, long nowNanos) {
        try {
            counted(outcome, status, took, nowNanos);
        } finally {
            left();
        }
    }

    /// The same, for a request that became a tunnel: it stays in flight until it has [#left].
    public void counted(Outcome outcome, int status, long took, long nowNanos) {
        statuses[status / 100].increment();
        count(outcome).increment();
        durations.add(took);
        if (outcome.isFailure()) failed(outcome, status, nowNanos);
        else if (outcome == Outcome.SUCCESS) succeeded(nowNanos);
    }

    private void succeeded(long nowNanos) {
        if (failuresInARow.get() > 0) failuresInARow.set(0);
        // One that began before its ejection says nothing.
        if (isFailing.get() && !isEjected) failsNoMore(nowNanos);
        told.catchUp(nowNanos);
    }

    /// No connection could be made to it, for a request that is about to end.
    ///
    /// @param why as a text
    public void unreachable(String why, long nowNanos) {
        if (isListed && !isFailing.get()) upstream.unreachable(this, why, nowNanos);
    }

    /// Counts the end of a tunnel that was [#counted].
    public void left() {
        requests.give();
        if (!isListed) upstream.forgetIfIdle(this);
    }

    private LongAdder count(Outcome outcome) {
        return Objects.requireNonNull(outcomes.get(outcome));
    }

    /// If too many are ejected already, ejection is tried again after as many failures, not after each
    /// one.
    private void failed(Outcome outcome, int status, long nowNanos) {
        int failures = failuresInARow.incrementAndGet();
        if (failures % upstream.health().ejectionFailures() > 0 || !isListed || isEjected) return;
        var last = outcome == Outcome.ERROR_STATUS ? "was answered with status " + status : outcome.text();
        upstream.eject(this, failures + " requests in a row failed, and the last one " + last, nowNanos);
    }

    /// Requests in flight.
    public CountedPermits requests() {
        return requests;
    }

    /// Whether idle connections to it should be kept.
    @Override
    public boolean isGone() {
        return !isListed;
    }

    /// Requests that wait for a connection to it.
    @Override
    public CountedPermits pending() {
        return pending;
    }

    /// Connections to it.
    @Override
    public CountedPermits connections() {
        return connections;
    }

    /// It speaks HTTP/2, and was asked in HTTP/1.1.
    public void wantsHttp2(long nowNanos) {
        if (fails(nowNanos)) upstream.news.wantsHttp2(this, nowNanos);
    }

    // Choosing.

    /// Whether it may get a request that has tried these.
    boolean mayTake(List<Backend> tried) {
        return isAble && requests.hasRoom() && !tried.contains(this);
    }

    /// The share of its weight that it has now, 0 to 1: less than 1 during a slow start.
    double warmth(long nowNanos, long windowNanos) {
        if (!hasWarmed) return 1;
        long left = warmNanos - nowNanos;
        return left <= 0 ? 1 : Math.max(0, 1 - (double) left / windowNanos);
    }

    // Called by the upstream, under its lock.

    /// Takes over other limits.
    void become(UpstreamLimits limits) {
        requests.most(limits.requestsPerBackend());
        pending.most(limits.pendingPerBackend());
        connections.most(limits.connectionsPerBackend());
    }

    void warmUp(long nowNanos, long windowNanos) {
        if (windowNanos == 0) return;
        warmNanos = nowNanos + windowNanos;
        hasWarmed = true;
    }

    void listed(Endpoint now) {
        endpoint = now;
        isListed = true;
    }

    void unlisted() {
        isListed = false;
        isAble = false;
        isDisabled = false;
    }

    /// Takes the result of a check.
    ///
    /// @return how long it was in its former state
    Duration found(boolean isHealthy, String finding, long nowNanos) {
        var before = Duration.ofNanos(nowNanos - healthySinceNanos);
        if (isHealthy != this.isHealthy) healthySinceNanos = nowNanos;
        this.isHealthy = isHealthy;
        this.finding = finding;
        isChecked = true;
        return before;
    }

    /// Ends checks.
    void unchecked() {
        isHealthy = true;
        finding = NOT_CHECKED;
        isChecked = false;
    }

    /// Whether a check has decided.
    boolean isChecked() {
        return isChecked;
    }

    void ejected(boolean now) {
        isEjected = now;
        if (!now) failuresInARow.set(0);
    }

    // Called by the upstream, without its lock.

    /// Notes that its requests fail.
    ///
    /// @return whether that is news
    boolean fails(long nowNanos) {
        if (!isFailing.compareAndSet(false, true)) return false;
        failingSinceNanos = nowNanos;
        return true;
    }

    private void failsNoMore(long nowNanos) {
        var after = Duration.ofNanos(Math.max(0, nowNanos - failingSinceNanos));
        if (isFailing.compareAndSet(true, false)) BackendNews.answersAgain(this, after, nowNanos);
    }

    void disabled(boolean now) {
        isDisabled = now;
    }

    /// Applies a change.
    void decide() {
        isAble = isListed && isHealthy && !isEjected && !isDisabled;
    }

    /// Applies a change while so few backends are available that health is ignored.
    void decideInPanic() {
        isAble = isListed && !isDisabled;
    }

    /// Whether it gets no requests, for any reason.
    boolean isAway(long nowNanos) {
        return !isHealthy || isDisabled || (isEjected && !ejection.isOver(nowNanos));
    }

    // Reading.

    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    /// Whether its checks pass; until the first one ends, the initial state of
    /// [io.millrace.proxy.backend.Health].
    public boolean isHealthy() {
        return isHealthy;
    }

    public boolean isEjected() {
        return isEjected;
    }

    /// Whether it was disabled by hand.
    public boolean isDisabled() {
        return isDisabled;
    }

    /// Whether it may be chosen: it is on the list, healthy, not ejected and not disabled.
    public boolean isAble() {
        return isAble;
    }

    /// Whether it is still on the list.
    public boolean isListed() {
        return isListed;
    }

    /// The result of the last check, as a text.
    public String finding() {
        return finding;
    }

    /// How many requests ended with this outcome.
    public long ended(Outcome outcome) {
        return count(outcome).sum();
    }

    /// How many requests ended.
    public long ended() {
        long all = 0;
        for (var outcome : Outcome.values()) all += ended(outcome);
        return all;
    }

    /// How many requests got a status of this class, 1 to 5; 0 for those without a response.
    public long answered(int statusClass) {
        return statuses[statusClass].sum();
    }

    /// How long the requests that have ended were in flight.
    public Histogram durations() {
        return durations;
    }

    /// When its ejection ends, by the clock of the loops, while it is ejected.
    public long ejectedUntilNanos() {
        return ejection.untilNanos();
    }

    /// The share of its weight that it has now, 0 to 1: less than 1 during a slow start.
    public double warmth(long nowNanos) {
        return warmth(nowNanos, upstream.slowStartNanos());
    }

    /// The reason of its last ejection, as a text.
    public String ejectionCause() {
        return ejection.cause();
    }

    /// How many times it was ejected.
    public long ejections() {
        return ejection.count();
    }

    /// Its `Host` field.
    public String authority() {
        return authority;
    }

    /// The same in every process; a backend equals only itself.
    @Override
    public int hashCode() {
        return (int) hash;
    }

    /// Its address.
    @Override
    public String toString() {
        return name;
    }
}
