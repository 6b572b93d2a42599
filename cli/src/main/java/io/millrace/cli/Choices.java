package io.millrace.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Options with a few fixed values: the constants of an enum in lower case.
final class Choices {
    private Choices() {}

    static <E extends Enum<E>> ITypeConverter<E> of(Class<E> type) {
        return word -> Arrays.stream(type.getEnumConstants())
                .filter(choice -> word(choice).equals(word.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "'" + word + "' is not one of its values: use " + String.join(", ", words(type))));
    }

    static List<String> words(Class<? extends Enum<?>> type) {
        return Arrays.stream(type.getEnumConstants()).map(Choices::word).toList();
    }

    static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
