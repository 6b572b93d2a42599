package io.millrace.proxy.upstream;

import io.millrace.proxy.backend.Balance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The backends of one priority, in the preferred zone or in all others, available or not: this changes
/// only with the list. Immutable.
final class Members {
    final Backend[] all;
    final int[] weights;
    final long weight;

    /// For [Balance#HASH] alone.
    final @Nullable Maglev table;

    private Members(List<Backend> backends, @Nullable Members before, boolean isHashed) {
        all = backends.toArray(Backend[]::new);
        weights = new int[all.length];
        for (int i = 0; i < all.length; i++) weights[i] = all[i].endpoint().weight();
        weight = Arrays.stream(weights).asLongStream().sum();
        if (!isHashed) table = null;
        else if (before != null && isSame(before)) table = before.table;
        else table = new Maglev(Arrays.stream(all).mapToLong(one -> one.hash).toArray(), weights);
    }

    private boolean isSame(Members before) {
        return Arrays.equals(all, before.all) && Arrays.equals(weights, before.weights);
    }

    /// All groups, in the order of use.
    ///
    /// @param before the former groups, whose tables are reused if they are equal
    static List<Members> of(List<Backend> backends, Balance balance, List<Members> before) {
        Map<Long, List<Backend>> groups = new TreeMap<>();
        for (var backend : backends) {
            var endpoint = backend.endpoint();
            boolean isElsewhere = !balance.zone().isEmpty() && !balance.zone().equals(endpoint.zone());
            long rank = 2L * endpoint.priority() + (isElsewhere ? 1 : 0);
            groups.computeIfAbsent(rank, _ -> new ArrayList<>()).add(backend);
        }
        boolean isHashed = balance.way() == Balance.Way.HASH;
        var result = new ArrayList<Members>();
        for (var group : groups.values()) {
            // So that the order of the list does not matter, nor the process.
            if (isHashed) group.sort((a, b) -> Long.compare(a.hash, b.hash));
            int place = result.size();
            result.add(new Members(group, place < before.size() ? before.get(place) : null, isHashed));
        }
        return List.copyOf(result);
    }
}
