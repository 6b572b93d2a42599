package io.millrace.proxy.configuration.shape;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Tag;

/// One of a few words, or of a few numbers.
///
/// @param words in the order of the reference
public record Choice<T>(SequencedMap<String, T> words) implements Shape<T> {
    /// The constants of an enum, in lower case with hyphens.
    public static <E extends Enum<E>> Choice<E> of(Class<E> type) {
        var words = new LinkedHashMap<String, E>();
        for (var value : type.getEnumConstants()) words.put(word(value), value);
        return new Choice<>(words);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Whether the words are numbers.
    public boolean isNumeric() {
        return words.keySet().stream().allMatch(word -> word.chars().allMatch(Character::isDigit));
    }

    @Override
    public @Nullable T read(Place place) {
        var wanted = words.size() == 1 ? words.firstEntry().getKey() : "one of " + String.join(", ", words.keySet());
        var word = isNumeric() ? place.plain(Tag.INT, wanted) : place.text(wanted, words::containsKey);
        if (word == null) return null;
        var value = words.get(word);
        if (value == null) place.refuse(place.shown() + " is unknown: " + Nearest.remedy(word, words.keySet()));
        return value;
    }

    @Override
    public String text(T value) {
        return words.entrySet().stream()
                .filter(entry -> entry.getValue().equals(value))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }
}
