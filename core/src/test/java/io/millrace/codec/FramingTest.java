package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What frames look like on the wire, and which messages and settings are refused.
class FramingTest {
    private static final LengthPrefixed PREFIXED = Framing.lengthPrefixed(1000);

    static Stream<Arguments> shapes() {
        return Stream.of(
                Arguments.of(PREFIXED, "0a0b", "00000002 0a0b"),
                Arguments.of(PREFIXED, "", "00000000"),
                Arguments.of(PREFIXED.lengthField(1), "0a0b", "02 0a0b"),
                Arguments.of(PREFIXED.lengthField(2), "0a0b", "0002 0a0b"),
                Arguments.of(PREFIXED.lengthField(3), "0a0b", "000002 0a0b"),
                Arguments.of(PREFIXED.lengthField(8), "0a0b", "0000000000000002 0a0b"),
                Arguments.of(PREFIXED.littleEndian(), "0a0b", "02000000 0a0b"),
                Arguments.of(PREFIXED.lengthField(2).littleEndian(), "0a0b", "0200 0a0b"),
                Arguments.of(PREFIXED.lengthField(3).littleEndian(), "0a0b", "020000 0a0b"),
                Arguments.of(PREFIXED.lengthField(8).littleEndian(), "0a0b", "0200000000000000 0a0b"),
                Arguments.of(PREFIXED.varint(), "0a0b", "02 0a0b"),
                Arguments.of(PREFIXED.varint(), "11".repeat(127), "7f" + "11".repeat(127)),
                Arguments.of(PREFIXED.varint(), "11".repeat(128), "8001" + "11".repeat(128)),
                Arguments.of(PREFIXED.varint(), "11".repeat(1000), "e807" + "11".repeat(1000)),
                Arguments.of(PREFIXED.adjustment(-4), "0a0b", "00000006 0a0b"),
                Arguments.of(PREFIXED.lengthField(1).adjustment(1), "0a0b0c", "02 0a0b0c"),
                Arguments.of(PREFIXED.withHeader(), "ffffffff 0a0b", "00000002 0a0b"),
                Arguments.of(PREFIXED.offset(1).adjustment(-4), "51 ffffffff 0a0b", "51 00000006 0a0b"),
                Arguments.of(PREFIXED.offset(2).lengthField(1), "5152 ff 0a", "5152 01 0a"),
                Arguments.of(PREFIXED.offset(1).varint(), "30 ff 0a0b", "30 02 0a0b"),
                Arguments.of(
                        PREFIXED.offset(3).varint(), "303132 ff" + "11".repeat(200), "303132 c801" + "11".repeat(200)),
                Arguments.of(Framing.lines(10), "61", "61 0a"),
                Arguments.of(Framing.lines(10), "", "0a"),
                Arguments.of(Framing.lines(10), "610d62", "610d62 0a"),
                Arguments.of(Framing.delimited(Bytes.utf8("\r\n"), 10), "61", "61 0d0a"),
                Arguments.of(Framing.delimited(Bytes.utf8("\r\n"), 10), "610d", "610d 0d0a"),
                Arguments.of(Framing.fixed(3), "010203", "010203"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("shapes")
    void a_message_is_framed(Framing framing, String body, String frame) {
        try (var wire = new Wire()) {
            framing.write(bytes(body), Codec.bytes(), wire.output);
            assertEquals(bytes(frame), Bytes.of(wire.written()));
        }
    }

    /// With anything in front of it, so that the header may lie across slabs.
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("shapes")
    void a_message_is_framed_wherever_the_slab_ends(Framing framing, String body, String frame) {
        for (int before = 2030; before <= 2050; before++) {
            try (var wire = new Wire()) {
                wire.output.write(new byte[before], 0, before);
                framing.write(bytes(body), Codec.bytes(), wire.output);
                var expected = "00".repeat(before) + frame;
                assertEquals(bytes(expected), Bytes.of(wire.written()), "after " + before + " bytes");
            }
        }
    }

    static Stream<Arguments> refusedMessages() {
        return Stream.of(
                Arguments.of(PREFIXED, "11".repeat(1001), "1001 bytes is over the limit of 1000"),
                Arguments.of(PREFIXED.lengthField(1), "11".repeat(256), "it holds 0 to 255"),
                Arguments.of(PREFIXED.lengthField(2).adjustment(-65_000), "11".repeat(600), "it holds 0 to 65535"),
                Arguments.of(PREFIXED.adjustment(3), "0102", "a length of -1"),
                Arguments.of(PREFIXED.offset(2), "0102030405", "a header of 6"),
                Arguments.of(PREFIXED.offset(2).varint(), "0102", "a header of 3"),
                Arguments.of(PREFIXED.varint(), "11".repeat(1001), "1001 bytes is over the limit of 1000"),
                Arguments.of(Framing.lines(3), "61626364", "4 bytes is over the limit of 3"),
                Arguments.of(Framing.lines(10), "610a62", "contains the delimiter 1 bytes [0a] at 1"),
                Arguments.of(Framing.lines(10), "610d", "ends with a carriage return"),
                Arguments.of(
                        Framing.delimited(Bytes.utf8("--"), 10), "612d", "contains the delimiter 2 bytes [2d2d] at 1"),
                Arguments.of(Framing.delimited(Bytes.utf8("aba"), 10), "6162", "contains the delimiter"),
                Arguments.of(Framing.fixed(3), "0102", "exactly that length"),
                Arguments.of(Framing.fixed(3), "01020304", "exactly that length"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("refusedMessages")
    void a_message_that_does_not_fit_is_the_senders_mistake(Framing framing, String body, String sentence) {
        try (var wire = new Wire()) {
            wire.output.writeUtf8("before");
            var refusal = assertThrows(
                    IllegalArgumentException.class, () -> framing.write(bytes(body), Codec.bytes(), wire.output));
            assertTrue(String.valueOf(refusal.getMessage()).contains(sentence), refusal.getMessage());
            assertEquals("before", Bytes.of(wire.written()).utf8());
        }
    }

    @Test
    void settings_that_make_no_sense_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> Framing.lengthPrefixed(0));
        assertThrows(IllegalArgumentException.class, () -> PREFIXED.lengthField(5));
        assertThrows(IllegalArgumentException.class, () -> PREFIXED.offset(-1));
        assertThrows(IllegalArgumentException.class, () -> PREFIXED.offset(65));
        assertThrows(IllegalArgumentException.class, () -> Framing.lines(0));
        assertThrows(IllegalArgumentException.class, () -> Framing.delimited(Bytes.EMPTY, 10));
        assertThrows(IllegalArgumentException.class, () -> Framing.fixed(0));
    }

    @Test
    void a_framing_says_how_it_was_made() {
        var framing = PREFIXED.lengthField(2).littleEndian().offset(1).adjustment(-3);
        assertEquals(
                "Framing.lengthPrefixed(1000).lengthField(2).littleEndian().offset(1).adjustment(-3)",
                framing.toString());
    }

    private static Bytes bytes(String hex) {
        return Bytes.of(HexFormat.of().parseHex(hex.replace(" ", "")));
    }
}
