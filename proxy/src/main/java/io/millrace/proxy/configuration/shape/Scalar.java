package io.millrace.proxy.configuration.shape;

import com.google.re2j.Pattern;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A text of a certain form.
///
/// @param name what it is, with its article: `a duration`
/// @param form a regular expression that all valid texts match, and perhaps others; the schema has it, too
/// @param example a valid text
/// @param range the values' range, for the reference; empty if there is none
/// @param isSecret whether messages must not show the text
/// @param literally how the value of a variable is written in it, so that it stands for itself
/// @param parser makes a value of a text that matches the form
/// @param printer makes a text of a value
public record Scalar<T>(
        String name,
        String form,
        String example,
        String range,
        boolean isSecret,
        UnaryOperator<String> literally,
        Parser<T> parser,
        Function<T, String> printer)
        implements Shape<T> {
    /// Any text that is not empty.
    public static final String ANY = "[\\s\\S]+";

    /// Makes a value of a text.
    @FunctionalInterface
    public interface Parser<T> {
        /// The value of a text that matches the form.
        ///
        /// @throws IllegalArgumentException with what is wrong and the remedy
        T parse(String text, Place place);
    }

    /// A scalar whose value depends on its text alone.
    ///
    /// @param parser throws [IllegalArgumentException] with what is wrong and the remedy
    public static <T> Scalar<T> of(
            String name, String form, String example, Function<String, T> parser, Function<T, String> printer) {
        return new Scalar<>(name, form, example, "", false, text -> text, (text, _) -> parser.apply(text), printer);
    }

    /// A text as it is.
    public static Scalar<String> text(String name, String form, String example) {
        return of(name, form, example, text -> text, text -> text);
    }

    /// A copy whose text no message shows.
    public Scalar<T> secret() {
        return new Scalar<>(name, form, example, range, true, literally, parser, printer);
    }

    /// A copy in which the value of a variable of the environment is written like this, so that it stands for
    /// itself.
    public Scalar<T> literally(UnaryOperator<String> written) {
        return new Scalar<>(name, form, example, range, isSecret, written, parser, printer);
    }

    /// A copy that also checks the value.
    ///
    /// @param check throws [IllegalArgumentException] with what is wrong and the remedy
    public Scalar<T> checked(Consumer<T> check) {
        return within(range, check);
    }

    /// A copy that also checks the value's range.
    ///
    /// @param check throws [IllegalArgumentException] with what is wrong and the remedy
    public Scalar<T> within(String range, Consumer<T> check) {
        Parser<T> both = (text, place) -> {
            var value = parser.parse(text, place);
            check.accept(value);
            return value;
        };
        return new Scalar<>(name, form, example, range, isSecret, literally, both, printer);
    }

    @Override
    public @Nullable T read(Place place) {
        var text = place.text(name + " like " + example, raw -> Forms.matches(form, raw), literally);
        if (text == null) return null;
        var shown = isSecret ? "the value" : place.shown();
        if (!Forms.matches(form, text)) {
            place.refuse(shown + " is not " + name + ": write one like " + example);
            return null;
        }
        try {
            return parser.parse(text, place);
        } catch (IllegalArgumentException e) {
            var why = String.valueOf(e.getMessage());
            place.refuse(why.startsWith(shown) ? why : shown + ": " + why);
            return null;
        }
    }

    @Override
    public String text(T value) {
        return printer.apply(value);
    }

    /// Matches texts with forms, which are regular expressions that a JSON Schema can have, too. Uses RE2, because
    /// Java's own matcher recurses for each repetition of a group, and a text may be long.
    static final class Forms {
        /// Bounded by the number of keys.
        private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();

        private Forms() {}

        /// Whether the whole text matches.
        static boolean matches(String form, String text) {
            return COMPILED.computeIfAbsent(form, Pattern::compile).matches(text);
        }
    }
}
