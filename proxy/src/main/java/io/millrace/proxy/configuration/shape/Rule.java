package io.millrace.proxy.configuration.shape;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Which keys of a [Section] go together.
public sealed interface Rule {
    /// What is wrong, and the remedy; empty if the rule holds.
    Optional<String> broken(Values values);

    /// How many of these keys there may be.
    ///
    /// @param most the most keys; `least` is the fewest
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

    /// A key that needs another one.
    ///
    /// @param wanted keys of which the first needs one
    record Needs(Key<?> key, List<Key<?>> wanted) implements Rule {
        @Override
        public Optional<String> broken(Values values) {
            if (!values.has(key) || wanted.stream().anyMatch(values::has)) return Optional.empty();
            return Optional.of("the key " + key + " needs "
                    + wanted.stream().map(Key::name).collect(Collectors.joining(" or ")) + ": add it, or leave " + key
                    + " out");
        }
    }

    /// What holds if a key has a certain value, written or by default.
    ///
    /// @param wanted one of them is required, if there are any
    record When<T>(Key<T> key, T value, List<Key<?>> wanted, List<Key<?>> unwanted) implements Rule {
        @Override
        public Optional<String> broken(Values values) {
            if (!values.optional(key).filter(value::equals).isPresent()) return Optional.empty();
            var condition = "with " + key + ": " + key.shape().text(value) + " the key ";
            if (!wanted.isEmpty() && wanted.stream().noneMatch(values::has)) return Optional.of(missing());
            for (var other : unwanted) {
                if (values.has(other)) return Optional.of(condition + other + " has no effect: leave it out");
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

    /// Exactly one of them.
    static Rule exactlyOneOf(Key<?>... keys) {
        return new Count(1, 1, List.of(keys));
    }

    /// At most one of them.
    static Rule atMostOneOf(Key<?>... keys) {
        return new Count(0, 1, List.of(keys));
    }

    /// At least one of them.
    static Rule atLeastOneOf(Key<?>... keys) {
        return new Count(1, keys.length, List.of(keys));
    }

    /// The first only together with one of the others.
    static Rule needs(Key<?> key, Key<?>... oneOf) {
        return new Needs(key, List.of(oneOf));
    }
}
