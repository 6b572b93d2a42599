package io.millrace;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The limits of this process and how often they have acted, by their names: those of Millrace are in
/// `docs/limits.md`, and yours stand beside them. Any thread.
public final class Guards {
    static {
        CoreGuards.declare();
    }

    private Guards() {}

    /// A guard of your own, for a static field. It is in the log, the metrics and the flight recorder as ours are,
    /// under its name, as long as the process runs.
    ///
    /// @param name   up to 64 small letters and digits, with single dots or dashes between them: `chat.rooms`
    /// @param limits what it limits, in words
    /// @throws IllegalStateException when there is one of that name already, or may be one of ours (`http.…`, for
    ///     instance), or there are 1000 guards
    public static Guard declare(String name, String limits) {
        return CountedGuard.declareTheirs(name, limits);
    }

    /// All of them that the code in use has declared, also those that have not acted yet, ordered by their names.
    public static List<Guard> all() {
        return CountedGuard.all();
    }

    /// How often each has acted, ordered by their names.
    public static Map<String, Long> counts() {
        var counts = new TreeMap<String, Long>();
        for (var guard : all()) counts.put(guard.name(), guard.count());
        return counts;
    }

    /// How often one of them has acted.
    ///
    /// @throws IllegalArgumentException for a name that none has
    public static long count(String name) {
        for (var guard : all()) if (guard.name().equals(name)) return guard.count();
        throw new IllegalArgumentException("no limit is called " + name + ": docs/limits.md has the names of ours, and"
                + " Guards.counts() those that are declared");
    }
}
