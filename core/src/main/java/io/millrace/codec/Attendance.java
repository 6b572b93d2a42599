package io.millrace.codec;

import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Which users are in a group, and with which seats.
///
/// ```
///   came, went ─► CHANGED users ─ tell ─► listeners, one change at a time
/// ```
final class Attendance<M> {
    private static final System.Logger LOG = LoopLog.of("io.millrace.group");

    private final CopyOnWriteArrayList<Consumer<? super Presence>> listeners = new CopyOnWriteArrayList<>();

    /// How many threads have asked that changes are told; the first of them tells.
    private final AtomicInteger asked = new AtomicInteger();

    // Guarded by the group.

    private final LinkedHashMap<String, List<Seat<M>>> here = new LinkedHashMap<>();
    private final LinkedHashSet<String> changed = new LinkedHashSet<>();

    /// The users that listeners take for present.
    private final HashSet<String> told = new HashSet<>();

    void came(Seat<M> seat) {
        seat.user.ifPresent(user -> {
            here.computeIfAbsent(user, _ -> new ArrayList<>(1)).add(seat);
            changed(user);
        });
    }

    void went(Seat<M> seat) {
        seat.user.ifPresent(user -> {
            var seats = here.getOrDefault(user, List.of());
            if (seats.size() > 1) seats.remove(seat);
            else here.remove(user);
            changed(user);
        });
    }

    private void changed(String user) {
        if (here.containsKey(user) == told.contains(user)) changed.remove(user);
        else if (listeners.isEmpty()) isTold(user);
        else changed.add(user);
    }

    private boolean isTold(String user) {
        return here.containsKey(user) ? told.add(user) : told.remove(user);
    }

    Set<String> users() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(here.keySet()));
    }

    /// The users that listeners take for present.
    Set<String> told() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(told));
    }

    List<Seat<M>> of(String user) {
        return List.copyOf(here.getOrDefault(user, List.of()));
    }

    /// The next change to tell.
    @Nullable
    Presence next() {
        if (changed.isEmpty()) return null;
        var user = changed.removeFirst();
        var _ = isTold(user);
        return new Presence(user, here.containsKey(user));
    }

    // Any thread.

    void listen(Consumer<? super Presence> listener) {
        listeners.add(listener);
    }

    /// Tells changes, without holding a lock; or leaves that to the thread that does so already.
    ///
    /// @param group that guards this
    void tell(Object group) {
        if (listeners.isEmpty()) return;
        for (int count = asked.incrementAndGet(); count == 1; ) {
            var next = next(group);
            if (next != null) listeners.forEach(listener -> tell(listener, next));
            // One more thread may have asked since.
            else if (asked.getAndSet(0) > 1) count = asked.incrementAndGet();
            else return;
        }
    }

    private @Nullable Presence next(Object group) {
        synchronized (group) {
            return next();
        }
    }

    private static void tell(Consumer<? super Presence> listener, Presence news) {
        try {
            listener.accept(news);
        } catch (Throwable e) {
            // An error, too: otherwise nobody would be told any more.
            LOG.log(Level.WARNING, "a listener of a group's presence threw", e);
        }
    }
}
