package io.millrace.http.grammar;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Transfer codings of RFC 9112 section 7 that are known by name but not implemented.
public final class TransferCodings {
    private static final Set<String> NAMES = Set.of("gzip", "x-gzip", "deflate", "compress", "x-compress");

    private TransferCodings() {}

    /// Whether a list consists of them, with `chunked` at its end.
    public static boolean areKnown(String list) {
        var codings = List.of(list.toLowerCase(Locale.ROOT).split(",", -1));
        int last = codings.size() - 1;
        return last > 0
                && codings.get(last).strip().equals("chunked")
                && codings.subList(0, last).stream().allMatch(coding -> NAMES.contains(coding.strip()));
    }
}
