package io.millrace.proxy.announce;

import io.millrace.Guards;
import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The last events that an operator may have to know of, for the admin page: those of the log, and some that the log
/// does without. Like guards they belong to the process. Any thread; adding one never waits for I/O.
public final class ProxyEvents {
    /// The most that are kept (`docs/limits.md`); the oldest go first.
    public static final int MOST = 200;

    /// The most characters of each text: names and causes come from peers.
    private static final int MOST_CHARACTERS = 500;

    /// A guard that acts again within this time continues its event, so that a flood is one event.
    private static final long CONTINUES_MILLIS = 60_000;

    private static final ProxyEvents OF_PROCESS = new ProxyEvents(InstantSource.system());

    /// What an event is about.
    public enum EventKind {
        /// The configuration.
        RELOAD,
        /// A backend came, went, or changed its state.
        BACKEND,
        /// A limit acted.
        GUARD,
        CERTIFICATE,
        /// A change on the admin page.
        CHANGE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// One event, or several in a row of one guard.
    ///
    /// @param sinceMillis when it began, Unix time
    /// @param millis when it happened, or last happened
    /// @param isTrouble whether somebody should look at it
    /// @param who the client that caused it; may be empty
    /// @param times how often it happened
    public record ProxyEvent(
            long sinceMillis, long millis, EventKind kind, boolean isTrouble, String what, String who, long times) {}

    private final InstantSource clock;

    // Guarded by this.

    private final ArrayDeque<ProxyEvent> events = new ArrayDeque<>(MOST);
    private final Map<Guard, Long> counts = new HashMap<>();
    private final Map<Guard, ProxyEvent> ongoing = new HashMap<>();
    private long changes;

    ProxyEvents(InstantSource clock) {
        this.clock = clock;
    }

    /// Those of this process.
    public static ProxyEvents ofProcess() {
        return OF_PROCESS;
    }

    /// Adds an event without a client.
    public void add(EventKind kind, boolean isTrouble, String what) {
        add(kind, isTrouble, what, "");
    }

    public synchronized void add(EventKind kind, boolean isTrouble, String what, String who) {
        long now = clock.millis();
        keep(new ProxyEvent(now, now, kind, isTrouble, bounded(what), bounded(who), 1));
    }

    /// Adds the guards that have acted since the last call. However many call it, each action counts once.
    public void lookAtGuards() {
        look(Guards.all());
    }

    synchronized void look(List<Guard> guards) {
        for (var guard : guards) {
            long count = guard.count();
            long before = counts.getOrDefault(guard, 0L);
            if (count == before) continue;
            counts.put(guard, count);
            acted(guard, count - before);
        }
    }

    private void acted(Guard guard, long times) {
        long now = clock.millis();
        var lastly = guard.lastly();
        int colon = lastly.indexOf(": ");
        var who = colon < 0 ? "" : lastly.substring(0, colon);
        var what = "guard " + guard.name() + " acted: " + (colon < 0 ? guard.limits() : lastly.substring(colon + 2));
        var before = ongoing.get(guard);
        boolean continues = before != null && now - before.millis <= CONTINUES_MILLIS && events.remove(before);
        long since = before != null && continues ? before.sinceMillis : now;
        long all = before != null && continues ? before.times + times : times;
        boolean isTrouble = !CountedGuard.isEveryday(guard);
        var event = new ProxyEvent(since, now, EventKind.GUARD, isTrouble, bounded(what), bounded(who), all);
        ongoing.put(guard, event);
        keep(event);
    }

    private void keep(ProxyEvent event) {
        if (events.size() == MOST) events.removeFirst();
        events.addLast(event);
        changes++;
    }

    private static String bounded(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "…";
    }

    /// Oldest first.
    public synchronized List<ProxyEvent> all() {
        return new ArrayList<>(events);
    }

    /// Grows whenever [#all] changes.
    public synchronized long changes() {
        return changes;
    }
}
