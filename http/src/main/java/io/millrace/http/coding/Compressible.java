package io.millrace.http.coding;

import java.util.Locale;
import java.util.Set;

/// Media types whose content becomes smaller; all else has been packed already, or is not worth it.
public final class Compressible {
    private static final Set<String> TYPES = Set.of(
            "application/json",
            "application/javascript",
            "application/xml",
            "application/wasm",
            "application/x-ndjson",
            "application/x-javascript",
            "application/graphql",
            "application/sql",
            "application/rtf",
            "application/vnd.ms-fontobject",
            "image/svg+xml",
            "image/bmp",
            "image/vnd.microsoft.icon",
            "image/x-icon",
            "font/ttf",
            "font/otf");

    /// Whose reader waits for each event, and whose encoding would have to stay for as long as he does.
    private static final String EVENTS = "text/event-stream";

    private Compressible() {}

    /// The type of a field: small letters, without parameters.
    public static String type(String field) {
        int semicolon = field.indexOf(';');
        return (semicolon < 0 ? field : field.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    /// Whether a type is one.
    ///
    /// @param type as [#type] says it
    public static boolean is(String type) {
        if (type.startsWith("text/")) return !type.equals(EVENTS);
        return TYPES.contains(type) || type.endsWith("+json") || type.endsWith("+xml");
    }
}
