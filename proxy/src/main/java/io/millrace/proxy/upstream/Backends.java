package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The living set of backends of an upstream. Any thread.
///
/// ```java
/// var backend = backends.choose(key, tried, now);       // null: nobody, and backends.noBackend(tried) says why
/// if (!backend.began()) …                               // full a moment ago: add it to tried, choose again
/// backend.ended(Outcome.SUCCESS, took, now);            // exactly once for each began() that was true
/// ```
/// Choosing reads a [Lineup], which nobody changes: it locks nothing, and allocates nothing but when an ejection
/// has come to its end. The list, health and ejections make a new one, under a lock that no code of users runs
/// under. The times that are passed in are those of the loops' clock.
public final class Backends implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");
    private static final int MOST = 10_000;

    private final String name;

    // What a configuration says of it; written under the lock.

    private volatile Balance balance;
    private volatile Health health;
    private volatile UpstreamLimits limits;
    private final CountedPermits requests;
    private final CountedPermits pending;
    private final CountedPermits connections;
    private final RetryBudget retries;

    /// Luck: each choice takes a step.
    private final AtomicLong luck;

    private volatile Lineup lineup = Lineup.NOBODY;

    /// One change of the list at a time.
    private final ReentrantLock updating = new ReentrantLock();

    /// Of all that follows, and of what backends say is written under it.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<SocketAddress, Backend> listed = new LinkedHashMap<>();
    private final Map<SocketAddress, Backend> leaving = new LinkedHashMap<>();
    private List<Members> groups = List.of();
    private boolean hasList;

    /// So few may be chosen that all are, but for those that are disabled.
    private volatile boolean isPanic;

    /// What the log says of that.
    private final AtomicBoolean isPanicTold = new AtomicBoolean();
    /// Those whose ejection was found to be over.
    private final List<Backend> back = new ArrayList<>();

    /// Written under the lock, read by any thread.
    private volatile List<Backend> members = List.of();

    /// Set once, before the list is followed.
    private volatile Runnable onList = () -> {};

    /// As the other; for who has connections to those that were on the list.
    private volatile Runnable onLeave = () -> {};

    private volatile @Nullable AutoCloseable watch;

    /// Sources so far: one that was followed before may still have something to say.
    private final AtomicInteger followed = new AtomicInteger();

    /// Until the list is known.
    private final CountDownLatch unlisted = new CountDownLatch(1);

    /// An upstream without a list yet.
    ///
    /// @param name of the upstream, for logs and guards
    /// @param seed of its luck
    public Backends(String name, Balance balance, Health health, UpstreamLimits limits, long seed, long nowNanos) {
        this.name = name;
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

    /// Chooses a backend that is able to serve, has room and was not tried.
    ///
    /// @param key   what [Balance#HASH] goes by; any number otherwise
    /// @param tried those that this request has been sent to already
    /// @return null when there is nobody, for which a guard has acted if it is for want of room
    public @Nullable Backend choose(long key, List<Backend> tried, long nowNanos) {
        var current = lineup;
        if (current.isOver(nowNanos)) current = renewed(nowNanos);
        long random = Mix.mix(luck.getAndAdd(Mix.STEP));
        var chosen = current.choose(key, random, tried, nowNanos);
        if (chosen == null && noBackend(tried) == NoBackend.ALL_BUSY) refused();
        return chosen;
    }

    private void refused() {
        if (requests.hasRoom()) ProxyGuards.BACKEND_REQUESTS.acted(name, "no backend has room for another request");
        else ProxyGuards.UPSTREAM_REQUESTS.acted(name, "all " + requests.most() + " are taken");
    }

    /// Why there is nobody for a request that has tried these.
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

    /// Somebody's ejection is over. When others change the lineup at this moment, the old one does once more.
    private Lineup renewed(long nowNanos) {
        if (!lock.tryLock()) return lineup;
        try {
            line(nowNanos);
            return lineup;
        } finally {
            unlock();
        }
    }

    // The list.

    /// Follows a source until this is closed, or another one is followed; until then the list of the one
    /// before stands.
    ///
    /// @param clock that of the loops
    public void follow(EndpointSource source, LongSupplier clock) {
        close();
        int number = followed.incrementAndGet();
        watch = source.watch(endpoints -> {
            if (number == followed.get()) update(endpoints, clock.getAsLong());
        });
    }

    /// Calls a task after each change of the list, on the thread that has changed it. Before there is one.
    void onList(Runnable task) {
        onList = task;
    }

    /// Calls a task after each change of the list that left somebody out, on the thread that has changed it.
    public void onLeave(Runnable task) {
        onLeave = task;
    }

    /// This is the list now. Who was on it before, by address, keeps requests, counters and health; who is new
    /// starts slowly, unless the list is the first one; who is missing gets no more requests.
    public void update(List<Endpoint> endpoints, long nowNanos) {
        var before = members;
        updating.lock();
        try {
            regroup(enlist(bounded(endpoints), nowNanos), nowNanos);
        } finally {
            updating.unlock();
        }
        tellPanic();
        onList.run();
        if (before.stream().anyMatch(Backend::isGone)) onLeave.run();
        unlisted.countDown();
    }

    private void regroup(List<Backend> all, long nowNanos) {
        // Takes milliseconds for keys, so not under the lock.
        var grouped = Members.of(all, balance, groups);
        lock.lock();
        try {
            groups = grouped;
            members = List.copyOf(all);
            line(nowNanos);
        } finally {
            unlock();
        }
    }

    /// Waits until the list is known.
    ///
    /// @return false when it is not, so long after
    public boolean awaitList(Duration most) throws InterruptedException {
        return unlisted.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Whether the list is known.
    public boolean hasList() {
        return unlisted.getCount() == 0;
    }

    private List<Endpoint> bounded(List<Endpoint> endpoints) {
        if (endpoints.size() <= MOST) return endpoints;
        LOG.log(Level.WARNING, "{0}: {1} backends, of which the first {2} are used", name, endpoints.size(), MOST);
        return endpoints.subList(0, MOST);
    }

    /// Another balance, other health and limits from now on. Backends keep their requests, counters, health and
    /// ejections, and those that were disabled stay so.
    public void become(Balance nextBalance, Health nextHealth, UpstreamLimits nextLimits, long nowNanos) {
        updating.lock();
        try {
            change(nextBalance, nextHealth, nextLimits);
            // A balance has groups of its own.
            regroup(members, nowNanos);
        } finally {
            updating.unlock();
        }
        tellPanic();
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
            for (var backend : listed.values()) {
                backend.become(limits);
                if (isCheckedNoMore) backend.unchecked();
            }
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
                // Of two with the same address the first counts.
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

    /// A new lineup; under the lock.
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

    /// Unlocks, and then tells who is back.
    private void unlock() {
        var all = back.isEmpty() ? List.<Backend>of() : List.copyOf(back);
        back.clear();
        lock.unlock();
        for (var backend : all) LOG.log(Level.INFO, "{0}: {1} is back: its ejection is over", name, backend);
    }

    // Health.

    /// A check has made up its mind.
    void found(Backend backend, boolean isHealthy, String finding, long nowNanos) {
        boolean hasChanged;
        Duration before;
        lock.lock();
        try {
            hasChanged = backend.isHealthy() != isHealthy;
            before = backend.found(isHealthy, finding, nowNanos);
            if (hasChanged && isHealthy) backend.warmUp(nowNanos, slowStartNanos());
            if (hasChanged) line(nowNanos);
        } finally {
            unlock();
        }
        if (!hasChanged) return;
        if (isHealthy)
            LOG.log(Level.INFO, "{0}: {1} is healthy after {2}: {3}", name, backend, Wording.of(before), finding);
        else LOG.log(Level.WARNING, "{0}: {1} is unhealthy, and gets no requests: {2}", name, backend, finding);
        tellPanic();
    }

    private void tellPanic() {
        boolean isNow = isPanic;
        if (isPanicTold.getAndSet(isNow) == isNow) return;
        if (isNow)
            ProxyGuards.UPSTREAM_PANIC.acted(
                    name,
                    "less than " + health.panicThresholdPercent()
                            + " % of its backends are left: all are asked, but for those" + " that are disabled");
        else LOG.log(Level.INFO, "{0}: enough backends are left: health counts again", name);
    }

    /// The requests of a backend have failed so often that it gets none for a while, unless too many are away.
    ///
    /// @param why in words
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
                // Those that are over come back with this, so that there are never more away than were counted.
                line(nowNanos);
            }
        } finally {
            unlock();
        }
        if (isRefused) refusedToEject(backend, why);
        else LOG.log(Level.WARNING, "{0}: {1} is ejected for {2}: {3}", name, backend, Wording.of(time), why);
        tellPanic();
    }

    /// Puts a backend out of service, or back: it gets no more requests, and those it has go on. That it was put
    /// out is forgotten when it has left the list.
    ///
    /// @return false when no backend on the list is called so
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
            unlock();
        }
    }

    private void refusedToEject(Backend backend, String why) {
        if (health.maxEjectedPercent() == 0) return;
        ProxyGuards.UPSTREAM_EJECTED.acted(
                name,
                backend + " goes on, because of " + members.size() + " backends at most " + health.maxEjectedPercent()
                        + " % are ejected: " + why);
    }

    // Looking.

    /// The backends on the list, in its order.
    public List<Backend> members() {
        return members;
    }

    /// The backends that have left the list and have requests in flight.
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

    /// Follows the source no more.
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
