package io.millrace.http.operation;

import io.millrace.http.message.AddressOwner;
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
        return take(key(who));
    }

    /// For who sent a text. One that nobody has sent lately takes a token of its sender's address, too: who makes
    /// up a new text for each request gets no more than who sends none.
    ///
    /// @return 0, or how many nanoseconds it has to wait
    public long take(String text, SocketAddress sender) {
        long key = secret.longOf(text);
        long wait = buckets.knows(key, sinceStart()) ? 0 : take(sender);
        return wait > 0 ? wait : take(key);
    }

    /// How many nanoseconds the owner of an address would have to wait. Takes nothing.
    long waitNanos(SocketAddress who) {
        return buckets.waitNanos(key(who), sinceStart());
    }

    /// A permutation: no two addresses share a bucket.
    private long key(SocketAddress who) {
        return who instanceof InetSocketAddress at ? Mix.mix(seed ^ AddressOwner.of(at.getAddress())) : seed;
    }

    /// For all together.
    ///
    /// @return 0, or how many nanoseconds they have to wait
    public long take() {
        return take(seed);
    }

    private long take(long key) {
        return buckets.take(key, sinceStart());
    }

    private long sinceStart() {
        return nanoClock.getAsLong() - startNanos;
    }
}
