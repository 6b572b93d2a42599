package io.millrace.http.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.millrace.bytes.Bytes;
import io.millrace.http.BadJson;
import io.millrace.http.JsonCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// JSON with Jackson. It is a service: if this module is installed, it is used. Immutable; any thread.
///
/// ```java
/// var strict = JacksonCodec.mapper().rebuild().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
/// HttpSettings.standard().json(JacksonCodec.of(strict))
/// ```
/// Records work unchanged, `Optional` is a value or `null`, and dates and times are texts in ISO 8601. Unknown
/// properties are ignored, as in Spring Boot, so that peers can add some. Input that programs read differently,
/// or that would lose information, is refused: duplicate names, texts that are not UTF-8, anything after the
/// value, 1.5 or "1" for a whole number, and a number for an enum constant. A missing number, or `null`, is 0.
///
/// Types of a named module must be open to Jackson: `opens my.api to com.fasterxml.jackson.databind`.
public final class JacksonCodec implements JsonCodec {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CHARSET_DETECTION)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .addModule(new Jdk8Module())
            .addModule(new JavaTimeModule())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build();

    private final ObjectMapper mapper;

    /// With the mapper described above.
    public JacksonCodec() {
        this(MAPPER);
    }

    private JacksonCodec(ObjectMapper mapper) {
        this.mapper = mapper;
        load();
    }

    /// What [#load] reads and writes.
    record Primer(String text, int number, List<String> texts) {}

    /// Reads and writes once, because that loads some hundred classes of Jackson: for its first JSON a loop would
    /// take a tenth of a second.
    private void load() {
        try {
            read(write(new Primer("", 0, List.of(""))), Primer.class);
        } catch (RuntimeException _) {
            // A mapper for other values than this one.
        }
    }

    /// With a mapper of your own, which must not be changed any more.
    public static JacksonCodec of(ObjectMapper mapper) {
        return new JacksonCodec(mapper);
    }

    /// The mapper described above; make another one of it with `rebuild`.
    public static JsonMapper mapper() {
        return MAPPER.copy();
    }

    @Override
    public @Nullable Object read(Bytes text, Type type) {
        var reader = mapper.readerFor(mapper.constructType(type));
        try (var parser = reader.createParser(text.toArray())) {
            try {
                if (parser.nextToken() == null) throw bad("the text is empty", parser);
                var value = reader.<@Nullable Object>readValue(parser);
                if (parser.nextToken() != null) throw bad("there is more after the value", parser);
                return value;
            } catch (JsonProcessingException e) {
                throw ReadFailure.of(e, parser);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BadJson bad(String why, JsonParser parser) {
        var at = parser.currentLocation();
        return new BadJson(why, at.getLineNr(), at.getColumnNr(), "");
    }

    @Override
    public Bytes write(Object value) {
        try {
            return Bytes.of(mapper.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "a value of " + value.getClass().getName() + " cannot be written as JSON: "
                            + e.getOriginalMessage(),
                    e);
        }
    }
}
