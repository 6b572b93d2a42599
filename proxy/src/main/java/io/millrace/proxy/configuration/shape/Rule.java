package io.millrace.proxy.configuration.shape;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Which keys of a [Section] go together.
public sealed interface Rule {
    /// What is wrong, and the remedy; nothing when it is kept.
    Optional<String> broken(Values values);

    /// How many of some keys there are.
    ///
    /// @param most how many of the keys there may be, beside at least `least`
    record Count(int least, int most, List<Key<?>> keys) implements Rule {
        @Override
        public Optional<String> broken(Values values) {
            var present = keys.stream().filter(values::has).map(Key::name).toList();
            var names = keys.stream().map(Key::name).collect(Collectors.joining(", "));
            if (present.size() < least) return Optional.of("one of the keys " + names + " is missing: add one");
            if (present.size() <= most) return Optional.empty();
            return Optional.of("the keys " + String.join(" and ", present) + " exclude each other: keep one of them");
        }
    }

    /// A key that makes no sense alone.
    ///
    /// @param wanted keys without which the first makes no sense; one of them is enough
    record Needs(Key<?> key, List<Key<?>> wanted) implements Rule {
        @Override
        public Optional<String> broken(Values values) {
            if (!values.has(key) || wanted.stream().anyMatch(values::has)) return Optional.empty();
            return Optional.of("the key " + key + " means nothing without "
                    + wanted.stream().map(Key::name).collect(Collectors.joining(" or ")) + ": add it, or leave " + key
                    + " out");
        }
    }

    /// What holds while a key has a value, be it because it was left out.
    ///
    /// @param wanted one of them is there, if there are any
    record When<T>(Key<T> key, T value, List<Key<?>> wanted, List<Key<?>> unwanted) implements Rule {
        @Override
        public Optional<String> broken(Values values) {
            if (!values.optional(key).filter(value::equals).isPresent()) return Optional.empty();
            var condition = "with " + key + ": " + key.shape().text(value) + " the key ";
            if (!wanted.isEmpty() && wanted.stream().noneMatch(values::has)) return Optional.of(missing());
            for (var other : unwanted) {
                if (values.has(other)) return Optional.of(condition + other + " means nothing: leave it out");
            }
            return Optional.empty();
        }

        private String missing() {
            var names = wanted.stream().map(Key::name).collect(Collectors.joining(", "));
            var condition = "with " + key + ": " + key.shape().text(value);
            return wanted.size() == 1
                    ? condition + " the key " + names + " is needed: add it"
                    : condition + " one of the keys " + names + " is needed: add one";
        }
    }

    /// One of them, and no two.
    static Rule exactlyOneOf(Key<?>... keys) {
        return new Count(1, 1, List.of(keys));
    }

    /// One of them or none.
    static Rule atMostOneOf(Key<?>... keys) {
        return new Count(0, 1, List.of(keys));
    }

    /// One of them, and perhaps others.
    static Rule atLeastOneOf(Key<?>... keys) {
        return new Count(1, keys.length, List.of(keys));
    }

    /// The first is there with another of them only.
    static Rule needs(Key<?> key, Key<?>... oneOf) {
        return new Needs(key, List.of(oneOf));
    }
}
