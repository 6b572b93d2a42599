package io.millrace.http.h2;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What an encoder knows of a name: where it is in the static table, and whether its values repeat.
final class HpackName {
    enum Indexing {
        /// Values are likely to repeat on the same connection.
        DYNAMIC,
        /// Each message has its own value.
        WITHOUT,
        /// A secret, which no table on the way must keep (RFC 7541 section 7.1.3).
        NEVER
    }

    private static final List<String> WITHOUT = List.of(
            ":path",
            "age",
            "content-length",
            "content-range",
            "etag",
            "expires",
            "if-match",
            "if-modified-since",
            "if-none-match",
            "if-range",
            "if-unmodified-since",
            "last-modified",
            "location",
            "range",
            "retry-after",
            "traceparent",
            "x-request-id");

    private static final List<String> NEVER = List.of(
            "authorization",
            "cookie",
            "proxy-authorization",
            "set-cookie",
            "x-api-key",
            "x-auth-token",
            "x-csrf-token",
            "x-xsrf-token");

    /// Their values repeat although they are long.
    private static final List<String> LONG = List.of("content-security-policy", "permissions-policy");

    /// A power of two, so large that few names share a slot.
    private static final int SLOTS = 256;

    /// By [#slot]; a name whose slot is taken is in the next free one.
    private static final @Nullable HpackName[] NAMES = new HpackName[SLOTS];

    static {
        for (int index = 1; index <= HpackStatic.COUNT; index++) add(HpackStatic.field(index).name, index);
        for (var names : List.of(WITHOUT, NEVER, LONG)) names.forEach(name -> add(name, 0));
    }

    private final String name;

    /// In the static table: of the first field with this name, or 0.
    final int index;

    /// From [#index] on, as the fields with this name follow each other.
    private final String[] values;

    final Indexing indexing;

    private HpackName(String name, int index) {
        this.name = name;
        this.index = index;
        this.values = valuesFrom(index);
        this.indexing =
                NEVER.contains(name) ? Indexing.NEVER : WITHOUT.contains(name) ? Indexing.WITHOUT : Indexing.DYNAMIC;
    }

    private static String[] valuesFrom(int index) {
        var values = new ArrayList<String>();
        for (int i = index; i > 0 && i <= HpackStatic.COUNT; i++) {
            var field = HpackStatic.field(i);
            if (!field.name.equals(HpackStatic.field(index).name)) break;
            values.add(field.value);
        }
        return values.toArray(String[]::new);
    }

    private static void add(String name, int index) {
        if (of(name) != null) return;
        int slot = slot(name);
        while (NAMES[slot] != null) slot = slot + 1 & SLOTS - 1;
        NAMES[slot] = new HpackName(name, index);
    }

    /// What is known of a name.
    ///
    /// @param name in any case
    /// @return null if nothing is known
    static @Nullable HpackName of(String name) {
        if (name.isEmpty()) return null;
        int slot = slot(name);
        for (var known = NAMES[slot]; known != null; known = NAMES[slot]) {
            if (known.name.equalsIgnoreCase(name)) return known;
            slot = slot + 1 & SLOTS - 1;
        }
        return null;
    }

    /// Depends on few characters, whatever their case.
    private static int slot(String name) {
        int length = name.length();
        int hash = length;
        hash = 31 * hash + (name.charAt(0) | 0x20);
        hash = 31 * hash + (name.charAt(length >>> 1) | 0x20);
        hash = 31 * hash + (name.charAt(length - 1) | 0x20);
        return (hash ^ hash >>> 7) & SLOTS - 1;
    }

    /// The index of the field in the static table, or 0.
    int indexOf(String value) {
        for (int i = 0; i < values.length; i++) if (values[i].equals(value)) return index + i;
        return 0;
    }
}
