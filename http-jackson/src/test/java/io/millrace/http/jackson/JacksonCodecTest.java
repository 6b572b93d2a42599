package io.millrace.http.jackson;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import io.millrace.bytes.Bytes;
import io.millrace.http.BadJson;
import io.millrace.http.HttpError;
import io.millrace.http.JsonCodec;
import io.millrace.http.JsonType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JacksonCodecTest {
    private static final JsonCodec CODEC = new JacksonCodec();

    enum Color {
        BLUE,
        RED
    }

    record Seat(int row, @Nullable Color color) {}

    record Room(String name, int places, List<Seat> seats, Optional<String> note) {}

    record Day(LocalDate date, Instant at, Duration length) {}

    record Picky(String name) {
        Picky {
            if (name.equals("secret")) throw new IllegalArgumentException("internal words");
            if (name.isBlank()) throw new HttpError(422, "blank").field("/name", "is empty");
        }
    }

    record Many(
            boolean flag,
            double number,
            BigInteger large,
            BigDecimal exact,
            UUID id,
            LocalDate date,
            String text,
            Color color,
            Map<String, Integer> map) {}

    static final class Knot {
        public Knot getMe() {
            return this;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T read(String text, Class<T> type) {
        return (T) requireNonNull(CODEC.read(Bytes.utf8(text), type));
    }

    private static BadJson bad(String text, Class<?> type) {
        return assertThrows(BadJson.class, () -> read(text, type), text);
    }

    private static String message(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }

    @Test
    void a_record_is_read_and_written_as_it_is() {
        var room = new Room("blue", 3, List.of(new Seat(1, Color.RED)), Optional.of("quiet"));
        var text = "{\"name\":\"blue\",\"places\":3,\"seats\":[{\"row\":1,\"color\":\"RED\"}],\"note\":\"quiet\"}";
        assertEquals(text, CODEC.write(room).utf8());
        assertEquals(room, read(text, Room.class));
    }

    @Test
    void what_would_be_read_as_something_else_is_refused() {
        bad("{\"row\":1,\"color\":0}", Seat.class);
        bad("{\"row\":\"1\",\"color\":\"RED\"}", Seat.class);
    }

    @Test
    void a_value_that_is_not_there_is_an_empty_optional() {
        assertEquals(Optional.empty(), read("{\"name\":\"blue\"}", Room.class).note());
        assertEquals(
                "{\"row\":0,\"color\":null}", CODEC.write(new Seat(0, null)).utf8());
    }

    @Test
    void dates_and_times_are_texts_in_ISO_8601() {
        var day = new Day(LocalDate.of(2026, 2, 3), Instant.EPOCH, Duration.ofSeconds(90));
        var text = "{\"date\":\"2026-02-03\",\"at\":\"1970-01-01T00:00:00Z\",\"length\":\"PT1M30S\"}";
        assertEquals(text, CODEC.write(day).utf8());
        assertEquals(day, read(text, Day.class));
    }

    @Test
    void a_type_with_arguments_is_read() {
        var type = new JsonType<Map<String, List<Seat>>>() {}.type();
        var read = CODEC.read(Bytes.utf8("{\"a\":[{\"row\":1,\"color\":\"BLUE\"}]}"), type);
        assertEquals(Map.of("a", List.of(new Seat(1, Color.BLUE))), read);
    }

    @Test
    void it_is_found_where_it_is_there() {
        assertInstanceOf(JacksonCodec.class, JsonCodec.standard());
    }

    @Test
    void what_a_type_does_not_have_is_passed_over_unless_a_mapper_says_otherwise() {
        var text = Bytes.utf8("{\"row\":1,\"color\":\"BLUE\",\"more\":{\"a\":[1]}}");
        assertEquals(new Seat(1, Color.BLUE), CODEC.read(text, Seat.class));
        var strict = JacksonCodec.of(JacksonCodec.mapper()
                .rebuild()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        var refused = assertThrows(BadJson.class, () -> strict.read(text, Seat.class));
        assertEquals("/more", refused.pointer());
        assertEquals("there is no such field", refused.detail());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"places\":\"x\"}; /places; this is not a whole number",
                "{\"places\":1.5}; /places; this is not a whole number",
                "{\"places\":99999999999}; /places; this number is out of range",
                "{\"places\":[]}; /places; this is not a whole number",
                "{\"seats\":{}}; /seats; this is not an array",
                "{\"seats\":[{\"row\":1},7]}; /seats/1; this is not an object",
                "{\"seats\":[{\"row\":1},{\"color\":\"GREEN\"}]}; /seats/1/color; this is not one of the accepted texts",
                "{\"name\":{}}; /name; this is not a text",
            })
    void what_does_not_fit_is_named_by_its_place(String text, String pointer, String detail) {
        var bad = bad(text, Room.class);
        assertEquals(pointer, bad.pointer());
        assertEquals(detail, bad.detail());
        assertTrue(message(bad).startsWith("line 1, column "), message(bad));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"flag\":\"perhaps\"}; this is not true or false",
                "{\"number\":\"x\"}; this is not a number",
                "{\"large\":\"x\"}; this is not a whole number",
                "{\"exact\":\"x\"}; this is not a number",
                "{\"id\":\"x\"}; this is not a UUID",
                "{\"date\":\"yesterday\"}; this is not a date or a time in ISO 8601",
                "{\"map\":{\"a/b\":\"x\"}}; this is not a whole number",
                "{\"map\":3}; this is not an object",
            })
    void what_is_expected_is_said_in_words_of_json(String text, String detail) {
        assertEquals(detail, bad(text, Many.class).detail());
    }

    @Test
    void a_name_in_a_pointer_is_escaped_and_bounded() {
        assertEquals(
                "/map/a~1b~0", bad("{\"map\":{\"a/b~\":\"x\"}}", Many.class).pointer());
        var tooLong = bad("{\"map\":{\"" + "n".repeat(10_000) + "\":\"x\"}}", Many.class);
        assertEquals(256, tooLong.pointer().length());
    }

    @Test
    void the_place_is_where_it_is_wrong() {
        var bad = bad("{\n  \"name\": \"blue\",\n  \"places\": true\n}", Room.class);
        assertEquals("line 3, column 13, /places: this is not a whole number", message(bad));
        assertEquals(
                "line 2, column 4: this is not JSON",
                message(bad("{\n \"a\" 1}", Object.class)).replaceAll("column \\d+", "column 4"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{]",
                "nul",
                "{'a':1}",
                "{\"a\":1,}",
                "[1 2]",
                "\"\u0001\"",
                "01",
                "NaN",
                "{a:1}",
                "//x\n1",
                "\"\\x\""
            })
    void what_is_no_JSON_is_refused(String text) {
        assertEquals("this is not JSON", bad(text, Object.class).detail(), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\t "})
    void nothing_is_no_value(String text) {
        assertEquals("the text is empty", bad(text, Object.class).detail());
    }

    @Test
    void nothing_may_stand_behind_a_value() {
        assertEquals("there is more after the value", bad("{} {}", Object.class).detail());
        assertEquals("this is not JSON", bad("{}}", Object.class).detail());
    }

    @Test
    void a_name_may_not_be_there_twice() {
        var bad = bad("{\"row\":1,\"row\":2}", Seat.class);
        assertEquals("this name occurs twice", bad.detail());
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-32BE", "ISO-8859-1"})
    void only_UTF_8_is_read(String charset) {
        var text = Bytes.of("{\"name\":\"größe\"}".getBytes(java.nio.charset.Charset.forName(charset)));
        assertThrows(BadJson.class, () -> CODEC.read(text, Room.class));
        assertEquals("größe", read("{\"name\":\"größe\"}", Room.class).name());
    }

    @Test
    void half_a_character_is_refused() {
        var text = "{\"name\":\"ö\"}".getBytes(StandardCharsets.UTF_8);
        text[text.length - 3] = '"';
        assertThrows(BadJson.class, () -> CODEC.read(Bytes.of(text), Room.class));
    }

    @Test
    void what_is_beyond_the_limits_is_refused() {
        assertEquals(1, read("[".repeat(999) + "]".repeat(999), List.class).size());
        assertBeyond("[".repeat(1001) + "]".repeat(1001), List.class);
        assertBeyond("{\"a\":".repeat(1001) + "1" + "}".repeat(1001), Map.class);
        assertBeyond("9".repeat(1001), BigInteger.class);
        assertBeyond("{\"" + "n".repeat(50_001) + "\":1}", Map.class);
        assertBeyond("\"" + "x".repeat(20_000_001) + "\"", String.class);
    }

    @Test
    void a_short_text_for_a_huge_whole_number_is_refused() {
        assertEquals(
                "this is not a whole number",
                bad("1e1000000000", BigInteger.class).detail());
    }

    private static void assertBeyond(String text, Class<?> type) {
        assertEquals("this is too long, or nested too deeply", bad(text, type).detail());
    }

    @Test
    void what_is_nested_deeply_and_never_ends_is_refused_too() {
        bad("[".repeat(100_000), Object.class);
        bad("{\"a\":[".repeat(100_000), Room.class);
    }

    @Test
    void what_is_wrong_says_nothing_of_the_program() {
        var bad = bad("{\"name\":\"secret\"}", Picky.class);
        assertEquals("this value is not accepted", bad.detail());
        assertFalse(message(bad).contains("internal"), message(bad));
        assertFalse(message(bad("{\"seats\":[7]}", Room.class)).contains("millrace"));
    }

    @Test
    void what_a_constructor_says_for_the_peer_is_said() {
        var error = assertThrows(HttpError.class, () -> read("{\"name\":\" \"}", Picky.class));
        assertEquals(422, error.status());
        assertEquals("/name", error.fields().getFirst().field());
    }

    @Test
    void a_type_that_cannot_be_read_is_the_fault_of_the_program() {
        assertThrows(IllegalArgumentException.class, () -> read("{\"a\":1}", Runnable.class));
    }

    @Test
    void a_value_that_is_nested_deeper_than_is_taken_is_not_written() {
        List<?> value = List.of();
        for (int i = 0; i < 1000; i++) value = List.of(value);
        var deepest = value;
        assertThrows(IllegalArgumentException.class, () -> CODEC.write(deepest));
    }

    @Test
    void a_value_that_cannot_be_written_is_named() {
        var refused = assertThrows(IllegalArgumentException.class, () -> CODEC.write(new Knot()));
        assertTrue(message(refused).contains(Knot.class.getName()), message(refused));
    }
}
