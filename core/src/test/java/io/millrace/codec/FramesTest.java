package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.loop.CoreGuards;
import io.millrace.net.ProtocolError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Messages are found in whatever pieces they arrive.
class FramesTest {
    private static final List<String> TEXTS = List.of("first!", "second", "third.");

    static Stream<Framing> framings() {
        return Stream.of(
                Framing.lengthPrefixed(100),
                Framing.lengthPrefixed(100).lengthField(1),
                Framing.lengthPrefixed(100).lengthField(2).littleEndian(),
                Framing.lengthPrefixed(100).lengthField(3),
                Framing.lengthPrefixed(100).lengthField(3).littleEndian(),
                Framing.lengthPrefixed(100).lengthField(8),
                Framing.lengthPrefixed(100).varint(),
                Framing.lengthPrefixed(100).adjustment(-4),
                Framing.lines(6),
                Framing.delimited(Bytes.utf8("\r\n\r\n"), 6),
                Framing.fixed(6));
    }

    @ParameterizedTest
    @MethodSource("framings")
    void frames_in_one_piece_are_found_one_after_the_other(Framing framing) throws ProtocolError {
        try (var wire = new Wire()) {
            wire.arrive(encoded(framing));
            assertEquals(TEXTS, received(wire, wire.frames(framing, Codec.utf8())));
            assertEquals(0, wire.input.size());
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void frames_cut_at_any_two_places_are_found(Framing framing) throws ProtocolError {
        var bytes = encoded(framing);
        try (var wire = new Wire()) {
            for (int first = 0; first <= bytes.length; first++) {
                for (int second = first; second <= bytes.length; second++) {
                    assertEquals(TEXTS, receivedInThree(wire, framing, bytes, first, second));
                }
            }
        }
    }

    private static List<String> receivedInThree(Wire wire, Framing framing, byte[] bytes, int first, int second)
            throws ProtocolError {
        var frames = wire.frames(framing, Codec.utf8());
        wire.arrive(bytes, 0, first);
        var texts = received(wire, frames);
        wire.arrive(bytes, first, second);
        texts.addAll(received(wire, frames));
        wire.arrive(bytes, second, bytes.length);
        texts.addAll(received(wire, frames));
        return texts;
    }

    @ParameterizedTest
    @MethodSource("framings")
    void frames_that_trickle_in_byte_by_byte_are_found(Framing framing) throws ProtocolError {
        var bytes = encoded(framing);
        try (var wire = new Wire()) {
            var frames = wire.frames(framing, Codec.utf8());
            var texts = new ArrayList<String>();
            for (int i = 0; i < bytes.length; i++) {
                wire.trickle(bytes, i, i + 1);
                texts.addAll(received(wire, frames));
            }
            assertEquals(TEXTS, texts);
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void a_frame_that_is_not_whole_is_left_in_the_input(Framing framing) throws ProtocolError {
        var bytes = encoded(framing);
        int frame = bytes.length / TEXTS.size();
        try (var wire = new Wire()) {
            for (int length = 0; length < frame; length++) {
                wire.arrive(bytes, 0, length);
                assertNull(wire.frames(framing, Codec.utf8()).next(wire.input));
                assertEquals(length, wire.input.remaining());
                wire.input.release();
            }
        }
    }

    @Test
    void a_message_longer_than_a_slab_is_found() throws ProtocolError {
        var framing = Framing.lengthPrefixed(1 << 20);
        var text = "x".repeat(300_000);
        try (var wire = new Wire()) {
            framing.write(text, Codec.utf8(), wire.output);
            var bytes = wire.written();
            wire.arrive(bytes, 0, 100_000);
            var frames = wire.frames(framing, Codec.utf8());
            assertNull(frames.next(wire.input));
            wire.arrive(bytes, 100_000, bytes.length);
            assertEquals(text, frames.next(wire.input));
        }
    }

    @Test
    void a_line_may_end_with_a_carriage_return_and_a_line_feed() throws ProtocolError {
        assertEquals(List.of("a", "", "b\rc", "\r"), received(Framing.lines(3), "a\r\n\r\nb\rc\n\r\r\n"));
    }

    @Test
    void a_carriage_return_at_its_end_does_not_count_to_a_line() throws ProtocolError {
        assertEquals(List.of("abc"), received(Framing.lines(3), "abc\r\n"));
    }

    @Test
    void a_delimiter_that_begins_inside_itself_is_found() throws ProtocolError {
        assertEquals(List.of("a", "-b", ""), received(Framing.delimited(Bytes.utf8("--+"), 10), "a--+-b--+--+"));
        assertEquals(List.of("a-"), received(Framing.delimited(Bytes.utf8("--+"), 10), "a---+"));
    }

    /// Only what has not been looked at is searched: a delimiter that appears further in front is not seen.
    @Test
    void what_was_searched_is_not_searched_again() throws ProtocolError {
        var framing = Framing.lines(100);
        try (var wire = new Wire()) {
            wire.arrive("ab\ncd\n".getBytes(StandardCharsets.UTF_8));
            assertEquals(3, framing.next(wire.input, 0));
            assertEquals(6, framing.next(wire.input, 4));
        }
    }

    @Test
    void the_codec_sees_the_header_when_it_is_asked_for() throws ProtocolError {
        var framing = Framing.lengthPrefixed(100).offset(1).adjustment(-4);
        var codec = Codec.of(
                frame -> (char) frame.readByte() + ":" + frame.readInt() + ":" + frame.readUtf8(frame.remaining()),
                (text, out) -> out.writeByte(text.charAt(0)).writeInt(0).writeUtf8(text.substring(1)));
        try (var wire = new Wire()) {
            framing.write("Qselect", codec, wire.output);
            wire.arrive(wire.written());
            assertEquals("Q:10:select", wire.frames(framing, codec).next(wire.input));
        }
    }

    @Test
    void bytes_left_in_a_frame_are_the_peers_error() {
        Codec<Integer> codec = Codec.of(in -> in.readInt(), (number, out) -> out.writeInt(number));
        assertError(codec, "0001020304", "1 of 5 bytes of a frame were left");
    }

    @Test
    void a_frame_that_is_too_short_for_its_message_is_the_peers_error() {
        Codec<Long> codec = Codec.of(in -> in.readLong(), (number, out) -> out.writeLong(number));
        assertError(codec, "0001020304", "a frame of 5 bytes is too short");
    }

    @Test
    void a_frame_that_means_nothing_is_counted_and_logged() {
        Codec<Integer> codec = Codec.of(
                in -> {
                    throw new ProtocolError("kind " + in.readByte() + " is unknown");
                },
                (number, out) -> out.writeInt(number));
        long before = CoreGuards.FRAME.count();
        assertError(codec, "0907060504", "kind 9 is unknown");
        assertTrue(CoreGuards.FRAME.count() > before);
    }

    @Test
    void what_a_codec_throws_otherwise_is_passed_on() {
        Codec<String> codec = Codec.of(
                in -> {
                    throw new IllegalStateException("no");
                },
                (text, out) -> {});
        try (var wire = new Wire()) {
            wire.arrive(new byte[] {0, 0, 0, 1, 1});
            var frames = wire.frames(Framing.lengthPrefixed(10), codec);
            assertThrows(IllegalStateException.class, () -> frames.next(wire.input));
        }
    }

    @Test
    void a_codec_cannot_read_into_the_next_frame() {
        Codec<String> codec = Codec.of(in -> in.readUtf8(6), (text, out) -> {});
        assertError(codec, "0001020304", "too short");
    }

    private static void assertError(Codec<?> codec, String body, String sentence) {
        var frame = java.util.HexFormat.of().parseHex("00000005" + body + "00000005" + body);
        try (var wire = new Wire()) {
            wire.arrive(frame);
            var frames = wire.frames(Framing.lengthPrefixed(10), codec);
            var error = assertThrows(ProtocolError.class, () -> frames.next(wire.input));
            assertTrue(String.valueOf(error.getMessage()).contains(sentence), error.getMessage());
        }
    }

    private static List<String> received(Framing framing, String stream) throws ProtocolError {
        try (var wire = new Wire()) {
            wire.arrive(stream.getBytes(StandardCharsets.UTF_8));
            return received(wire, wire.frames(framing, Codec.utf8()));
        }
    }

    private static List<String> received(Wire wire, Frames<String> frames) throws ProtocolError {
        var texts = new ArrayList<String>();
        while (true) {
            var text = frames.next(wire.input);
            if (text == null) return texts;
            texts.add(text);
        }
    }

    private static byte[] encoded(Framing framing) {
        try (var wire = new Wire()) {
            for (var text : TEXTS) framing.write(text, Codec.utf8(), wire.output);
            return wire.written();
        }
    }
}
