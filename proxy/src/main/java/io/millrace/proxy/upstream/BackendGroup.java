package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.proxy.backend.Balance;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Those of a group that were able to serve at some moment, and how one of them is chosen. Any thread; nothing is
/// locked, and nothing allocated. Whether somebody is able still, and has room, is looked up when he is chosen.
final class BackendGroup {
    /// Turns, or draws of luck, before all are looked at in order: who is passed over leaves his share to all
    /// others, and not to whoever comes behind him.
    private static final int DRAWS = 16;

    /// Draws for a key: with a third of the backends able, one key in a million goes on to the next in order.
    private static final int KEY_DRAWS = 32;

    private final Members members;
    private final Backend[] able;
    private final int[] turns;
    private final long windowNanos;
    private final AtomicLong turn;

    /// @param able  places of those that are, one at least
    /// @param start where the round begins
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

    /// One of them who has room and was not tried.
    ///
    /// @param luck a random number
    /// @return none when nobody has room who was not tried
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

    /// The next one in the round. One that starts slowly is passed over as often as it is cold.
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

    /// The first one from a turn on. When all are cold, one of those is better than nobody.
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

    /// Among equals the one whose turn it is: with little to do that is a round.
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

    /// Requests in flight for its weight. Who has no weight yet has the greatest load, as soon as it has one.
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

    /// The draws are by weight already, so of two without requests the first one is taken.
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

    /// The key's own backend; or the one that it has next, when that one does not take it, and so on: each key
    /// has an order of its own, which does not depend on who is able.
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
