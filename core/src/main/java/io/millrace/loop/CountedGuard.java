package io.millrace.loop;

import io.millrace.net.Guard;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/// The guards of this process by name, and their counts. Any thread.
public final class CountedGuard implements Guard {
    /// Each one is a row in the metrics for ever.
    static final int MOST = 1000;

    private static final int MOST_CHARACTERS = 64;

    /// How the names of guards begin that other modules of ours declare, when they are first used: a user who takes
    /// such a name before would keep the module from its beginning.
    private static final Set<String> OURS =
            Set.of("access-log", "admin", "backend", "basic-auth", "http", "proxy-protocol", "rate-limit", "upstream");

    private static final Pattern NAME = Pattern.compile("[a-z0-9]+([.-][a-z0-9]+)*");
    private static final System.Logger LOG = LoopLog.ofAll("io.millrace.guard");
    private static final long ONE_SECOND_NANOS = 1_000_000_000L;
    private static final Map<String, CountedGuard> DECLARED = new ConcurrentSkipListMap<>();

    private final String name;
    private final String limits;
    private final Level level;
    private final LongAdder count = new LongAdder();
    private volatile String lastly = "";
    private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - ONE_SECOND_NANOS);

    private CountedGuard(String name, String limits, Level level) {
        this.name = name;
        this.limits = limits;
        this.level = level;
    }

    /// A guard of a user's.
    ///
    /// @throws IllegalArgumentException when that is no name
    /// @throws IllegalStateException    when there is one, it may become one of ours, or there are too many
    public static CountedGuard declareTheirs(String name, String limits) {
        if (name.length() > MOST_CHARACTERS || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a guard cannot be called \"" + name + "\": give it a name of up to "
                    + MOST_CHARACTERS + " small letters and digits, with single dots or dashes between them");
        }
        var first = name.substring(0, (name + ".").indexOf('.'));
        if (OURS.contains(first)) {
            throw new IllegalStateException("a guard cannot be called " + name + ": the names " + first + " and "
                    + first + ".… are Millrace's own, take another first word");
        }
        if (DECLARED.size() >= MOST) {
            throw new IllegalStateException("there are " + MOST + " guards already, and no room for " + name
                    + ": declare one for each limit, not for each thing that it limits");
        }
        return declare(name, limits);
    }

    /// A guard of a module of ours, of which there is none before.
    ///
    /// @throws IllegalStateException when there is one
    public static CountedGuard declare(String name, String limits) {
        return declare(name, limits, Level.WARNING);
    }

    /// The same, for a limit that acts every day in normal operation, as when a phone has lost its network: its lines
    /// are at DEBUG, where they hide no others.
    public static CountedGuard declareEveryday(String name, String limits) {
        return declare(name, limits, Level.DEBUG);
    }

    private static CountedGuard declare(String name, String limits, Level level) {
        var declared = new CountedGuard(name, limits, level);
        var before = DECLARED.putIfAbsent(name, declared);
        if (before == null) return declared;
        throw new IllegalStateException("there is a guard called " + name + " already (" + before.limits
                + "): declare it once, in a static final field, or choose another name");
    }

    /// All guards, in the order of their names.
    public static List<Guard> all() {
        return List.copyOf(DECLARED.values());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String limits() {
        return limits;
    }

    @Override
    public long count() {
        return count.sum();
    }

    @Override
    public String lastly() {
        return lastly;
    }

    /// Whether it is no news that a guard acts.
    public static boolean isEveryday(Guard guard) {
        return guard instanceof CountedGuard ours && ours.level == Level.DEBUG;
    }

    /// Counts without a log line.
    void counts() {
        count.increment();
    }

    @Override
    public void acted(SocketAddress peer, String detail) {
        acted(Wording.of(peer), detail);
    }

    @Override
    public void acted(String whom, String detail) {
        count.increment();
        if (FlightEvents.areOn()) new FlightEvents.GuardActed(name, whom, detail).commit();
        long now = System.nanoTime();
        long last = loggedNanos.get();
        if (now - last < ONE_SECOND_NANOS || !loggedNanos.compareAndSet(last, now)) return;
        lastly = whom + ": " + detail;
        try {
            LOG.log(level, "guard {0} acted for {1} (no. {2}): {3}", name, whom, count(), detail);
        } catch (RuntimeException | LinkageError _) {
            // The log has no descriptors or memory; what the guard protects goes on, and it has counted.
        }
    }

    @Override
    public String toString() {
        return "guard " + name + ", " + limits;
    }
}
