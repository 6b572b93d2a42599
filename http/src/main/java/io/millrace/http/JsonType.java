package io.millrace.http;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/// A type with arguments, which no class object stands for: the type of values read from JSON.
///
/// ```java
/// List<Room> rooms = request.json(new JsonType<List<Room>>() {});
/// ```
/// @param <T> the type
@SuppressWarnings("UnusedTypeParameter") // a subclass names it
public abstract class JsonType<T> {
    private final Type type;

    /// @throws IllegalArgumentException without a type argument, or for a subclass of a subclass
    protected JsonType() {
        var said =
                getClass().getGenericSuperclass() instanceof ParameterizedType it && it.getRawType() == JsonType.class
                        ? it.getActualTypeArguments()[0]
                        : null;
        if (said == null) {
            throw new IllegalArgumentException("a JsonType without a type: take new JsonType<List<Room>>() {}");
        }
        this.type = said;
    }

    /// As reflection represents it.
    public final Type type() {
        return type;
    }

    @Override
    public String toString() {
        return type.getTypeName();
    }
}
