package io.millrace.proxy.upstream;

import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.UpstreamLimits;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/// How many requests may be retried: a share of all, and some each second. Any thread.
///
/// Each request adds its share of a retry, each second adds its number, and a retry takes one. The balance
/// decays by a factor of e every ten seconds, so that a quiet day does not pay for a storm: at a steady
/// rate it holds at most ten seconds' worth.
public final class RetryBudget {
    private static final double MEMORY_NANOS = 10e9;

    private final String whose;
    private volatile double perRequest;
    private volatile double perNano;
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong retries = new AtomicLong();

    /// Guards the fields below, and nothing else.
    private final ReentrantLock lock = new ReentrantLock();

    private double left;
    private long countedRequests;
    private long countedNanos;

    RetryBudget(String whose, UpstreamLimits limits, long nowNanos) {
        this.whose = whose;
        this.perRequest = limits.retryPercent() / 100.0;
        this.perNano = limits.retriesPerSecond() / 1e9;
        this.left = perNano * MEMORY_NANOS;
        this.countedNanos = nowNanos;
    }

    /// Takes over other limits.
    void become(UpstreamLimits limits) {
        perRequest = limits.retryPercent() / 100.0;
        perNano = limits.retriesPerSecond() / 1e9;
    }

    /// Counts the first attempt of a request.
    public void asked() {
        requests.incrementAndGet();
    }

    /// Takes a retry, if there is one.
    public boolean take(long nowNanos) {
        if (takeOne(nowNanos)) {
            retries.incrementAndGet();
            return true;
        }
        ProxyGuards.UPSTREAM_RETRIES.acted(
                whose,
                "no retry is left of " + Math.round(perRequest * 100) + " % of the requests and "
                        + Math.round(perNano * 1e9) + " a second");
        return false;
    }

    private boolean takeOne(long nowNanos) {
        lock.lock();
        try {
            fill(nowNanos);
            if (left < 1) return false;
            left--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// What was added since the last time is taken to have come evenly, and to have decayed since.
    private void fill(long nowNanos) {
        long all = requests.get();
        double earned = (all - countedRequests) * perRequest;
        // Clocks of loops are a turn apart.
        double nanos = Math.max(0, nowNanos - countedNanos);
        countedRequests = all;
        if (nanos == 0) {
            left += earned;
            return;
        }
        countedNanos = nowNanos;
        double kept = Math.exp(-nanos / MEMORY_NANOS);
        double rate = earned / nanos + perNano;
        left = left * kept + rate * MEMORY_NANOS * (1 - kept);
    }

    /// How many retries there were.
    public long retries() {
        return retries.get();
    }

    /// How many first attempts there were.
    public long requests() {
        return requests.get();
    }
}
