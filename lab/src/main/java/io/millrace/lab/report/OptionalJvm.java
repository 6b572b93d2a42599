package io.millrace.lab.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import java.util.Optional;

/// An absent [Jvm] is `null` in the file: Jackson itself knows no `Optional`.
final class OptionalJvm {
    private OptionalJvm() {}

    static final class Writer extends JsonSerializer<Optional<Jvm>> {
        @Override
        public void serialize(Optional<Jvm> jvm, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (jvm.isPresent()) {
                json.writePOJO(jvm.get());
            } else {
                json.writeNull();
            }
        }
    }

    static final class Reader extends JsonDeserializer<Optional<Jvm>> {
        @Override
        public Optional<Jvm> deserialize(JsonParser json, DeserializationContext context) throws IOException {
            return Optional.of(context.readValue(json, Jvm.class));
        }

        @Override
        public Optional<Jvm> getNullValue(DeserializationContext context) {
            return Optional.empty();
        }
    }
}
