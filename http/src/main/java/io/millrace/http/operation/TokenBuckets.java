package io.millrace.http.operation;

import io.millrace.http.grammar.HttpGuards;
import java.util.Arrays;

/// A token bucket for each of many keys, in memory that does not grow. Any thread; nothing is allocated.
///
/// A bucket is one number: when it will be full again. A request takes a token by moving that moment further into
/// the future, and finds the bucket empty when it is too far away already. So a full bucket is as good as none,
/// and the place of a key that has not asked for a while can be had.
///
/// ```
///   key ── mix ──► set of 8 places │ key, full again │ key, full again │ … │
///                                    a new key gets the place whose bucket has the most in it
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

    /// @param tokenNanos from one token to the next
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
    /// @param key of which all bits depend on all of what it stands for
    /// @param nowNanos 0 or more, and never less than before
    /// @return 0, or in how many nanoseconds there will be one
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

    /// As [#take], but nothing is taken.
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
