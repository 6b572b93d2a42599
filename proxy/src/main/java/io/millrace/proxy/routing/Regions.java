package io.millrace.proxy.routing;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A map that is searched with a part of a text, without a substring. Immutable.
final class Regions<V> {
    private final boolean ignoresCase;
    private final @Nullable Entry<V>[] places;
    private final int mask;

    private record Entry<V>(String key, V value) {}

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a type with parameters
    private Regions(Map<String, V> entries, boolean ignoresCase) {
        this.ignoresCase = ignoresCase;
        // At least half of the slots are free, so that a search ends soon.
        places = new Entry[Integer.highestOneBit(Math.max(1, entries.size()) * 4 - 1)];
        mask = places.length - 1;
        entries.forEach(this::put);
    }

    private void put(String key, V value) {
        int at = hash(key, 0, key.length()) & mask;
        while (places[at] != null) at = at + 1 & mask;
        places[at] = new Entry<>(key, value);
    }

    static <V> Regions<V> of(Map<String, V> entries) {
        return new Regions<>(entries, false);
    }

    /// A map with keys in lower case that ignores the case of ASCII letters.
    static <V> Regions<V> ignoringCase(Map<String, V> entries) {
        return new Regions<>(entries, true);
    }

    @Nullable
    V find(String text, int from, int to) {
        int at = hash(text, from, to) & mask;
        for (var entry = places[at]; entry != null; entry = places[at]) {
            if (is(entry.key, text, from, to)) return entry.value;
            at = at + 1 & mask;
        }
        return null;
    }

    private boolean is(String key, String text, int from, int to) {
        return key.length() == to - from && text.regionMatches(ignoresCase, from, key, 0, key.length());
    }

    private int hash(String text, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) hash = 31 * hash + folded(text.charAt(i));
        return hash ^ hash >>> 16;
    }

    private int folded(char c) {
        return ignoresCase && c >= 'A' && c <= 'Z' ? c + 32 : c;
    }
}
