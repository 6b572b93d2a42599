package io.millrace.http.operation;

import io.millrace.http.message.AddressOwner;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.LongSupplier;

/// Limits the rate of each of many clients. Any thread.
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

    /// For the owner of an address. All clients without an address share a bucket.
    ///
    /// @return 0, or the nanoseconds to wait
    public long take(SocketAddress who) {
        return take(key(who));
    }

    /// For the sender of a text. A text that was not seen lately also takes a token of the sender's address:
    /// a client gains nothing by sending a new text with each request.
    ///
    /// @return 0, or the nanoseconds to wait
    public long take(String text, SocketAddress sender) {
        long key = secret.longOf(text);
        long wait = buckets.knows(key, sinceStart()) ? 0 : take(sender);
        return wait > 0 ? wait : take(key);
    }

    /// The nanoseconds that the owner of an address would have to wait. Takes nothing.
    long waitNanos(SocketAddress who) {
        return buckets.waitNanos(key(who), sinceStart());
    }

    /// A permutation: no two addresses share a bucket.
    private long key(SocketAddress who) {
        return who instanceof InetSocketAddress at ? Mix.mix(seed ^ AddressOwner.of(at.getAddress())) : seed;
    }

    /// For all clients together.
    ///
    /// @return 0, or the nanoseconds to wait
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
