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

/// The keys of a [Section], by the properties of the value that it makes. A key's default is the property of the
/// standard value, so that files and programs have the same defaults.
///
/// ```java
/// static final KeyTable<Retries> RETRIES = KeyTable.of("retries", "When a request is …", Retries.STANDARD)
///         .key("attempts", new WholeNumber(1, 10, "attempts"), "The first one included.")
///         .optional("per-try-timeout", TIME, "How long each attempt may take.");
/// ```
/// Its methods change it, on the thread that makes it, until it is used; then it is immutable.
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

    /// A table of optional keys.
    ///
    /// @param name of the section in the reference
    public static <T> KeyTable<T> of(String name, String says, T standard) {
        return new KeyTable<>(name, says, standard.getClass(), standard);
    }

    /// A table for a record without a standard value: each key is required, or has a default of its own.
    public static <T extends Record> KeyTable<T> of(String name, String says, Class<T> type) {
        return new KeyTable<>(name, says, type, null);
    }

    /// An optional key whose default is the standard value's property, shown in the reference.
    public <V> KeyTable<T> key(String key, Shape<V> shape, String about) {
        return key(key, key, shape, about);
    }

    /// The same, for a property with another name.
    @SuppressWarnings("unchecked") // the shape's type; StandardsTest fails otherwise
    public <V> KeyTable<T> key(String key, String property, Shape<V> shape, String about) {
        var its = Property.of(type, property);
        var value = standard == null ? null : its.read(standard);
        if (value == null) throw new IllegalArgumentException("there is no default for " + name + "." + key);
        return row(Key.standard(key, shape, (V) value, about), its);
    }

    /// The keys of a property's value, which are among this section's own keys.
    public KeyTable<T> part(String property, KeyTable<?> of) {
        parts.put(Property.of(type, property), of);
        keys.addAll(of.keys);
        return this;
    }

    /// An optional key with this default.
    public <V> KeyTable<T> keyOr(String key, Shape<V> shape, V without, String about) {
        return row(Key.standard(key, shape, without, about), Property.of(type, key));
    }

    /// An optional key; its description says what holds without it.
    public <V> KeyTable<T> optional(String key, Shape<V> shape, String about) {
        return row(Key.optional(key, shape, about), Property.of(type, key));
    }

    /// The same, with a value for a missing key.
    public <V> KeyTable<T> optional(String key, Shape<V> shape, V nothing, String about) {
        var made = Key.optional(key, shape, about);
        without.put(made, nothing);
        return row(made, Property.of(type, key));
    }

    /// A required key.
    public <V> KeyTable<T> required(String key, Shape<V> shape, String about) {
        return row(Key.required(key, shape, about), Property.of(type, key));
    }

    /// A key that rules refer to.
    public KeyTable<T> key(Key<?> key) {
        return row(key, Property.of(type, key.name()));
    }

    /// The same for an optional key, with a value if it is missing.
    public <V> KeyTable<T> key(Key<V> key, V nothing) {
        without.put(key, nothing);
        return key(key);
    }

    private KeyTable<T> row(Key<?> key, Property property) {
        rows.put(key, property);
        keys.add(key);
        return this;
    }

    /// Keys that are not properties: the initial value is made of them.
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

    /// An old name of a key.
    public KeyTable<T> was(String before, String key) {
        renamed.put(before, key);
        return this;
    }

    /// A check of the finished value.
    ///
    /// @param look throws the result of [Values#refused]
    public KeyTable<T> checked(BiConsumer<Values, T> look) {
        check = look;
        return this;
    }

    /// The section as a shape.
    public Section<T> section() {
        return new Section<>(name, says, List.copyOf(keys), List.copyOf(rules), Map.copyOf(renamed), this::make);
    }

    private T make(Values values) {
        var made = type.isRecord() ? ofComponents(values) : bySetters(values);
        check.accept(values, made);
        return made;
    }

    @SuppressWarnings("unchecked") // setters return their own type
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
