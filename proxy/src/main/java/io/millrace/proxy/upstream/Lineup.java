package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import io.millrace.proxy.backend.Balance;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Who could be chosen at some moment, and how much of the requests each group gets. Immutable but for the turns;
/// a new one is made when the list or the health of somebody has changed. Any thread.
final class Lineup {
    /// Before there is a list.
    static final Lineup NOBODY = new Lineup(Balance.Way.RANDOM, new BackendGroup[0], new double[0], false, 0);

    private final Balance.Way way;
    private final BackendGroup[] groups;

    /// Up to which share of luck each group is asked first; the last one is 1.
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

    /// Who is able now.
    ///
    /// @param endsSometime whether somebody is ejected, who may be chosen again at `endNanos`
    /// @param start where rounds begin
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
        // Together they are not enough: then everyone gets more.
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

    /// What part of all requests a group can take.
    private static double capacity(Members members, int[] able, Balance balance) {
        long weight = 0;
        for (int place : able) weight += members.weights[place];
        return Math.min(1, weight * 100.0 / members.weight / balance.spilloverThresholdPercent());
    }

    /// Whether somebody may be chosen again who could not when this was made.
    boolean isOver(long nowNanos) {
        return endsSometime && nowNanos - endNanos >= 0;
    }

    /// One of them who has room and was not tried, from the group that luck or the key says, or from another one.
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
