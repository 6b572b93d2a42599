package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.loop.LoopLog;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The current backends of an upstream. Any thread.
///
/// ```java
/// var backend = backends.choose(key, tried, now);       // null: none, and backends.noBackend(tried) has the reason
/// if (!backend.began()) …                               // full a moment ago: add it to tried, choose again
/// backend.ended(Outcome.SUCCESS, took, now);            // exactly once for each began() that was true
/// ```
/// Choosing reads an immutable [Lineup]: it takes no lock, and allocates only when an ejection ends. The
/// list, health and ejections make a new one, under a lock that no user code runs under. Times are by the
/// loops' clock.
public final class Backends implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");
    private static final int MOST = 10_000;

    private final String name;
    final BackendNews news;

    // The configuration; written under the lock.

    private volatile Balance balance;
    private volatile Health health;
    private volatile UpstreamLimits limits;
    private final CountedPermits requests;
    private final CountedPermits pending;
    private final CountedPermits connections;
    private final RetryBudget retries;

    /// The random state: each choice takes a step.
    private final AtomicLong luck;

    private volatile Lineup lineup = Lineup.NOBODY;

    /// One change of the list at a time.
    private final ReentrantLock updating = new ReentrantLock();

    /// Guards the fields below, and those of backends that are written under it.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<SocketAddress, Backend> listed = new LinkedHashMap<>();
    private final Map<SocketAddress, Backend> leaving = new LinkedHashMap<>();
    private List<Members> groups = List.of();
    private boolean hasList;

    /// Whether so few are available that all are used except disabled ones.
    private volatile boolean isPanic;

    /// Backends whose ejection has ended.
    private final List<Backend> back = new ArrayList<>();

    /// Written under the lock, read by any thread.
    private volatile List<Backend> members = List.of();

    /// Set once, before the list is followed.
    private volatile Runnable onList = () -> {};

    /// The same, for the owner of connections to backends that have left the list.
    private volatile Runnable onLeave = () -> {};

    private volatile @Nullable AutoCloseable watch;

    /// The number of sources so far: a former one may still call its listener.
    private final AtomicInteger followed = new AtomicInteger();

    /// Open until the list is known.
    private final CountDownLatch unlisted = new CountDownLatch(1);

    /// An upstream without a list yet.
    ///
    /// @param name of the upstream, for logs and guards
    /// @param seed of its random choices
    public Backends(String name, Balance balance, Health health, UpstreamLimits limits, long seed, long nowNanos) {
        this.name = name;
        this.news = new BackendNews(name);
        this.balance = balance;
        this.health = health;
        this.limits = limits;
        this.luck = new AtomicLong(seed);
        this.requests = new CountedPermits(ProxyGuards.UPSTREAM_REQUESTS, name, limits.requests(), null);
        this.pending = new CountedPermits(ProxyGuards.UPSTREAM_PENDING, name, limits.pending(), null);
        this.connections = new CountedPermits(ProxyGuards.UPSTREAM_CONNECTIONS, name, limits.connections(), null);
        this.retries = new RetryBudget(name, limits, nowNanos);
    }

    // Choosing.

    /// Chooses a backend that is available, has room and was not tried.
    ///
    /// @param key   the key for [Balance#HASH]; any number otherwise
    /// @param tried those that this request has been sent to already
    /// @return null if there is none; if that is for lack of room, a guard has acted
    public @Nullable Backend choose(long key, List<Backend> tried, long nowNanos) {
        var current = lineup;
        if (current.isOver(nowNanos)) current = renewed(nowNanos);
        long random = Mix.mix(luck.getAndAdd(Mix.STEP));
        var chosen = current.choose(key, random, tried, nowNanos);
        if (chosen == null && noBackend(tried) == NoBackend.ALL_BUSY) refused();
        return chosen;
    }

    /// Whether a backend that a request names is available, has room and was not tried.
    public boolean mayTake(Backend named, List<Backend> tried, long nowNanos) {
        if (lineup.isOver(nowNanos)) {
            var _ = renewed(nowNanos);
        }
        return named.mayTake(tried);
    }

    private void refused() {
        if (requests.hasRoom()) ProxyGuards.BACKEND_REQUESTS.acted(name, "no backend has room for another request");
        else ProxyGuards.UPSTREAM_REQUESTS.acted(name, "all " + requests.most() + " are taken");
    }

    /// Whether a backend other than these could take a request.
    public boolean hasRoom(List<Backend> tried) {
        for (var backend : members) if (backend.mayTake(tried)) return true;
        return false;
    }

    /// Why there is no backend for a request that has tried these.
    public NoBackend noBackend(List<Backend> tried) {
        var all = members;
        if (all.isEmpty()) return NoBackend.NONE_LISTED;
        var reason = NoBackend.NONE_HEALTHY;
        for (var backend : all) {
            if (!backend.isAble()) continue;
            if (!tried.contains(backend)) return NoBackend.ALL_BUSY;
            reason = NoBackend.ALL_TRIED;
        }
        return reason;
    }

    /// Ends ejections that are over. If another thread changes the lineup at this moment, the old one is
    /// used once more.
    private Lineup renewed(long nowNanos) {
        if (!lock.tryLock()) return lineup;
        try {
            line(nowNanos);
            return lineup;
        } finally {
            unlock(nowNanos);
        }
    }

    // The list.

    /// Follows a source until this is closed, or another one is followed. The list of the former source
    /// stays in use until the new one has a list.
    ///
    /// @param clock the loops' clock
    public void follow(EndpointSource source, LongSupplier clock) {
        close();
        int number = nextFollowed();
        watch = source.watch(endpoints -> update(number, endpoints, clock.getAsLong()));
    }

    /// Waits for a former source that is about to bring its list.
    private int nextFollowed() {
        updating.lock();
        try {
            return followed.incrementAndGet();
        } finally {
            updating.unlock();
        }
    }

    /// Sets a task to call after each change of the list, on the thread that changed it. Call this before
    /// there is a list.
    void onList(Runnable task) {
        onList = task;
    }

    /// Sets a task to call after each change that removed a backend, on the thread that changed the list.
    public void onLeave(Runnable task) {
        onLeave = task;
    }

    /// Takes a new list. Backends that were on the old one, by address, keep requests, counters and
    /// health. New ones begin with a slow start, unless the list is the first one. Missing ones get no
    /// more requests.
    public void update(List<Endpoint> endpoints, long nowNanos) {
        update(followed.get(), endpoints, nowNanos);
    }

    /// @param number of the source that brings the list: a former one is too late
    private void update(int number, List<Endpoint> endpoints, long nowNanos) {
        List<Backend> before;
        updating.lock();
        try {
            if (number != followed.get()) return;
            before = members;
            regroup(enlist(bounded(endpoints), nowNanos), nowNanos);
            if (hasList()) news.listed(before, members);
        } finally {
            updating.unlock();
        }
        tellPanic(nowNanos);
        onList.run();
        if (before.stream().anyMatch(Backend::isGone)) onLeave.run();
        unlisted.countDown();
    }

    private void regroup(List<Backend> all, long nowNanos) {
        // Takes milliseconds with hash keys, so it is outside the lock.
        var grouped = Members.of(all, balance, groups);
        lock.lock();
        try {
            groups = grouped;
            members = List.copyOf(all);
            line(nowNanos);
        } finally {
            unlock(nowNanos);
        }
    }

    /// Waits until the list is known.
    ///
    /// @return false if it is not known after this time
    public boolean awaitList(Duration most) throws InterruptedException {
        return unlisted.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Whether the list is known.
    public boolean hasList() {
        return unlisted.getCount() == 0;
    }

    private List<Endpoint> bounded(List<Endpoint> endpoints) {
        if (endpoints.size() <= MOST) return endpoints;
        news.tooMany(endpoints.size(), MOST);
        return endpoints.subList(0, MOST);
    }

    /// Takes over another balance, other health settings and limits. Backends keep their requests,
    /// counters, health and ejections; disabled ones stay disabled.
    public void become(Balance nextBalance, Health nextHealth, UpstreamLimits nextLimits, long nowNanos) {
        updating.lock();
        try {
            change(nextBalance, nextHealth, nextLimits);
            // Each balance has its own groups.
            regroup(members, nowNanos);
        } finally {
            updating.unlock();
        }
        tellPanic(nowNanos);
    }

    private void change(Balance nextBalance, Health nextHealth, UpstreamLimits nextLimits) {
        lock.lock();
        try {
            boolean isCheckedNoMore = nextHealth.check() == Health.Check.NONE && health.check() != Health.Check.NONE;
            balance = nextBalance;
            health = nextHealth;
            limits = nextLimits;
            requests.most(limits.requests());
            pending.most(limits.pending());
            connections.most(limits.connections());
            retries.become(limits);
            // One that has left the list may come back while its requests run.
            Stream.concat(listed.values().stream(), leaving.values().stream()).forEach(backend -> {
                backend.become(limits);
                if (isCheckedNoMore) backend.unchecked();
            });
        } finally {
            lock.unlock();
        }
    }

    private List<Backend> enlist(List<Endpoint> endpoints, long nowNanos) {
        lock.lock();
        try {
            var before = new LinkedHashMap<>(listed);
            listed.clear();
            for (var endpoint : endpoints) {
                var known = before.remove(endpoint.address());
                if (known == null) known = leaving.remove(endpoint.address());
                // Of two with the same address, the first one is used.
                if (listed.containsKey(endpoint.address())) continue;
                listed.put(endpoint.address(), known == null ? made(endpoint, nowNanos) : known);
                if (known != null) known.listed(endpoint);
            }
            for (var gone : before.values()) {
                gone.unlisted();
                if (gone.requests().taken() > 0) leaving.put(gone.address(), gone);
            }
            hasList = true;
            return List.copyOf(listed.values());
        } finally {
            lock.unlock();
        }
    }

    private Backend made(Endpoint endpoint, long nowNanos) {
        boolean isHealthy = health.check() == Health.Check.NONE || health.initiallyHealthy();
        var backend = new Backend(this, endpoint, isHealthy, nowNanos);
        if (hasList) backend.warmUp(nowNanos, slowStartNanos());
        return backend;
    }

    void forgetIfIdle(Backend backend) {
        lock.lock();
        try {
            if (!backend.isListed() && backend.requests().taken() == 0) leaving.remove(backend.address(), backend);
        } finally {
            lock.unlock();
        }
    }

    /// Makes a new lineup; under the lock.
    private void line(long nowNanos) {
        boolean endsSometime = false;
        long endNanos = 0;
        int able = 0;
        int enabled = 0;
        for (var backend : listed.values()) {
            if (backend.isEjected() && backend.ejection.isOver(nowNanos)) {
                backend.ejected(false);
                backend.warmUp(nowNanos, slowStartNanos());
                back.add(backend);
            }
            backend.decide();
            if (backend.isAble()) able++;
            if (!backend.isDisabled()) enabled++;
            if (!backend.isEjected()) continue;
            long untilNanos = backend.ejection.untilNanos();
            if (!endsSometime || untilNanos - endNanos < 0) endNanos = untilNanos;
            endsSometime = true;
        }
        isPanic = able * 100L < (long) health.panicThresholdPercent() * enabled;
        if (isPanic) listed.values().forEach(Backend::decideInPanic);
        lineup = Lineup.of(groups, balance, endsSometime, endNanos, Mix.mix(luck.getAndAdd(Mix.STEP)));
    }

    /// Unlocks, then logs the backends that are back.
    private void unlock(long nowNanos) {
        var all = back.isEmpty() ? List.<Backend>of() : List.copyOf(back);
        back.clear();
        lock.unlock();
        for (var backend : all) BackendNews.ejectionIsOver(backend, nowNanos);
    }

    // Health.

    /// A check has decided. Nothing counts that comes when checks have ended: nobody would take it back.
    void found(Backend backend, boolean isHealthy, String finding, long nowNanos) {
        boolean hasChanged;
        Duration before;
        lock.lock();
        try {
            if (health.check() == Health.Check.NONE) return;
            hasChanged = backend.isHealthy() != isHealthy;
            before = backend.found(isHealthy, finding, nowNanos);
            if (hasChanged && isHealthy) backend.warmUp(nowNanos, slowStartNanos());
            if (hasChanged) line(nowNanos);
        } finally {
            unlock(nowNanos);
        }
        if (!hasChanged) {
            backend.told.catchUp(nowNanos);
            return;
        }
        BackendNews.checked(backend, isHealthy, before, finding, nowNanos);
        tellPanic(nowNanos);
    }

    private void tellPanic(long nowNanos) {
        news.panics(isPanic, health, nowNanos);
    }

    /// No connection could be made to a backend. Where checks look after it, they tell that.
    void unreachable(Backend backend, String why, long nowNanos) {
        if (health.check() == Health.Check.NONE && backend.fails(nowNanos))
            BackendNews.unreachable(backend, why, nowNanos);
    }

    /// Ejects a backend whose requests failed, unless too many are out already.
    ///
    /// @param why as a text
    void eject(Backend backend, String why, long nowNanos) {
        boolean isRefused;
        int away = 1;
        var time = Duration.ZERO;
        lock.lock();
        try {
            if (backend.isEjected() || !backend.isListed()) return;
            for (var other : listed.values()) if (!other.equals(backend) && other.isAway(nowNanos)) away++;
            isRefused = away * 100L > (long) health.maxEjectedPercent() * listed.size();
            if (!isRefused) {
                time = backend.ejection.begin(health, why, nowNanos);
                backend.ejected(true);
                var _ = backend.fails(nowNanos);
                // This also ends ejections that are over, so that no more are out than were counted.
                line(nowNanos);
            }
        } finally {
            unlock(nowNanos);
        }
        if (isRefused) {
            boolean isNews = backend.fails(nowNanos);
            news.notEjected(backend, members.size(), health.maxEjectedPercent(), why, isNews, nowNanos);
        } else BackendNews.ejected(backend, time, why, nowNanos);
        tellPanic(nowNanos);
    }

    /// Disables or enables a backend: a disabled one gets no more requests, and keeps those it has. A
    /// backend that leaves the list is enabled again.
    ///
    /// @return false if no backend on the list has this name
    public boolean setDisabled(String backend, boolean isDisabled, long nowNanos) {
        lock.lock();
        try {
            for (var one : listed.values()) {
                if (!one.toString().equals(backend)) continue;
                boolean isBack = one.isDisabled() && !isDisabled;
                one.disabled(isDisabled);
                if (isBack) one.warmUp(nowNanos, slowStartNanos());
                line(nowNanos);
                return true;
            }
            return false;
        } finally {
            unlock(nowNanos);
        }
    }

    // Reading.

    /// The backends on the list, in its order.
    public List<Backend> members() {
        return members;
    }

    /// The backends that have left the list and still have requests in flight.
    public List<Backend> leaving() {
        lock.lock();
        try {
            return new ArrayList<>(leaving.values());
        } finally {
            lock.unlock();
        }
    }

    /// Requests in flight at all backends.
    public CountedPermits requests() {
        return requests;
    }

    /// Requests that wait for a connection.
    public CountedPermits pending() {
        return pending;
    }

    /// Connections to all backends.
    public CountedPermits connections() {
        return connections;
    }

    public RetryBudget retries() {
        return retries;
    }

    public Health health() {
        return health;
    }

    UpstreamLimits limits() {
        return limits;
    }

    long slowStartNanos() {
        return balance.slowStart().toNanos();
    }

    /// Stops following the source.
    @Override
    public void close() {
        var ended = watch;
        watch = null;
        if (ended == null) return;
        try {
            ended.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, name + ": the source of endpoints did not close", e);
        }
    }

    /// The name.
    @Override
    public String toString() {
        return name;
    }
}
