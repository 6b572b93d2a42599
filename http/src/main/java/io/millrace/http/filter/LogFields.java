package io.millrace.http.filter;

import io.millrace.http.ServedRequest;
import java.util.Map;

/// Additional fields for each line of an access log in JSON.
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
}
