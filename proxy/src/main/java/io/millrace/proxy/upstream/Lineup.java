package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.proxy.backend.Balance;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The backends that are available at some moment, and the share of requests that each group gets.
/// Immutable except for the turns; changes of the list or of health make a new one. Any thread.
final class Lineup {
    /// The lineup before there is a list.
    static final Lineup NOBODY = new Lineup(Balance.Way.RANDOM, new BackendGroup[0], new double[0], false, 0);

    private final Balance.Way way;
    private final BackendGroup[] groups;

    /// The random number up to which each group is tried first; the last one is 1.
    private final double[] upTo;

    private final boolean endsSometime;
    private final long endNanos;

    private Lineup(Balance.Way way, BackendGroup[] groups, double[] upTo, boolean endsSometime, long endNanos) {
        this.way = way;
        this.groups = groups;
        this.upTo = upTo;
        this.endsSometime = endsSometime;
        this.endNanos = endNanos;
    }

    /// The lineup of the backends that are available now.
    ///
    /// @param endsSometime whether a backend is ejected until `endNanos`
    /// @param start where round robin begins
    static Lineup of(List<Members> all, Balance balance, boolean endsSometime, long endNanos, long start) {
        var groups = new BackendGroup[all.size()];
        var upTo = new double[all.size()];
        int count = 0;
        double given = 0;
        for (var members : all) {
            var able = able(members);
            if (able.length == 0) continue;
            given = Math.min(1, given + capacity(members, able, balance));
            groups[count] = new BackendGroup(members, able, balance, start);
            upTo[count++] = given;
        }
        // Together they are not enough: then each gets more.
        for (int i = 0; i < count; i++) upTo[i] /= given;
        return new Lineup(
                balance.way(), Arrays.copyOf(groups, count), Arrays.copyOf(upTo, count), endsSometime, endNanos);
    }

    private static int[] able(Members members) {
        var able = new int[members.all.length];
        int count = 0;
        for (int i = 0; i < able.length; i++) {
            if (members.all[i].isAble()) able[count++] = i;
        }
        return Arrays.copyOf(able, count);
    }

    /// The share of all requests that a group can take.
    private static double capacity(Members members, int[] able, Balance balance) {
        long weight = 0;
        for (int place : able) weight += members.weights[place];
        return Math.min(1, weight * 100.0 / members.weight / balance.spilloverThresholdPercent());
    }

    /// Whether an ejection has ended since this was made.
    boolean isOver(long nowNanos) {
        return endsSometime && nowNanos - endNanos >= 0;
    }

    /// Chooses a backend that has room and was not tried, from the group of the random number or key, or
    /// from another one.
    ///
    /// @param luck a random number
    @Nullable
    Backend choose(long key, long luck, List<Backend> tried, long nowNanos) {
        if (groups.length == 0) return null;
        int first = groups.length == 1 ? 0 : first(way == Balance.Way.HASH ? Mix.mix(key + 1) : luck);
        var chosen = groups[first].choose(way, key, luck, tried, nowNanos);
        for (int i = 0; chosen == null && i < groups.length; i++) {
            if (i != first) chosen = groups[i].choose(way, key, luck, tried, nowNanos);
        }
        return chosen;
    }

    private int first(long luck) {
        double share = Mix.share(luck);
        int first = 0;
        while (share >= upTo[first] && first < groups.length - 1) first++;
        return first;
    }
}
