package io.millrace.http.coding;

import java.util.Locale;
import java.util.Set;

/// Media types worth compressing; others are compressed already, or do not shrink.
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

    /// Its readers wait for each event, and its encoder would be needed as long as the stream lasts.
    private static final String EVENTS = "text/event-stream";

    private Compressible() {}

    /// The media type in a field: in small letters, without parameters.
    public static String type(String field) {
        int semicolon = field.indexOf(';');
        return (semicolon < 0 ? field : field.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    /// Whether a type is worth compressing.
    ///
    /// @param type as from [#type]
    public static boolean is(String type) {
        if (type.startsWith("text/")) return !isEvents(type);
        return TYPES.contains(type) || type.endsWith("+json") || type.endsWith("+xml");
    }

    /// Whether a type is that of server-sent events.
    ///
    /// @param type as from [#type]
    public static boolean isEvents(String type) {
        return type.equals(EVENTS);
    }
}
