package io.millrace.http.grammar;

import java.util.List;
import java.util.Locale;

/// Fields after a body (RFC 9110 section 6.5.1).
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

    /// Whether a field is allowed after a body, because it need not be known before.
    public static boolean isAllowed(String name) {
        return !REFUSED.contains(name.toLowerCase(Locale.ROOT));
    }
}
