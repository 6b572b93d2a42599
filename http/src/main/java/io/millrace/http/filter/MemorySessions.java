package io.millrace.http.filter;

import io.millrace.http.grammar.HttpGuards;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// Sessions in the memory of this process, which end with it. Their number is limited: the least recently used
/// one is evicted for a new one (`http.sessions`). It never waits. Any thread.
public final class MemorySessions implements SessionStore {
    private static final int STANDARD = 10_000;

    /// So many expired sessions are removed with each new one, so that they never pile up.
    private static final int SWEPT = 2;

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock; the least recently used first.
    private final LinkedHashMap<String, Remembered> sessions = new LinkedHashMap<>(16, 0.75f, true);

    private record Remembered(StoredSession session, Instant until) {}

    private MemorySessions(int most) {
        this.most = most;
    }

    /// At most 10 000 sessions.
    public static MemorySessions standard() {
        return of(STANDARD);
    }

    /// At most this many sessions.
    ///
    /// @throws IllegalArgumentException for less than 1
    public static MemorySessions of(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " sessions: take 1 or more");
        return new MemorySessions(most);
    }

    /// How many there are, including expired ones that have not been removed.
    public int size() {
        lock.lock();
        try {
            return sessions.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<StoredSession> find(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(sessions.get(id)).map(Remembered::session);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void add(String id, StoredSession session, Instant until) {
        boolean hasLost;
        lock.lock();
        try {
            sweep(session.used());
            hasLost = sessions.size() >= most;
            if (hasLost) sessions.pollFirstEntry();
            sessions.put(id, new Remembered(session, until));
        } finally {
            lock.unlock();
        }
        if (hasLost) {
            HttpGuards.SESSIONS.acted(
                    "sessions in memory",
                    "there are " + most + ", and the least recently used one is lost: raise MemorySessions.of");
        }
    }

    private void sweep(Instant now) {
        for (int i = 0; i < SWEPT; i++) {
            var eldest = sessions.firstEntry();
            if (eldest == null || eldest.getValue().until.isAfter(now)) return;
            sessions.pollFirstEntry();
        }
    }

    @Override
    public boolean replace(String id, StoredSession session, Instant until) {
        return change(id, _ -> new Remembered(session, until));
    }

    @Override
    public boolean used(String id, Instant when, Instant until) {
        return change(id, known -> {
            var session = known.session;
            return new Remembered(new StoredSession(session.values(), session.created(), when), until);
        });
    }

    private boolean change(String id, UnaryOperator<Remembered> how) {
        lock.lock();
        try {
            return sessions.computeIfPresent(id, (_, known) -> how.apply(known)) != null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void remove(String id) {
        lock.lock();
        try {
            sessions.remove(id);
        } finally {
            lock.unlock();
        }
    }
}
