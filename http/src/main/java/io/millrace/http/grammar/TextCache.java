package io.millrace.http.grammar;

import java.util.Arrays;

/// Caches the texts of recently requested paths, so that popular ones are made once. Each serving thread has
/// a few hundred; longer paths are not cached. An entry is replaced by the next one with the same slot, so
/// that the cache cannot be filled up.
final class TextCache {
    private static final int COUNT = 256;
    private static final int LONGEST = 64;
    private static final ThreadLocal<TextCache> OF_THREAD = ThreadLocal.withInitial(TextCache::new);

    @SuppressWarnings("ArrayRecordComponent") // it never leaves this file, and never changes
    private record Entry(byte[] bytes, String text) {}

    private final Entry[] entries = new Entry[COUNT];

    private TextCache() {}

    /// The text of bytes in ISO-8859-1.
    static String of(byte[] bytes, int from, int length) {
        // A virtual thread would start with an empty cache each time.
        if (length > LONGEST || Thread.currentThread().isVirtual()) return Syntax.latin1(bytes, from, length);
        return OF_THREAD.get().find(bytes, from, length);
    }

    private String find(byte[] bytes, int from, int length) {
        int hash = 1;
        for (int i = from; i < from + length; i++) hash = 31 * hash + bytes[i];
        int place = (hash ^ hash >>> 16) & COUNT - 1;
        var known = entries[place];
        if (known != null && Arrays.equals(known.bytes, 0, known.bytes.length, bytes, from, from + length)) {
            return known.text;
        }
        var made = new Entry(Arrays.copyOfRange(bytes, from, from + length), Syntax.latin1(bytes, from, length));
        entries[place] = made;
        return made.text;
    }
}
