package io.millrace.http.filter;

import java.time.Instant;
import java.util.Map;

/// A session as it is stored.
///
/// @param created when it began, or was last renewed
/// @param used when its use was last recorded
public record StoredSession(Map<String, String> values, Instant created, Instant used) {
    public StoredSession {
        values = Map.copyOf(values);
    }

    /// Only the names, because values are secret.
    @Override
    public String toString() {
        return "a session of " + created + ", used " + used + ", with " + values.keySet();
    }
}
