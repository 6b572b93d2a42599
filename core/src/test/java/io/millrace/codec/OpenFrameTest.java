package io.millrace.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// What an output does while a frame is written to it.
class OpenFrameTest {
    private static final Framing FRAMING = Framing.lengthPrefixed(1 << 20);

    @Test
    void a_full_output_is_noticed_when_the_frame_is_whole_and_not_before() {
        try (var wire = new Wire(1000)) {
            Codec<Bytes> watching = Codec.of(frame -> Bytes.EMPTY, (bytes, out) -> {
                for (int i = 0; i < 4; i++) out.write(bytes);
                assertEquals(0, wire.timesFull);
            });
            FRAMING.write(Bytes.of(new byte[70_000]), watching, wire.output);
            assertEquals(1, wire.timesFull);
        }
    }

    @Test
    void a_codec_that_throws_leaves_the_output_as_it_was() {
        try (var wire = new Wire()) {
            FRAMING.write("first", Codec.utf8(), wire.output);
            Codec<String> failing = Codec.of(frame -> "", (text, out) -> {
                out.write(new byte[200_000], 0, 200_000).write(Bytes.of(new byte[5000]));
                throw new IllegalStateException(text);
            });
            assertThrows(IllegalStateException.class, () -> FRAMING.write("boom", failing, wire.output));
            FRAMING.write("last", Codec.utf8(), wire.output);
            assertEquals("\0\0\0\5first\0\0\0\4last", Bytes.of(wire.written()).utf8());
        }
    }

    @Test
    void an_output_that_was_empty_is_empty_again() {
        try (var wire = new Wire()) {
            assertThrows(
                    IllegalArgumentException.class, () -> Framing.fixed(3).write("four", Codec.utf8(), wire.output));
            assertTrue(wire.output.chain().isEmpty());
        }
    }

    @Test
    void a_codec_that_sends_another_message_is_told_so() {
        try (var wire = new Wire()) {
            Codec<String> nested = Codec.of(frame -> "", (text, out) -> FRAMING.write(text, Codec.utf8(), wire.output));
            assertThrows(IllegalStateException.class, () -> FRAMING.write("text", nested, wire.output));
            assertTrue(wire.output.chain().isEmpty());
        }
    }

    @Test
    void a_large_value_is_referred_to_and_not_copied() {
        try (var wire = new Wire()) {
            var value = Bytes.of(new byte[Bytes.BY_REFERENCE]);
            FRAMING.write(value, Codec.bytes(), wire.output);
            var header = wire.output.chain().head();
            assertNotNull(header);
            var body = header.next();
            assertNotNull(body);
            assertEquals(value.segment().address(), body.readAddress());
        }
    }

    @Test
    void a_large_value_with_a_header_in_it_is_copied_and_not_changed() {
        try (var wire = new Wire()) {
            var value = Bytes.of(new byte[50_000]);
            Framing.lengthPrefixed(1 << 20).withHeader().write(value, Codec.bytes(), wire.output);
            assertEquals(Bytes.of(new byte[50_000]), value);
            assertEquals(
                    Bytes.of((byte) 0, (byte) 0, (byte) 0xc3, (byte) 0x4c), Bytes.of(Arrays.copyOf(wire.written(), 4)));
        }
    }

    @Test
    void a_line_that_is_a_large_value_leaves_no_empty_slab_in_front_of_it() {
        try (var wire = new Wire()) {
            Framing.lines(5000).write(Bytes.of("x".repeat(5000).getBytes(UTF_8)), Codec.bytes(), wire.output);
            assertEquals("x".repeat(5000) + "\n", Bytes.of(wire.written()).utf8());
        }
    }

    @Test
    void a_varint_in_front_of_a_large_value_is_as_short_as_possible() {
        try (var wire = new Wire()) {
            var framing = Framing.lengthPrefixed(Integer.MAX_VALUE).varint();
            framing.write(Bytes.of(new byte[50_000]), Codec.bytes(), wire.output);
            assertEquals(50_003, wire.output.size());
            assertFalse(wire.output.chain().isEmpty());
            assertEquals(Bytes.of((byte) 0xd0, (byte) 0x86, (byte) 3), Bytes.of(Arrays.copyOf(wire.written(), 3)));
        }
    }

    @Test
    void a_message_moved_from_an_input_is_framed_without_being_copied() {
        try (var wire = new Wire()) {
            wire.arrive(new byte[100_000]);
            Codec<Integer> moving = Codec.of(frame -> 0, (size, out) -> move(wire, out));
            FRAMING.write(1, moving, wire.output);
            assertEquals(100_004, wire.output.size());
            assertEquals(0, wire.input.size());
        }
    }

    private static void move(Wire wire, Output out) {
        out.move(wire.input);
    }
}
