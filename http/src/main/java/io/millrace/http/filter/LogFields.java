package io.millrace.http.filter;

import io.millrace.http.ServedRequest;
import java.util.Map;
import java.util.Set;

/// Additional fields for each line of an access log: all of them in JSON, and by name in a format of one's own.
///
/// ```java
/// LogFields route = served -> Map.of("route", served.route().orElse("none"));
/// ```
@FunctionalInterface
public interface LogFields {
    /// No fields.
    LogFields NONE = _ -> Map.of();

    /// A request's fields, in the order of the map. Called where [io.millrace.http.RequestListener#over] is.
    ///
    /// @return names, which are written as they are, and texts or numbers; a `failure` and a `request_id` stand in
    ///     place of the server's own
    Map<String, Object> of(ServedRequest served);

    /// The names that an [AccessLog.Format] may have in braces, with a hyphen for each `_`.
    default Set<String> names() {
        return Set.of();
    }

    /// These fields with the names that they have.
    default LogFields named(String... names) {
        var all = Set.of(names);
        return new LogFields() {
            @Override
            public Map<String, Object> of(ServedRequest served) {
                return LogFields.this.of(served);
            }

            @Override
            public Set<String> names() {
                return all;
            }
        };
    }
}
