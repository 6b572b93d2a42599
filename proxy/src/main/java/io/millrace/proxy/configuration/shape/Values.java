package io.millrace.proxy.configuration.shape;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The values of the keys of one [Section], for its maker.
public final class Values {
    private final Place section;
    private final Map<Key<?>, Object> values = new HashMap<>();
    private final Map<Key<?>, Place> places = new HashMap<>();
    private final Set<Key<?>> failed = new HashSet<>();

    /// Thrown by [#refused] and caught by the section.
    static final class Refused extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        private final transient @Nullable Place place;

        private Refused(@Nullable Place place, String why) {
            super(why);
            this.place = place;
        }

        @Nullable
        Place place() {
            return place;
        }
    }

    Values(Place section) {
        this.section = section;
    }

    void put(Key<?> key, Place place, Object value) {
        values.put(key, value);
        places.put(key, place);
    }

    /// Notes that the file has the key, with a value that cannot be used.
    void failed(Key<?> key) {
        failed.add(key);
    }

    /// The key whose value the section is.
    public String name() {
        return section.name();
    }

    /// Whether the file has the key.
    public boolean has(Key<?> key) {
        return values.containsKey(key) || failed.contains(key);
    }

    /// The value of a key that is required, or has a default.
    public <T> T of(Key<T> key) {
        return optional(key)
                .orElseThrow(() -> new AssertionError("the key " + key + " is optional: ask for it with optional()"));
    }

    /// The value of an optional key.
    @SuppressWarnings("unchecked") // put there with its key
    public <T> Optional<T> optional(Key<T> key) {
        var value = (@Nullable T) values.get(key);
        return value == null ? key.standard() : Optional.of(value);
    }

    /// An exception to throw if a value does not go with the others.
    ///
    /// @param why what is wrong, and the remedy
    public IllegalArgumentException refused(Key<?> key, String why) {
        return new Refused(places.getOrDefault(key, section), why);
    }
}
