package io.millrace.http;

import io.millrace.bytes.Bytes;
import java.lang.reflect.Type;
import java.util.Objects;

/// Rules for JSON that do not depend on the codec.
final class JsonValues {
    static final String MEDIA_TYPE = "application/json";

    private JsonValues() {}

    /// A value to write. A text that is JSON already must not be quoted again by mistake.
    ///
    /// @throws IllegalArgumentException for a text and for a type
    static Object checked(Object value) {
        if (value instanceof CharSequence) {
            throw new IllegalArgumentException("a text is not written as JSON, because it may be JSON already: use"
                    + " Response.jsonText(text), or of(…, \"application/json\", text), for that, and a value such as a"
                    + " record or a list for any other");
        }
        if (value instanceof Type || value instanceof JsonType) {
            throw new IllegalArgumentException(
                    value + " is a type, not a value: a body is read with json(Room.class), or json(new"
                            + " JsonType<List<Room>>() {})");
        }
        return Objects.requireNonNull(value, "null instead of a value");
    }

    /// @throws BadJson as [JsonCodec#read], and for `null`
    static Object read(JsonCodec codec, Bytes text, Type type) {
        var value = codec.read(text, type);
        if (value == null) throw new BadJson("a value is expected, not null", 1, 1, "");
        return value;
    }
}
