package io.millrace.proxy.configuration.shape;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A key of a [Section]: what stands behind it, what holds when it is left out, and what it is for. Compared by
/// identity.
public final class Key<T> {
    private final String name;
    private final Shape<T> shape;
    private final boolean isRequired;
    private final @Nullable T standard;
    private final String says;

    private Key(String name, Shape<T> shape, boolean isRequired, @Nullable T standard, String says) {
        this.name = name;
        this.shape = shape;
        this.isRequired = isRequired;
        this.standard = standard;
        this.says = says;
    }

    /// One that may not be left out.
    public static <T> Key<T> required(String name, Shape<T> shape, String says) {
        return new Key<>(name, shape, true, null, says);
    }

    /// One that may be left out, which means that there is none.
    public static <T> Key<T> optional(String name, Shape<T> shape, String says) {
        return new Key<>(name, shape, false, null, says);
    }

    /// One that may be left out, which means a certain value.
    public static <T> Key<T> standard(String name, Shape<T> shape, T value, String says) {
        return new Key<>(name, shape, false, value, says);
    }

    public String name() {
        return name;
    }

    public Shape<T> shape() {
        return shape;
    }

    public boolean isRequired() {
        return isRequired;
    }

    /// What holds when it is left out.
    public Optional<T> standard() {
        return Optional.ofNullable(standard);
    }

    /// The same as it would be written.
    public Optional<String> standardText() {
        return standard().map(shape::text);
    }

    /// For the reference, in Markdown.
    public String says() {
        return says;
    }

    @Override
    public String toString() {
        return name;
    }
}
