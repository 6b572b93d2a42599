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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// One server of an upstream, as long as it is on the list or has requests in flight. Any thread.
///
/// ```
///             ┌── UNWELL ◄─────────┐ checks (HealthChecks)
///   new ──► WELL ──────────────────┘
///             │  ▲ time is over
///             ▼  │
///           EJECTED: several failures in a row      any ──leaves the list──► LEAVING ──last request ends──► gone
/// ```
/// Being unhealthy, being ejected and being disabled by hand are independent: it is chosen when it is none of them.
/// Who has chosen it says [#began], and if that is true [#ended], once.
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

    /// What the list says of it; written under the upstream's lock.
    private volatile Endpoint endpoint;

    /// Whether it may be chosen: on the list, healthy, not ejected and not disabled. Written under the
    /// upstream's lock, as all that follow.
    private volatile boolean isAble;

    private volatile boolean isListed = true;
    private volatile boolean isHealthy;
    private volatile boolean isChecked;

    /// Since when it is healthy, or unhealthy.
    private long healthySinceNanos;

    private volatile boolean isEjected;

    /// Whether somebody has put it out of service by hand.
    private volatile boolean isDisabled;

    /// What the last check found, for people.
    private volatile String finding = NOT_CHECKED;

    /// When it has its whole weight, if it has ever started slowly.
    private volatile long warmNanos;

    private volatile boolean hasWarmed;
    final Ejection ejection = new Ejection();

    Backend(Backends upstream, Endpoint endpoint, boolean isHealthy, long nowNanos) {
        this.upstream = upstream;
        this.endpoint = endpoint;
        this.address = endpoint.address();
        this.name = Wording.of(address);
        this.authority = authority(address);
        this.hash = Mix.of(name);
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

    /// What a request to it says in `Host`, if it says who is asked: a Unix socket has no name of its own, and
    /// the scope of an IPv6 address is this machine's business.
    static String authority(SocketAddress address) {
        if (!(address instanceof InetSocketAddress)) return "localhost";
        var text = Wording.of(address);
        return text.indexOf('%') < 0 ? text : text.replaceFirst("%[^]]*", "");
    }

    // Requests.

    /// A request is about to be sent to it.
    ///
    /// @return false when there is no room for one any more, or it has left the list: take another one
    public boolean began() {
        return isListed && requests.take();
    }

    /// A request that [#began] is over.
    ///
    /// @param took how long it was in flight, in nanoseconds
    public void ended(Outcome outcome, long took, long nowNanos) {
        ended(outcome, 0, took, nowNanos);
    }

    /// The same, of one with a response.
    ///
    /// @param status 100 to 599, or 0 without one
    public void ended(Outcome outcome, int status, long took, long nowNanos) {
        counted(outcome, status, took, nowNanos);
        left();
    }

    /// The same, of one that has become a tunnel: it is under way until it has [#left].
    public void counted(Outcome outcome, int status, long took, long nowNanos) {
        statuses[status / 100].increment();
        count(outcome).increment();
        durations.add(took);
        if (outcome.isFailure()) failed(outcome, status, nowNanos);
        else if (outcome == Outcome.SUCCESS && failuresInARow.get() > 0) failuresInARow.set(0);
    }

    /// A tunnel has ended that was [#counted].
    public void left() {
        requests.give();
        if (!isListed) upstream.forgetIfIdle(this);
    }

    private LongAdder count(Outcome outcome) {
        return Objects.requireNonNull(outcomes.get(outcome));
    }

    /// When it may not be ejected, because too many are, that is asked again after as many failures, and not for
    /// each one.
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

    /// Connections that were kept for it would be for nobody.
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

    // Choosing.

    /// Whether a request that has tried these may come.
    boolean mayTake(List<Backend> tried) {
        return isAble && requests.hasRoom() && !tried.contains(this);
    }

    /// What part of its weight it has, 0 to 1: less than all while it starts slowly.
    double warmth(long nowNanos, long windowNanos) {
        if (!hasWarmed) return 1;
        long left = warmNanos - nowNanos;
        return left <= 0 ? 1 : Math.max(0, 1 - (double) left / windowNanos);
    }

    // By the upstream, under its lock.

    /// Other limits of its upstream from now on.
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
    }

    /// A check has found this.
    ///
    /// @return how long it was as it was before
    Duration found(boolean isHealthy, String finding, long nowNanos) {
        var before = Duration.ofNanos(nowNanos - healthySinceNanos);
        if (isHealthy != this.isHealthy) healthySinceNanos = nowNanos;
        this.isHealthy = isHealthy;
        this.finding = finding;
        isChecked = true;
        return before;
    }

    /// Nobody checks it any more.
    void unchecked() {
        isHealthy = true;
        finding = NOT_CHECKED;
        isChecked = false;
    }

    /// Whether a check has made up its mind.
    boolean isChecked() {
        return isChecked;
    }

    void ejected(boolean now) {
        isEjected = now;
        if (!now) failuresInARow.set(0);
    }

    void disabled(boolean now) {
        isDisabled = now;
    }

    /// Something of this has changed.
    void decide() {
        isAble = isListed && isHealthy && !isEjected && !isDisabled;
    }

    /// So few are able that health does not count.
    void decideInPanic() {
        isAble = isListed && !isDisabled;
    }

    /// Whether it gets no requests, for whatever reason.
    boolean isAway(long nowNanos) {
        return !isHealthy || isDisabled || (isEjected && !ejection.isOver(nowNanos));
    }

    // Looking.

    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    /// Whether checks are content with it; until the first one, what [io.millrace.proxy.backend.Health] says.
    public boolean isHealthy() {
        return isHealthy;
    }

    public boolean isEjected() {
        return isEjected;
    }

    /// Whether somebody has put it out of service by hand.
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

    /// What the last check found, in words.
    public String finding() {
        return finding;
    }

    /// How many requests came to this end.
    public long ended(Outcome outcome) {
        return count(outcome).sum();
    }

    /// How many requests came to an end.
    public long ended() {
        long all = 0;
        for (var outcome : Outcome.values()) all += ended(outcome);
        return all;
    }

    /// How many requests got a status of a class, 1 to 5; 0 for those that got none.
    public long answered(int statusClass) {
        return statuses[statusClass].sum();
    }

    /// How long requests that have ended were in flight.
    public Histogram durations() {
        return durations;
    }

    /// When its ejection is over, by the clock of the loops, while it is ejected.
    public long ejectedUntilNanos() {
        return ejection.untilNanos();
    }

    /// What part of its weight it has, 0 to 1: less than all while it starts slowly.
    public double warmth(long nowNanos) {
        return warmth(nowNanos, upstream.slowStartNanos());
    }

    /// Why it was ejected lately, in words.
    public String ejectionCause() {
        return ejection.cause();
    }

    /// How often it was ejected.
    public long ejections() {
        return ejection.count();
    }

    /// What `Host` says of it.
    public String authority() {
        return authority;
    }

    /// The same in every process; it equals nothing but itself.
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
