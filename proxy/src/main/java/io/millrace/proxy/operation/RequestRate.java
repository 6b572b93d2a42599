package io.millrace.proxy.operation;

import io.millrace.http.message.AddressOwner;
import io.millrace.proxy.upstream.Mix;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.LongSupplier;

/// How often each of many may do something. Any thread.
public final class RequestRate {
    private final TokenBuckets buckets;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private final SecretHash secret = new SecretHash();
    private final long seed = secret.longOf("addresses");

    public RequestRate(long tokenNanos, int burst, int mostKeys, LongSupplier nanoClock) {
        this.buckets = new TokenBuckets(tokenNanos, burst, mostKeys);
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    /// For the owner of an address. All that have none share a bucket.
    ///
    /// @return 0, or how many nanoseconds it has to wait
    public long take(SocketAddress who) {
        // A permutation: no two share a bucket.
        return who instanceof InetSocketAddress at ? take(Mix.mix(seed ^ AddressOwner.of(at.getAddress()))) : take();
    }

    /// For who sent a text.
    ///
    /// @return 0, or how many nanoseconds it has to wait
    public long take(String who) {
        return take(secret.longOf(who));
    }

    /// For all together.
    ///
    /// @return 0, or how many nanoseconds they have to wait
    public long take() {
        return take(seed);
    }

    private long take(long key) {
        return buckets.take(key, nanoClock.getAsLong() - startNanos);
    }
}
