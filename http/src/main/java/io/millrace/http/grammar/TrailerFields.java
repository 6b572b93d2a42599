package io.millrace.http.grammar;

import java.util.List;
import java.util.Locale;

/// Fields behind a body (RFC 9110 section 6.5.1).
public final class TrailerFields {
    public static final List<String> REFUSED = List.of(
            "transfer-encoding",
            "content-length",
            "host",
            "trailer",
            "connection",
            "expect",
            "content-encoding",
            "content-type",
            "authorization",
            "cookie",
            "set-cookie",
            "te",
            "upgrade");

    private TrailerFields() {}

    /// Whether a field may stand behind a body, and need not be known before it.
    public static boolean isAllowed(String name) {
        return !REFUSED.contains(name.toLowerCase(Locale.ROOT));
    }
}
