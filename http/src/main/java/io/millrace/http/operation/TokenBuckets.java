package io.millrace.http.operation;

import io.millrace.http.grammar.HttpGuards;
import java.util.Arrays;

/// A token bucket for each of many keys, in memory that does not grow. Any thread; nothing is allocated.
///
/// A bucket is one number: the time when it will be full again. A request takes a token by moving this time
/// further into the future; if it is too far away already, the bucket is empty. So a full bucket is as good
/// as none, and the slot of a key that was not used for a while can be reused.
///
/// ```
///   key ── mix ──► set of 8 slots  │ key, full again │ key, full again │ … │
///                                    a new key gets the slot with the fullest bucket
/// ```
final class TokenBuckets {
    private static final int PLACES = 8;
    private static final int LOCKS = 64;
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    private final long tokenNanos;
    private final long burstNanos;
    private final int sets;

    // Guarded by the lock of their set.

    private final long[] keys;
    private final long[] fullNanos;

    private final Object[] locks = new Object[LOCKS];

    /// @param tokenNanos time per token
    /// @param burst tokens of a full bucket
    /// @param mostKeys rounded up to a multiple of 8
    TokenBuckets(long tokenNanos, int burst, int mostKeys) {
        this.tokenNanos = Math.min(tokenNanos, FOR_EVER);
        boolean isTooMuch = burst > 1 && this.tokenNanos > FOR_EVER / (burst - 1);
        this.burstNanos = isTooMuch ? FOR_EVER : this.tokenNanos * (burst - 1);
        this.sets = (mostKeys + PLACES - 1) / PLACES;
        this.keys = new long[sets * PLACES];
        this.fullNanos = new long[sets * PLACES];
        Arrays.setAll(locks, _ -> new Object());
    }

    /// Takes a token.
    ///
    /// @param key a hash in which all bits depend on the whole input
    /// @param nowNanos 0 or more, and never decreasing
    /// @return 0, or the nanoseconds until there is one
    long take(long key, long nowNanos) {
        int set = set(key);
        synchronized (locks[set % LOCKS]) {
            int place = place(set * PLACES, key, nowNanos);
            long full = Math.max(fullNanos[place], nowNanos);
            long wait = full - nowNanos - burstNanos;
            if (wait > 0) return wait;
            fullNanos[place] = full + tokenNanos;
            return 0;
        }
    }

    /// As [#take], but takes nothing.
    long waitNanos(long key, long nowNanos) {
        int set = set(key);
        synchronized (locks[set % LOCKS]) {
            int place = placeOf(set * PLACES, key);
            return place < 0 ? 0 : Math.max(0, fullNanos[place] - nowNanos - burstNanos);
        }
    }

    /// Whether this key has taken a token lately: its bucket is not full.
    boolean knows(long key, long nowNanos) {
        int set = set(key);
        synchronized (locks[set % LOCKS]) {
            int place = placeOf(set * PLACES, key);
            return place >= 0 && fullNanos[place] > nowNanos;
        }
    }

    private int set(long key) {
        return (int) Long.remainderUnsigned(key, sets);
    }

    private int placeOf(int from, long key) {
        for (int place = from; place < from + PLACES; place++) if (keys[place] == key) return place;
        return -1;
    }

    private int place(int from, long key, long nowNanos) {
        int known = placeOf(from, key);
        if (known >= 0) return known;
        int fullest = from;
        for (int place = from; place < from + PLACES; place++) {
            if (fullNanos[place] < fullNanos[fullest]) fullest = place;
        }
        if (fullNanos[fullest] > nowNanos) {
            HttpGuards.RATE_LIMIT_KEYS.acted(
                    "a rate limit", "a key was forgotten: more than " + keys.length + " are in use (RateLimit.keys)");
        }
        keys[fullest] = key;
        fullNanos[fullest] = 0;
        return fullest;
    }
}
