package io.millrace.proxy.configuration.shape;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the known word nearest to an unknown one.
final class Nearest {
    private static final int MOST_LISTED = 12;

    private Nearest() {}

    /// The remedy for an unknown word.
    static String remedy(String word, Collection<String> known) {
        var nearest = of(word, known);
        if (nearest.isPresent()) return "did you mean " + nearest.get() + "?";
        if (known.isEmpty()) return "there are none: leave it out, or add it";
        var listed = known.stream().limit(MOST_LISTED).toList();
        return "take " + (listed.size() == 1 ? "" : "one of ") + String.join(", ", listed)
                + (listed.size() < known.size() ? ", …" : "");
    }

    /// The known word that differs by the fewest letters, if any is near.
    private static Optional<String> of(String word, Collection<String> known) {
        if (word.length() > 100 || word.chars().allMatch(Character::isDigit)) return Optional.empty();
        var small = word.toLowerCase(Locale.ROOT).replace('_', '-');
        return known.stream()
                .filter(other -> distance(small, other) <= Math.max(1, Math.min(3, other.length() / 3)))
                .min(Comparator.comparingInt(other -> distance(small, other)));
    }

    /// The number of letters to add, remove, change, or swap with their neighbour.
    private static int distance(String a, String b) {
        var distances = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) distances[i][0] = i;
        for (int j = 0; j <= b.length(); j++) distances[0][j] = j;
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = distances[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int best = Math.min(change, Math.min(distances[i - 1][j], distances[i][j - 1]) + 1);
                if (isSwap(a, i, b, j)) best = Math.min(best, distances[i - 2][j - 2] + 1);
                distances[i][j] = best;
            }
        }
        return distances[a.length()][b.length()];
    }

    private static boolean isSwap(String a, int i, String b, int j) {
        return i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    }
}
