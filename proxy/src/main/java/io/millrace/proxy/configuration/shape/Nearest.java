package io.millrace.proxy.configuration.shape;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the word that was meant.
final class Nearest {
    private static final int MOST_LISTED = 12;

    private Nearest() {}

    /// What to write instead of an unknown word.
    static String remedy(String word, Collection<String> known) {
        var nearest = of(word, known);
        if (nearest.isPresent()) return "did you mean " + nearest.get() + "?";
        if (known.isEmpty()) return "there are none: leave it out, or add it";
        var listed = known.stream().limit(MOST_LISTED).toList();
        return "take " + (listed.size() == 1 ? "" : "one of ") + String.join(", ", listed)
                + (listed.size() < known.size() ? ", …" : "");
    }

    /// One that differs by few letters, if there is one.
    private static Optional<String> of(String word, Collection<String> known) {
        if (word.length() > 100) return Optional.empty();
        var small = word.toLowerCase(Locale.ROOT).replace('_', '-');
        return known.stream()
                .filter(other -> distance(small, other) <= Math.max(1, Math.min(3, other.length() / 3)))
                .min(Comparator.comparingInt(other -> distance(small, other)));
    }

    /// Letters to add, to leave out, or to change (Levenshtein).
    private static int distance(String a, String b) {
        var before = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) before[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            var now = new int[b.length() + 1];
            now[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = before[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(change, Math.min(before[j], now[j - 1]) + 1);
            }
            before = now;
        }
        return before[b.length()];
    }
}
