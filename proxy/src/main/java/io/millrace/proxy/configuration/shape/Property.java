package io.millrace.proxy.configuration.shape;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A key's counterpart in a program: a component of a record, or a property that an immutable class sets and reads
/// by one name. Numbers, lists and missing values are converted to its type.
///
/// @param setter returns a copy; null for a component
record Property(String name, Method getter, @Nullable Method setter) {
    /// The property of a key: `firstByte` for `first-byte`, or a name with a unit (`headBytes`, `jitterPercent`)
    /// or `is`.
    ///
    /// @throws IllegalArgumentException if there is none
    static Property of(Class<?> type, String key) {
        var name = camel(key);
        var capital = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        return Stream.of(name, name + "Bytes", name + "Percent", "is" + capital)
                .flatMap(each -> Arrays.stream(type.getMethods())
                        .filter(method -> method.getName().equals(each) && method.getParameterCount() == 0))
                .findFirst()
                .map(getter -> new Property(getter.getName(), getter, setter(type, getter)))
                .orElseThrow(() -> new IllegalArgumentException(type + " has nothing for the key " + key));
    }

    private static String camel(String key) {
        var words = key.split("-", -1);
        return words[0]
                + Arrays.stream(words, 1, words.length)
                        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                        .collect(Collectors.joining());
    }

    private static @Nullable Method setter(Class<?> type, Method getter) {
        if (type.isRecord()) return null;
        try {
            return type.getMethod(getter.getName(), getter.getReturnType());
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(type + " does not set " + getter.getName(), e);
        }
    }

    /// The property's value, as a file's type; null for none.
    @Nullable
    Object read(Object value) {
        return toFile(invoke(getter, value));
    }

    /// A copy of a value whose class is not a record.
    Object set(Object value, Object wanted) {
        return Objects.requireNonNull(invoke(Objects.requireNonNull(setter), value, toProgram(wanted)));
    }

    /// The file's value, as the component's or property's type.
    @Nullable
    Object toProgram(@Nullable Object value) {
        return toProgram(value, getter.getGenericReturnType());
    }

    private static @Nullable Object toProgram(@Nullable Object value, Type type) {
        if (type instanceof ParameterizedType of) {
            var inner = of.getActualTypeArguments()[0];
            if (of.getRawType() == Optional.class) return Optional.ofNullable(toProgram(value, inner));
            if (value instanceof List<?> list) {
                var all = list.stream().map(item -> toProgram(item, inner)).map(Objects::requireNonNull);
                return of.getRawType() == Set.class ? all.collect(Collectors.toUnmodifiableSet()) : all.toList();
            }
        }
        boolean isInt = type == int.class || type == Integer.class;
        return isInt && value instanceof Long number ? Math.toIntExact(number) : value;
    }

    private static @Nullable Object toFile(@Nullable Object value) {
        return switch (value) {
            case Integer number -> (long) number;
            case Optional<?> optional -> optional.map(Property::toFile).orElse(null);
            case Set<?> set -> set.stream().map(Property::toFile).sorted().toList();
            case null, default -> value;
        };
    }

    /// Exceptions of the method pass unchanged.
    private static @Nullable Object invoke(Method method, Object on, @Nullable Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException refused) throw refused;
            throw new IllegalStateException(method + " cannot be called", e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(method + " cannot be called", e);
        }
    }
}
