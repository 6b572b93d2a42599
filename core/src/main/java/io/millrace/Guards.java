package io.millrace;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The limits of this process and how often they have acted, by name: Millrace's, which `docs/limits.md` lists, and
/// your own. Any thread.
public final class Guards {
    static {
        CoreGuards.declare();
    }

    private Guards() {}

    /// A guard of your own, for a static field. It appears in the log, the metrics and the flight recorder as ours
    /// do, under its name, as long as the process runs.
    ///
    /// @param name   up to 64 small letters and digits, with single dots or dashes between them: `chat.rooms`
    /// @param limits what it limits, in words
    /// @throws IllegalStateException when there is one of that name already, or may be one of ours (`http.…`, for
    ///     instance), or there are 1000 guards
    public static Guard declare(String name, String limits) {
        return CountedGuard.declareTheirs(name, limits);
    }

    /// All guards that the loaded code has declared, also those that have not acted yet, in the order of their
    /// names.
    public static List<Guard> all() {
        return CountedGuard.all();
    }

    /// How often each has acted, in the order of their names.
    public static Map<String, Long> counts() {
        var counts = new TreeMap<String, Long>();
        for (var guard : all()) counts.put(guard.name(), guard.count());
        return counts;
    }

    /// How often a guard has acted.
    ///
    /// @throws IllegalArgumentException when no guard has that name
    public static long count(String name) {
        for (var guard : all()) if (guard.name().equals(name)) return guard.count();
        throw new IllegalArgumentException("no limit is called " + name + ": docs/limits.md lists the names of ours, "
                + "and Guards.counts() those that are declared");
    }
}
