package io.millrace.http;

import io.millrace.bytes.Bytes;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/// What reads and writes JSON (RFC 8259): a library of your choice behind two methods. The module
/// `io.millrace.http.jackson` has one for Jackson; any other is a class with these two, which a server's
/// [HttpSettings#json] names, or which is a service of this type, so that everybody finds it.
///
/// Used by any number of threads at a time, on loops too: it must not block.
public interface JsonCodec {
    /// The value that a text stands for.
    ///
    /// @param text in UTF-8, all of it
    /// @param type of the value, with its arguments: a class, or what a [JsonType] says
    /// @return null for a text that is `null`, if the type has nothing better for it
    /// @throws BadJson for a text that is no JSON, that does not fit the type, or is beyond what is taken
    /// @throws HttpError that the value's own constructor has thrown, as it is
    @Nullable
    Object read(Bytes text, Type type);

    /// The text for a value, in UTF-8.
    ///
    /// @throws IllegalArgumentException for a value that cannot be written
    Bytes write(Object value);

    /// The one that is there as a service. Where there is none, or there are several, it refuses everything
    /// with an [IllegalStateException] that says what to do.
    static JsonCodec standard() {
        return FoundJson.CODEC;
    }
}
