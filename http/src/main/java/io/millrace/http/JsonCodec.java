package io.millrace.http;

import io.millrace.bytes.Bytes;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/// Reads and writes JSON (RFC 8259): a library of your choice behind two methods. The module
/// `io.millrace.http.jackson` has one for Jackson. Any other is a class with these two methods, either named by a
/// server's [HttpSettings#json] or installed as a service of this type.
///
/// Used by any number of threads at a time, on loops too: it must not block.
public interface JsonCodec {
    /// Reads a value.
    ///
    /// @param text the whole text, in UTF-8
    /// @param type the value's type, with its arguments: a class, or the type of a [JsonType]
    /// @return null for a text that is `null`, if the type has nothing better for it
    /// @throws BadJson for a text that is not JSON, does not fit the type, or exceeds the codec's limits
    /// @throws HttpError that the value's own constructor has thrown, unchanged
    @Nullable
    Object read(Bytes text, Type type);

    /// Writes a value, in UTF-8.
    ///
    /// @throws IllegalArgumentException for a value that cannot be written
    Bytes write(Object value);

    /// The codec installed as a service. If there is none, or several, every call throws an
    /// [IllegalStateException] with the remedy.
    static JsonCodec standard() {
        return FoundJson.CODEC;
    }
}
