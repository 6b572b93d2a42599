package io.millrace.http;

import io.millrace.bytes.Bytes;
import java.lang.reflect.Type;
import java.util.List;
import java.util.ServiceLoader;

/// The codec on the module path or the class path. Looked up by the first server as it starts, or at first use.
final class FoundJson {
    static final JsonCodec CODEC = choice(ServiceLoader.load(JsonCodec.class, JsonCodec.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList());

    private FoundJson() {}

    /// The only codec of these.
    static JsonCodec choice(List<JsonCodec> found) {
        return switch (found.size()) {
            case 0 ->
                new Refusing("there is no JSON codec: add the dependency"
                        + " io.millrace:millrace-http-jackson, or name a codec with HttpSettings.json");
            case 1 -> found.getFirst();
            default ->
                new Refusing("there are several JSON codecs: leave one of "
                        + found.stream().map(one -> one.getClass().getName()).toList()
                        + " out, or name one with HttpSettings.json");
        };
    }

    private record Refusing(String why) implements JsonCodec {
        @Override
        public Object read(Bytes text, Type type) {
            throw new IllegalStateException(why);
        }

        @Override
        public Bytes write(Object value) {
            throw new IllegalStateException(why);
        }
    }
}
