package io.millrace.http.filter;

import java.time.Instant;
import java.util.Optional;

/// Stores a server's sessions, each under an id that nobody can guess: [MemorySessions], or a database.
///
/// Called where handlers are, so it may block only where they may; the session of a response that comes later is
/// stored where the response arrives, which is on the loop with `Http.listen`. Any thread. An exception is
/// answered with 500.
public interface SessionStore {
    /// The session with this id. It may be expired.
    Optional<StoredSession> find(String id);

    /// Adds a session.
    ///
    /// @param until from this time on it may be removed
    void add(String id, StoredSession session, Instant until);

    /// Replaces a session if it is still there, and does nothing if it has been removed meanwhile: a user who has
    /// logged out stays logged out, whatever other requests were in progress.
    ///
    /// @param until from this time on it may be removed
    /// @return whether it is still there
    boolean replace(String id, StoredSession session, Instant until);

    /// Records that a session is used, without changing its values, which other requests may have set meanwhile.
    ///
    /// @param when the time of the request
    /// @param until from this time on it may be removed
    /// @return whether it is still there
    boolean used(String id, Instant when, Instant until);

    /// Removes a session, if it is there.
    void remove(String id);
}
