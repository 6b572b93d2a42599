package io.millrace.proxy.operation;

import io.millrace.proxy.upstream.Mix;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/// How often each of many may do something. Any thread.
public final class RequestRate {
    private static final int V6 = 16;

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

    /// For the owner of an address. With IPv6 that is the network of 64 bits, of which anybody has all addresses.
    ///
    /// @return 0, or how many nanoseconds it has to wait
    public long take(InetAddress who) {
        var bytes = who.getAddress();
        var first = ByteBuffer.wrap(bytes);
        // A permutation: no two share a bucket.
        return take(Mix.mix(seed ^ (bytes.length == V6 ? first.getLong() : first.getInt() & 0xffffffffL)));
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
