package io.millrace.proxy.configuration.shape;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The keys of a [Section] by the properties of the value that it makes, each said once. What holds for a key that is
/// left out is what the standard value has, so that files and programs mean the same by it.
///
/// ```java
/// static final KeyTable<Retries> RETRIES = KeyTable.of("retries", "When a request is …", Retries.STANDARD)
///         .key("attempts", new WholeNumber(1, 10, "attempts"), "The first one included.")
///         .optional("per-try-timeout", TIME, "How long each attempt may take.");
/// ```
/// Changed by its methods until it is used, by the thread that makes it; then immutable.
public final class KeyTable<T> {
    private final String name;
    private final String says;
    private final Class<?> type;
    private final @Nullable T standard;
    private final Map<Key<?>, Property> rows = new LinkedHashMap<>();
    private final Map<Key<?>, Object> without = new HashMap<>();
    private final Map<Property, KeyTable<?>> parts = new LinkedHashMap<>();
    private final List<Key<?>> keys = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final Map<String, String> renamed = new LinkedHashMap<>();
    private Function<Values, @Nullable T> begin;
    private BiConsumer<Values, T> check = (_, _) -> {};

    private KeyTable(String name, String says, Class<?> type, @Nullable T standard) {
        this.name = name;
        this.says = says;
        this.type = type;
        this.standard = standard;
        this.begin = _ -> standard;
    }

    /// One whose keys may all be left out.
    ///
    /// @param name of the section in the reference
    public static <T> KeyTable<T> of(String name, String says, T standard) {
        return new KeyTable<>(name, says, standard.getClass(), standard);
    }

    /// One of a record that has no standard: each key is required, or says what holds without it.
    public static <T extends Record> KeyTable<T> of(String name, String says, Class<T> type) {
        return new KeyTable<>(name, says, type, null);
    }

    /// A key that may be left out, which means what the standard value has; the reference tells what that is.
    public <V> KeyTable<T> key(String key, Shape<V> shape, String about) {
        return key(key, key, shape, about);
    }

    /// The same of a property that has another name.
    @SuppressWarnings("unchecked") // of the shape's kind, or the standards' test fails
    public <V> KeyTable<T> key(String key, String property, Shape<V> shape, String about) {
        var its = Property.of(type, property);
        var value = standard == null ? null : its.read(standard);
        if (value == null) throw new IllegalArgumentException("nothing is the standard of " + name + "." + key);
        return row(Key.standard(key, shape, (V) value, about), its);
    }

    /// The keys of a value that is a property of this one, which stand among its own.
    public KeyTable<T> part(String property, KeyTable<?> of) {
        parts.put(Property.of(type, property), of);
        keys.addAll(of.keys);
        return this;
    }

    /// A key that may be left out, which means a certain value.
    public <V> KeyTable<T> keyOr(String key, Shape<V> shape, V without, String about) {
        return row(Key.standard(key, shape, without, about), Property.of(type, key));
    }

    /// A key that may be left out; what that means is said of it.
    public <V> KeyTable<T> optional(String key, Shape<V> shape, String about) {
        return row(Key.optional(key, shape, about), Property.of(type, key));
    }

    /// The same, where nothing has a value.
    public <V> KeyTable<T> optional(String key, Shape<V> shape, V nothing, String about) {
        var made = Key.optional(key, shape, about);
        without.put(made, nothing);
        return row(made, Property.of(type, key));
    }

    /// A key that may not be left out.
    public <V> KeyTable<T> required(String key, Shape<V> shape, String about) {
        return row(Key.required(key, shape, about), Property.of(type, key));
    }

    /// A key that rules mention.
    public KeyTable<T> key(Key<?> key) {
        return row(key, Property.of(type, key.name()));
    }

    /// The same of one that may be left out, where nothing has a value.
    public <V> KeyTable<T> key(Key<V> key, V nothing) {
        without.put(key, nothing);
        return key(key);
    }

    private KeyTable<T> row(Key<?> key, Property property) {
        rows.put(key, property);
        keys.add(key);
        return this;
    }

    /// Keys that are no properties: what the value begins with is made of them.
    public KeyTable<T> begin(Function<Values, @Nullable T> with, Key<?>... made) {
        keys.addAll(List.of(made));
        begin = with;
        return this;
    }

    /// Which keys go together.
    public KeyTable<T> with(Rule... more) {
        rules.addAll(List.of(more));
        return this;
    }

    /// What a key was called before.
    public KeyTable<T> was(String before, String key) {
        renamed.put(before, key);
        return this;
    }

    /// A last look at the value.
    ///
    /// @param look throws what [Values#refused] gives
    public KeyTable<T> checked(BiConsumer<Values, T> look) {
        check = look;
        return this;
    }

    /// As a shape of the file.
    public Section<T> section() {
        return new Section<>(name, says, List.copyOf(keys), List.copyOf(rules), Map.copyOf(renamed), this::make);
    }

    private T make(Values values) {
        var made = type.isRecord() ? ofComponents(values) : bySetters(values);
        check.accept(values, made);
        return made;
    }

    @SuppressWarnings("unchecked") // setters return what they belong to
    private T bySetters(Values values) {
        Object value = Objects.requireNonNull(begin.apply(values));
        for (var row : rows.entrySet()) {
            var key = row.getKey();
            if (!values.has(key)) continue;
            try {
                value = row.getValue().set(value, values.of(key));
            } catch (IllegalArgumentException e) {
                throw values.refused(key, String.valueOf(e.getMessage()));
            }
        }
        return (T) value;
    }

    @SuppressWarnings("unchecked") // the record's own constructor
    private T ofComponents(Values values) {
        var from = begin.apply(values);
        var components = type.getRecordComponents();
        var arguments = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) arguments[i] = argument(components[i], values, from);
        var types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            return (T) type.getDeclaredConstructor(types).newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException refused) throw refused;
            throw new IllegalStateException(type + " cannot be made", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " cannot be made", e);
        }
    }

    private @Nullable Object argument(RecordComponent component, Values values, @Nullable T from) {
        for (var part : parts.entrySet()) {
            if (part.getKey().name().equals(component.getName()))
                return part.getValue().make(values);
        }
        for (var row : rows.entrySet()) {
            var property = row.getValue();
            if (!property.name().equals(component.getName())) continue;
            var wanted = values.optional(row.getKey());
            if (wanted.isPresent()) return property.toProgram(wanted.get());
            var nothing = from == null ? without.get(row.getKey()) : property.read(from);
            return property.toProgram(nothing);
        }
        if (component.getName().equals("name")) return values.name();
        return from == null ? null : new Property(component.getName(), component.getAccessor(), null).read(from);
    }
}
