package io.millrace.proxy.configuration.shape;

import io.millrace.proxy.configuration.shape.Scalar.Forms;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A mapping whose keys are names that the file's author chooses.
///
/// @param kind what the names stand for; declares them for each [Reference] of this kind
/// @param form of the names
/// @param identity if two values have an equal one, the second is refused
/// @param clash the reason, for the message
public record Named<T>(String kind, String form, Shape<T> item, Function<T, Object> identity, String clash)
        implements Shape<SequencedMap<String, T>> {
    /// Names that need no escaping in logs and metrics.
    public static final String NAME = "[A-Za-z][A-Za-z0-9_.-]{0,62}";

    /// A mapping whose values may be alike.
    public static <T> Named<T> of(String kind, String form, Shape<T> item) {
        return new Named<>(kind, form, item, _ -> new Object(), "");
    }

    /// A copy that refuses two values that are alike.
    public Named<T> distinctBy(Function<T, Object> identity, String clash) {
        return new Named<>(kind, form, item, identity, clash);
    }

    @Override
    public @Nullable SequencedMap<String, T> read(Place place) {
        var entries = Entries.of(place, "a mapping of names, like 'name: …'");
        if (entries == null) return null;
        var items = new LinkedHashMap<String, T>();
        var known = new HashMap<Object, String>();
        boolean isGood = entries.isGood();
        for (var entry : entries.tuples().entrySet()) {
            var name = entry.getKey();
            var below = place.below(name, entry.getValue().getValueNode());
            var value = isName(name, below.at(entry.getValue().getKeyNode())) ? item.read(below) : null;
            place.reading().declare(kind, name);
            isGood &= value != null && isNew(name, value, known, below);
            if (value != null) items.put(name, value);
        }
        return isGood ? Collections.unmodifiableSequencedMap(items) : null;
    }

    private boolean isName(String name, Place key) {
        if (Forms.matches(form, name)) return true;
        key.refuse(Place.quoted(name) + " is not a valid " + kind + " name: take one that matches " + form);
        return false;
    }

    private boolean isNew(String name, T value, Map<Object, String> known, Place place) {
        var other = known.putIfAbsent(identity.apply(value), name);
        if (other != null) place.refuse("it " + clash + " as " + other + ": change one of them, or leave it out");
        return other == null;
    }

    @Override
    public String text(SequencedMap<String, T> value) {
        return value.isEmpty() ? "{}" : String.join(", ", value.keySet());
    }
}
