package io.millrace;

import io.millrace.loop.Guard;
import java.util.Map;
import java.util.TreeMap;

/// How often limits have acted, of this process, by their names in `docs/limits.md`. Any thread.
public final class Guards {
    private Guards() {}

    /// All of them, also those that have not acted yet, ordered by their names.
    public static Map<String, Long> counts() {
        var counts = new TreeMap<String, Long>();
        for (var guard : Guard.values()) counts.put(guard.label(), guard.count());
        return counts;
    }

    /// One of them.
    ///
    /// @throws IllegalArgumentException for a name that none has
    public static long count(String name) {
        for (var guard : Guard.values()) if (guard.label().equals(name)) return guard.count();
        throw new IllegalArgumentException("no limit is called " + name + ": docs/limits.md has their names");
    }
}
