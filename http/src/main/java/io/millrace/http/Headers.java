package io.millrace.http;

import io.millrace.http.h1.Syntax;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Fields of a message, in their order; names are compared without regard to case (RFC 9110 section 5).
/// Immutable.
public final class Headers {
    /// No fields.
    public static final Headers EMPTY = new Headers(new String[0]);

    /// Name, value, name, value, …
    private final String[] pairs;

    private Headers(String... pairs) {
        this.pairs = pairs;
    }

    /// The value of the first field of this name.
    public Optional<String> first(String name) {
        int at = find(name, 0);
        return at < 0 ? Optional.empty() : Optional.of(pairs[at + 1]);
    }

    /// The values of all fields of this name.
    public List<String> all(String name) {
        var values = new ArrayList<String>();
        for (int at = find(name, 0); at >= 0; at = find(name, at + 2)) values.add(pairs[at + 1]);
        return List.copyOf(values);
    }

    /// Whether there is a field of this name.
    public boolean has(String name) {
        return find(name, 0) >= 0;
    }

    /// How many fields there are.
    public int size() {
        return pairs.length / 2;
    }

    /// The name of a field, counted from 0.
    public String name(int index) {
        return pairs[2 * index];
    }

    /// The value of a field, counted from 0.
    public String value(int index) {
        return pairs[2 * index + 1];
    }

    /// Calls with the name and value of each.
    public void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < pairs.length; i += 2) action.accept(pairs[i], pairs[i + 1]);
    }

    /// With one more field.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent
    public Headers with(String name, String value) {
        var more = Arrays.copyOf(pairs, pairs.length + 2);
        more[pairs.length] = Syntax.checkName(name);
        more[pairs.length + 1] = Syntax.checkValue(name, value);
        return new Headers(more);
    }

    /// Without the fields of this name.
    public Headers without(String name) {
        if (!has(name)) return this;
        var kept = new Builder();
        forEach((other, value) -> {
            if (!other.equalsIgnoreCase(name)) kept.addValid(other, value);
        });
        return kept.build();
    }

    private int find(String name, int from) {
        for (int i = from; i < pairs.length; i += 2) {
            if (pairs[i].equalsIgnoreCase(name)) return i;
        }
        return -1;
    }

    /// For many fields.
    public static Builder builder() {
        return new Builder();
    }

    /// Collects fields; used by one thread.
    public static final class Builder {
        private final List<String> pairs = new ArrayList<>();

        private Builder() {}

        /// Adds a field.
        ///
        /// @throws IllegalArgumentException for a name or a value that may not be sent
        public Builder add(String name, String value) {
            pairs.add(Syntax.checkName(name));
            pairs.add(Syntax.checkValue(name, value));
            return this;
        }

        /// What came from the wire was looked at there.
        Builder addValid(String name, String value) {
            pairs.add(name);
            pairs.add(value);
            return this;
        }

        public Headers build() {
            return pairs.isEmpty() ? EMPTY : new Headers(pairs.toArray(String[]::new));
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Headers that && Arrays.equals(pairs, that.pairs);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(pairs);
    }

    /// As they would be sent, one a line; values of `Authorization`, `Cookie` and their like are left out.
    @Override
    public String toString() {
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
