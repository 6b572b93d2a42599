package io.millrace.http.h1;

import io.millrace.http.Headers;

/// How long a server keeps an idle connection, by its own account: `Keep-Alive: timeout=5, max=100` (RFC 2068
/// section 19.7.1).
final class KeepAlive {
    private static final String TIMEOUT = "timeout=";

    /// Nine tenths of a second: a request takes time to arrive, and must not meet the end of the connection.
    private static final long SECOND_NANOS = 900_000_000;

    private KeepAlive() {}

    /// How long a connection may be idle.
    ///
    /// @param most the limit if the server names none, or a longer one
    static long nanos(Headers fields, long most) {
        if (!fields.has("Keep-Alive")) return most;
        long nanos = most;
        for (var value : fields.all("Keep-Alive")) {
            for (var parameter : value.split(",", -1)) nanos = Math.min(nanos, parameter(parameter.strip(), most));
        }
        return nanos;
    }

    private static long parameter(String text, long most) {
        if (!text.regionMatches(true, 0, TIMEOUT, 0, TIMEOUT.length())) return most;
        var seconds = text.substring(TIMEOUT.length());
        return seconds.matches("[0-9]{1,9}") ? Long.parseLong(seconds) * SECOND_NANOS : most;
    }
}
