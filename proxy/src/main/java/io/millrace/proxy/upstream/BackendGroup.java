package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.proxy.backend.Balance;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The backends of a group that were available at some moment, and how to choose one of them. Any thread;
/// it takes no lock, and allocates nothing. Whether a backend is still available and has room is checked
/// when it is chosen.
final class BackendGroup {
    /// Turns, or random draws, before all are tried in order: so the share of a backend that is passed
    /// over goes to all others, not to the next one.
    private static final int DRAWS = 16;

    /// Draws for a key: if a third of the backends are available, one key in a million is left for the
    /// order.
    private static final int KEY_DRAWS = 32;

    private final Members members;
    private final Backend[] able;
    private final int[] turns;
    private final long windowNanos;
    private final AtomicLong turn;

    /// @param able  the available backends, at least one
    /// @param start where round robin begins
    BackendGroup(Members members, int[] able, Balance balance, long start) {
        this.members = members;
        this.able = new Backend[able.length];
        var weights = new int[able.length];
        for (int i = 0; i < able.length; i++) {
            this.able[i] = members.all[able[i]];
            weights[i] = members.weights[able[i]];
        }
        this.turns = members.table == null ? Turns.of(weights) : new int[0];
        this.windowNanos = balance.slowStart().toNanos();
        this.turn = new AtomicLong(start >>> 2);
    }

    /// Chooses a backend that has room and was not tried.
    ///
    /// @param luck a random number
    /// @return null if there is none
    @Nullable
    Backend choose(Balance.Way way, long key, long luck, List<Backend> tried, long nowNanos) {
        return switch (way) {
            case ROUND_ROBIN -> next(luck, tried, nowNanos);
            case LEAST_REQUESTS -> least(luck, tried, nowNanos);
            case TWO_CHOICES -> better(luck, tried, nowNanos);
            case RANDOM -> drawn(luck, tried, nowNanos);
            case HASH -> ofKey(key, tried);
        };
    }

    /// The next one by round robin. A backend in a slow start is passed over in proportion.
    private @Nullable Backend next(long luck, List<Backend> tried, long nowNanos) {
        for (int i = 0; i < DRAWS; i++) {
            var candidate = able[turns[nextTurn()]];
            if (candidate.mayTake(tried) && isWarm(candidate, luck, nowNanos)) return candidate;
            luck = Mix.mix(luck + Mix.STEP);
        }
        return inOrder(nextTurn(), luck, tried, nowNanos);
    }

    private int nextTurn() {
        return (int) (turn.getAndIncrement() % turns.length);
    }

    /// The first one from a turn on. If all are in a slow start, one of them is better than none.
    private @Nullable Backend inOrder(int first, long luck, List<Backend> tried, long nowNanos) {
        Backend cold = null;
        int at = first;
        do {
            var candidate = able[turns[at]];
            if (candidate.mayTake(tried)) {
                if (isWarm(candidate, luck + at, nowNanos)) return candidate;
                if (cold == null) cold = candidate;
            }
            if (++at == turns.length) at = 0;
        } while (at != first);
        return cold;
    }

    private boolean isWarm(Backend candidate, long luck, long nowNanos) {
        double warmth = candidate.warmth(nowNanos, windowNanos);
        return warmth == 1 || Mix.share(Mix.mix(luck)) < warmth;
    }

    /// Among equals, the one whose turn it is: with few requests that is round robin.
    private @Nullable Backend least(long luck, List<Backend> tried, long nowNanos) {
        var least = next(luck, tried, nowNanos);
        if (least == null) return null;
        double load = load(least, nowNanos);
        for (var candidate : able) {
            double other = load(candidate, nowNanos);
            if (other >= load || !candidate.mayTake(tried)) continue;
            least = candidate;
            load = other;
        }
        return least;
    }

    /// Requests in flight relative to its weight. A backend without weight so far has the greatest load as
    /// soon as it has a request.
    private double load(Backend backend, long nowNanos) {
        int requests = backend.requests().taken();
        if (requests == 0) return 0;
        return requests / (backend.endpoint().weight() * backend.warmth(nowNanos, windowNanos));
    }

    private @Nullable Backend drawn(long luck, List<Backend> tried, long nowNanos) {
        for (int i = 0; i < DRAWS; i++) {
            var candidate = drawn(luck);
            if (candidate.mayTake(tried) && isWarm(candidate, luck, nowNanos)) return candidate;
            luck = Mix.mix(luck + Mix.STEP);
        }
        return inOrder(Mix.below(turns.length, luck), luck, tried, nowNanos);
    }

    private Backend drawn(long luck) {
        return able[turns[Mix.below(turns.length, luck)]];
    }

    /// The draws are by weight already, so of two without requests the first one is chosen.
    private @Nullable Backend better(long luck, List<Backend> tried, long nowNanos) {
        var first = drawn(luck, tried, nowNanos);
        if (first == null) return null;
        for (int i = 0; i < DRAWS; i++) {
            luck = Mix.mix(luck - Mix.STEP);
            var second = drawn(luck);
            if (second == first || !second.mayTake(tried) || !isWarm(second, luck, nowNanos)) continue;
            return load(second, nowNanos) < load(first, nowNanos) ? second : first;
        }
        return first;
    }

    /// The key's own backend, or if that cannot take it the next one, and so on: each key has its own
    /// order, which does not depend on the available backends.
    private @Nullable Backend ofKey(long key, List<Backend> tried) {
        var table = members.table;
        if (table == null) throw new IllegalStateException("a group without a table has no keys");
        long draw = Mix.mix(key);
        for (int i = 0; i < KEY_DRAWS; i++) {
            var candidate = members.all[table.at(draw)];
            if (candidate.mayTake(tried)) return candidate;
            draw = Mix.mix(draw + Mix.STEP);
        }
        int first = Mix.below(members.all.length, draw);
        for (int i = 0; i < members.all.length; i++) {
            var candidate = members.all[(first + i) % members.all.length];
            if (candidate.mayTake(tried)) return candidate;
        }
        return null;
    }
}
