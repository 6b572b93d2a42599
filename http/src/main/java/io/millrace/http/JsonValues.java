package io.millrace.http;

import io.millrace.bytes.Bytes;
import java.lang.reflect.Type;
import java.util.Objects;

/// What holds for JSON whatever reads and writes it.
final class JsonValues {
    static final String MEDIA_TYPE = "application/json";

    private JsonValues() {}

    /// A value to write. What was JSON already before there were codecs must not become a string in
    /// it unnoticed.
    ///
    /// @throws IllegalArgumentException for a text, and for a type
    static Object checked(Object value) {
        if (value instanceof CharSequence) {
            throw new IllegalArgumentException("a text is not written as JSON, because it may be JSON already: take"
                    + " Response.jsonText(text), or of(…, \"application/json\", text), for that, and a value such as a"
                    + " record or a list for any other");
        }
        if (value instanceof Type || value instanceof JsonType) {
            throw new IllegalArgumentException(
                    value + " is a type, and not a value: a body is read with json(Room.class), or json(new"
                            + " JsonType<List<Room>>() {})");
        }
        return Objects.requireNonNull(value, "null instead of a value");
    }

    /// @throws BadJson as [JsonCodec#read], and for `null`
    static Object read(JsonCodec codec, Bytes text, Type type) {
        var value = codec.read(text, type);
        if (value == null) throw new BadJson("a value is expected, and not null", 1, 1, "");
        return value;
    }
}
