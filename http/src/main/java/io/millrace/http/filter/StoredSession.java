package io.millrace.http.filter;

import java.time.Instant;
import java.util.Map;

/// What is kept of a session.
///
/// @param created when it began, or was last renewed
/// @param used when that was noted down lately
public record StoredSession(Map<String, String> values, Instant created, Instant used) {
    public StoredSession {
        values = Map.copyOf(values);
    }

    /// The names, because values are secrets.
    @Override
    public String toString() {
        return "a session of " + created + ", used " + used + ", with " + values.keySet();
    }
}
