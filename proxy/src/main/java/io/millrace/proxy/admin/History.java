package io.millrace.proxy.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The last five minutes. Any thread.
final class History {
    /// Seconds that are kept (`docs/limits.md`).
    static final int MOST = 300;

    /// Guarded by itself.
    private final ArrayDeque<LoadSample> moments = new ArrayDeque<>(MOST);

    void add(LoadSample moment) {
        synchronized (moments) {
            if (moments.size() == MOST) moments.removeFirst();
            moments.addLast(moment);
        }
    }

    /// The oldest first.
    List<LoadSample> all() {
        synchronized (moments) {
            return new ArrayList<>(moments);
        }
    }
}
