package io.millrace.proxy.configuration.shape;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A key of a [Section]: the shape of its value, its default, and what it is for. Compared by identity.
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

    /// A required key.
    public static <T> Key<T> required(String name, Shape<T> shape, String says) {
        return new Key<>(name, shape, true, null, says);
    }

    /// An optional key without a default.
    public static <T> Key<T> optional(String name, Shape<T> shape, String says) {
        return new Key<>(name, shape, false, null, says);
    }

    /// An optional key with a default.
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

    /// The default.
    public Optional<T> standard() {
        return Optional.ofNullable(standard);
    }

    /// The default as a file would have it.
    public Optional<String> standardText() {
        return standard().map(shape::text);
    }

    /// What it is for, in Markdown.
    public String says() {
        return says;
    }

    @Override
    public String toString() {
        return name;
    }
}
