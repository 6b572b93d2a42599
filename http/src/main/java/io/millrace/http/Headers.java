package io.millrace.http;

import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.ReceivedHeaders;
import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// A message's fields, in their order; names are compared without regard to case (RFC 9110 section 5). Immutable.
public abstract sealed class Headers permits BuiltHeaders, ReceivedHeaders {
    /// No fields.
    @SuppressWarnings("ClassInitializationDeadlock") // only this class makes one, so it is initialized first
    public static final Headers EMPTY = new BuiltHeaders();

    protected Headers() {}

    /// How many fields there are.
    public abstract int size();

    /// The name of a field; the index begins at 0.
    public abstract String name(int index);

    /// The value of a field; the index begins at 0.
    public abstract String value(int index);

    /// The index of the first field of this name at or after `from`, or -1.
    protected abstract int find(String name, int from);

    /// The value of the first field of this name.
    public final Optional<String> first(String name) {
        int at = find(name, 0);
        return at < 0 ? Optional.empty() : Optional.of(value(at));
    }

    /// The values of all fields of this name.
    public final List<String> all(String name) {
        int at = find(name, 0);
        if (at < 0) return List.of();
        var values = new ArrayList<String>();
        for (; at >= 0; at = find(name, at + 1)) values.add(value(at));
        return List.copyOf(values);
    }

    /// Whether there is a field of this name.
    public final boolean has(String name) {
        return find(name, 0) >= 0;
    }

    /// Calls the action with the name and value of each field.
    public final void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < size(); i++) action.accept(name(i), value(i));
    }

    /// A copy with one more field.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent
    @CheckReturnValue
    public Headers with(String name, String value) {
        var more = pairs(1);
        more[more.length - 2] = Syntax.checkName(name);
        more[more.length - 1] = Syntax.checkValue(name, value);
        return new BuiltHeaders(more);
    }

    /// Name, value, name, value, …
    private String[] pairs(int spare) {
        var pairs = new String[2 * (size() + spare)];
        for (int i = 0; i < size(); i++) {
            pairs[2 * i] = name(i);
            pairs[2 * i + 1] = value(i);
        }
        return pairs;
    }

    /// A copy without the fields of this name.
    @CheckReturnValue
    public Headers without(String name) {
        if (!has(name)) return this;
        var kept = new Builder();
        forEach((other, value) -> {
            if (!other.equalsIgnoreCase(name)) kept.addValid(other, value);
        });
        return kept.build();
    }

    /// A builder, for many fields.
    public static Builder builder() {
        return new Builder();
    }

    /// Collects fields; used by one thread.
    public static final class Builder {
        private final List<String> pairs = new ArrayList<>();

        private Builder() {}

        /// Adds a field.
        ///
        /// @throws IllegalArgumentException for a name or a value that must not be sent
        public Builder add(String name, String value) {
            pairs.add(Syntax.checkName(name));
            pairs.add(Syntax.checkValue(name, value));
            return this;
        }

        /// For fields from the wire, which the parser has checked.
        Builder addValid(String name, String value) {
            pairs.add(name);
            pairs.add(value);
            return this;
        }

        public Headers build() {
            return pairs.isEmpty() ? EMPTY : new BuiltHeaders(pairs.toArray(String[]::new));
        }
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof Headers that && Arrays.equals(pairs(0), that.pairs(0));
    }

    @Override
    public final int hashCode() {
        return Arrays.hashCode(pairs(0));
    }

    /// One field a line, as sent; the values of `Authorization`, `Cookie` and the like are left out.
    @Override
    public final String toString() {
        var text = new StringBuilder();
        forEach((name, value) -> text.append(name)
                .append(": ")
                .append(isSecret(name) ? "…" : value)
                .append('\n'));
        return text.toString();
    }

    private static boolean isSecret(String name) {
        return List.of("authorization", "proxy-authorization", "cookie", "set-cookie")
                .contains(name.toLowerCase(java.util.Locale.ROOT));
    }
}
