package io.millrace.http.filter;

import java.time.Instant;
import java.util.Optional;

/// Where a server keeps sessions, each under an id that nobody can guess: [MemorySessions], or a database.
///
/// Called where handlers are, so it may wait only where they may; a response that comes later has its
/// session kept where it arrives, which is on the loop with `Http.listen`. Any thread. What it throws is
/// answered with 500.
public interface SessionStore {
    /// What is kept under an id. It need not look at the time.
    Optional<StoredSession> find(String id);

    /// Keeps a new one.
    ///
    /// @param until from when on it may be forgotten
    void add(String id, StoredSession session, Instant until);

    /// Keeps another state of one that is still there, and nothing if it has been removed meanwhile: who has
    /// logged out stays so, whatever other requests were under way.
    ///
    /// @param until from when on it may be forgotten
    /// @return whether it is still there
    boolean replace(String id, StoredSession session, Instant until);

    /// Notes that one is used, and leaves its values as other requests may have set them meanwhile.
    ///
    /// @param when the time of the request
    /// @param until from when on it may be forgotten
    /// @return whether it is still there
    boolean used(String id, Instant when, Instant until);

    /// Forgets one, if it is there.
    void remove(String id);
}
