package io.millrace.proxy.configuration.shape;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A mapping with fixed keys, and the value that is made of it.
///
/// @param name of the section in the reference, like `upstream`; no two have the same
/// @param says what it is for, in Markdown
/// @param rules which keys go together
/// @param renamed old names of keys, with the names of today
/// @param maker makes the value; throws [IllegalArgumentException] with what is wrong and the remedy
public record Section<T>(
        String name,
        String says,
        List<Key<?>> keys,
        List<Rule> rules,
        Map<String, String> renamed,
        Function<Values, T> maker)
        implements Shape<T> {
    /// A section without rules.
    public static <T> Section<T> of(String name, String says, Function<Values, T> maker, Key<?>... keys) {
        return new Section<>(name, says, List.of(keys), List.of(), Map.of(), maker);
    }

    /// A copy with these rules.
    public Section<T> with(Rule... more) {
        return new Section<>(name, says, keys, List.of(more), renamed, maker);
    }

    /// A copy that knows an old name of a key.
    public Section<T> was(String before, String key) {
        var more = new HashMap<>(renamed);
        more.put(before, key);
        return new Section<>(name, says, keys, rules, Map.copyOf(more), maker);
    }

    @Override
    public @Nullable T read(Place place) {
        var entries = Entries.of(
                place, "a mapping with " + keys.stream().map(Key::name).collect(Collectors.joining(", ")));
        if (entries == null) return null;
        var values = new Values(place);
        boolean isGood = entries.isGood();
        isGood &= areKnown(place, entries);
        for (var key : keys) isGood &= read(key, place, entries, values);
        for (var rule : rules) isGood &= isKept(rule, place, values);
        return isGood ? make(values, place) : null;
    }

    private boolean areKnown(Place place, Entries entries) {
        var known = keys.stream().map(Key::name).toList();
        boolean areKnown = true;
        for (var entry : entries.tuples().entrySet()) {
            var name = entry.getKey();
            if (known.contains(name)) continue;
            var below = place.below(name, entry.getValue().getKeyNode());
            var now = renamed.get(name);
            if (now != null) below.refuseRenamed(now);
            else below.refuse("the key is unknown: " + Nearest.remedy(name, known));
            areKnown = false;
        }
        return areKnown;
    }

    private boolean read(Key<?> key, Place place, Entries entries, Values values) {
        var tuple = entries.tuples().get(key.name());
        if (tuple == null) {
            if (key.isRequired()) place.refuse("the key " + key + " is missing: add it");
            return !key.isRequired();
        }
        var below = place.below(key.name(), tuple.getValueNode());
        var value = key.shape().read(below);
        if (value != null) values.put(key, below, value);
        else values.failed(key);
        return value != null;
    }

    private static boolean isKept(Rule rule, Place place, Values values) {
        var broken = rule.broken(values);
        broken.ifPresent(place::refuse);
        return broken.isEmpty();
    }

    private @Nullable T make(Values values, Place place) {
        try {
            return maker.apply(values);
        } catch (Values.Refused e) {
            var where = e.place();
            (where == null ? place : where).refuse(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            place.refuse(String.valueOf(e.getMessage()));
        }
        return null;
    }

    @Override
    public String text(T value) {
        return "";
    }
}
