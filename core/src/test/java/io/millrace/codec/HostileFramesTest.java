package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.net.ProtocolError;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A peer that breaks the rules is refused as soon as that can be known, with a sentence that names the value.
class HostileFramesTest {
    private static final LengthPrefixed PREFIXED = Framing.lengthPrefixed(1000);

    /// A framing, the shortest input that shows the error, what the error says.
    static Stream<Arguments> inputs() {
        return Stream.of(
                // Over the limit: the header alone, nothing of the body.
                Arguments.of(PREFIXED, "000003e9", "length of 1001 is over the limit of 1000"),
                Arguments.of(PREFIXED, "7fffffff", "length of 2147483647 is over"),
                Arguments.of(PREFIXED.littleEndian(), "e9030000", "length of 1001 is over"),
                Arguments.of(PREFIXED.lengthField(2), "ffff", "length of 65535 is over"),
                Arguments.of(PREFIXED.lengthField(3), "ffffff", "length of 16777215 is over"),
                Arguments.of(PREFIXED.lengthField(8), "00000000000003e9", "length of 1001 is over"),
                Arguments.of(PREFIXED.varint(), "e907", "length of 1001 is over"),
                Arguments.of(PREFIXED.varint(), "ffffffff7f", "length of 34359738367 is over"),
                Arguments.of(PREFIXED.lengthField(1).adjustment(990), "0b", "length of 11 is over"),
                Arguments.of(PREFIXED.offset(3), "000000000003e9", "length of 1001 is over"),
                // Lengths that overflow an int, or a long when something is added.
                Arguments.of(PREFIXED.lengthField(8), "0000000100000001", "length of 4294967297 is over"),
                Arguments.of(PREFIXED.lengthField(8).adjustment(4), "7fffffffffffffff", "9223372036854775807 is over"),
                Arguments.of(Framing.lengthPrefixed(Integer.MAX_VALUE).adjustment(1), "7fffffff", "2147483647 is over"),
                // Negative lengths.
                Arguments.of(PREFIXED, "ffffffff", "negative length, -1,"),
                Arguments.of(PREFIXED, "80000000", "negative length, -2147483648,"),
                Arguments.of(PREFIXED.littleEndian(), "000000ff", "negative length, -16777216,"),
                Arguments.of(PREFIXED.lengthField(8), "ffffffffffffffff", "negative length, -1,"),
                Arguments.of(PREFIXED.lengthField(8), "8000000000000000", "negative length"),
                Arguments.of(PREFIXED.adjustment(-4), "00000003", "a length of 3"),
                Arguments.of(PREFIXED.lengthField(8).adjustment(-8), "8000000000000004", "negative length"),
                Arguments.of(PREFIXED.lengthField(1).adjustment(Integer.MIN_VALUE), "00", "at least 2147483648 bytes"),
                // A varint without an end.
                Arguments.of(PREFIXED.varint(), "8080808080", "a length of more than 5 bytes"),
                Arguments.of(PREFIXED.offset(1).varint(), "30ffffffffff", "a length of more than 5 bytes"),
                // A message without an end.
                Arguments.of(Framing.lines(3), "6161616161", "5 bytes without an end is over the limit of 3"),
                Arguments.of(Framing.lines(3), "616161610a", "a message of 4 bytes is over"),
                Arguments.of(Framing.lines(3), "0d0d0d0d0d", "5 bytes without an end"),
                Arguments.of(Framing.delimited(Bytes.utf8("--"), 2), "2d612d61", "4 bytes without an end"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("inputs")
    void hostile_input_is_refused_at_its_last_byte(Framing framing, String hex, String sentence) throws ProtocolError {
        var bytes = HexFormat.of().parseHex(hex);
        try (var wire = new Wire()) {
            var frames = wire.frames(framing, Codec.bytes());
            for (int i = 0; i < bytes.length - 1; i++) {
                wire.trickle(bytes, i, i + 1);
                assertNull(frames.next(wire.input), "after " + (i + 1) + " bytes");
            }
            wire.trickle(bytes, bytes.length - 1, bytes.length);
            assertRefused(wire, frames, sentence);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("inputs")
    void hostile_input_is_refused_in_one_piece(Framing framing, String hex, String sentence) {
        try (var wire = new Wire()) {
            wire.arrive(HexFormat.of().parseHex(hex));
            assertRefused(wire, wire.frames(framing, Codec.bytes()), sentence);
        }
    }

    @Test
    void a_message_that_is_too_long_is_refused_although_its_end_is_there() {
        try (var wire = new Wire()) {
            wire.arrive("aaa--".getBytes(StandardCharsets.UTF_8));
            var framing = Framing.delimited(Bytes.utf8("--"), 2);
            assertRefused(wire, wire.frames(framing, Codec.bytes()), "a message of 3 bytes is over the limit of 2");
        }
    }

    private static void assertRefused(Wire wire, Frames<Bytes> frames, String sentence) {
        long before = wire.input.remaining();
        var error = assertThrows(ProtocolError.class, () -> frames.next(wire.input));
        assertTrue(String.valueOf(error.getMessage()).contains(sentence), error.getMessage());
        assertEquals(before, wire.input.remaining());
    }
}
