package io.millrace.lab.load;

import java.util.SplittableRandom;

/// A page that is requested through proxies: a number of letters, no two pages alike, so that a truncated,
/// mixed or repeated page is detected.
public final class Page {
    private static final int LETTERS = 'z' - 'a' + 1;

    private Page() {}

    /// Its file.
    public static String name(int sizeBytes) {
        return sizeBytes + ".html";
    }

    /// What a request names.
    static String target(int sizeBytes) {
        return "/" + name(sizeBytes);
    }

    /// Its bytes, in an array that belongs to the caller.
    public static byte[] content(int sizeBytes) {
        var random = new SplittableRandom(sizeBytes);
        var content = new byte[sizeBytes];
        for (int i = 0; i < sizeBytes; i++) content[i] = (byte) ('a' + random.nextInt(LETTERS));
        return content;
    }
}
