package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The JDK's decoder, which is strict if it is told to report errors, and this agree about each text and each beginning
/// of one.
class Utf8Test {
    private static final int TEXTS = 3_000;
    private static final int MOST_CHARACTERS = 60;
    private static final int WRONG = -1;

    private final CharsetDecoder jdk = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);

    @Test
    void all_sequences_of_two_bytes_and_of_three_that_begin_so() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                assertAgree((byte) first, (byte) second);
                for (int third : new int[] {0, 0x7f, 0x80, 0xbf, 0xc0, 0xff})
                    assertAgree((byte) first, (byte) second, (byte) third, (byte) 0x80);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void random_texts_and_changes_of_them(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < TEXTS; i++) {
            var bytes = text(random).getBytes(StandardCharsets.UTF_8);
            assertAgree(bytes);
            if (bytes.length == 0) continue;
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            assertAgree(bytes);
            assertAgree(Arrays.copyOf(bytes, random.nextInt(bytes.length)));
        }
    }

    /// Much ASCII, which is checked eight bytes at a time, or little.
    private static String text(Random random) {
        var text = new StringBuilder();
        int ascii = random.nextInt(101);
        for (int left = random.nextInt(MOST_CHARACTERS); left > 0; left--) {
            boolean isAscii = random.nextInt(100) < ascii;
            int point = isAscii ? random.nextInt(128) : random.nextInt(1 << (7 + random.nextInt(15)));
            boolean isCharacter = point <= Character.MAX_CODE_POINT && !(point >= 0xd800 && point <= 0xdfff);
            text.appendCodePoint(isCharacter ? point : 'x');
        }
        return text.toString();
    }

    @Test
    void a_text_of_each_length_with_a_wrong_byte_at_each_place() {
        for (int length = 1; length < 40; length++) {
            for (int at = 0; at < length; at++) {
                var bytes = "a".repeat(length).getBytes(StandardCharsets.UTF_8);
                bytes[at] = (byte) 0xff;
                assertAgree(bytes);
                bytes[at] = (byte) 0xc3;
                assertAgree(bytes);
            }
        }
    }

    @Test
    void a_text_is_checked_anew_after_a_wrong_one() {
        var utf8 = new Utf8();
        accepts(utf8, (byte) 0xf0);
        utf8.reset();
        assertEquals(true, accepts(utf8, (byte) 'a'));
        assertEquals(true, utf8.isComplete());
    }

    /// Whole, and byte by byte: the first wrong byte is the same for both.
    private void assertAgree(byte... bytes) {
        int got = byteByByte(bytes);
        assertEquals(got, whole(bytes), () -> HexFormat.of().formatHex(bytes));
        if (got != WRONG) assertEquals(ofJdk(bytes), got, () -> HexFormat.of().formatHex(bytes));
    }

    /// How many bytes of an incomplete character there are at the end, or [#WRONG].
    private int ofJdk(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        jdk.reset();
        if (jdk.decode(in, CharBuffer.allocate(bytes.length), false).isMalformed()) return WRONG;
        return in.hasRemaining() ? 1 : 0;
    }

    private static int whole(byte[] bytes) {
        var utf8 = new Utf8();
        return accepts(utf8, bytes) ? (utf8.isComplete() ? 0 : 1) : WRONG;
    }

    private int byteByByte(byte[] bytes) {
        var utf8 = new Utf8();
        for (int i = 0; i < bytes.length; i++) {
            boolean isAccepted = accepts(utf8, bytes[i]);
            var begun = Arrays.copyOf(bytes, i + 1);
            assertEquals(
                    mayGoOn(begun, isAccepted), isAccepted, () -> HexFormat.of().formatHex(begun));
            if (!isAccepted) return WRONG;
        }
        return utf8.isComplete() ? 0 : 1;
    }

    /// Whether a text may begin so. Of surrogates, the JDK says so only after their last byte: what this takes for
    /// wrong has to be wrong for the JDK whatever follows.
    private boolean mayGoOn(byte[] begun, boolean isAccepted) {
        if (ofJdk(begun) == WRONG) return false;
        if (isAccepted) return true;
        for (int next : new int[] {0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf}) {
            var more = Arrays.copyOf(begun, begun.length + 3);
            Arrays.fill(more, begun.length, more.length, (byte) 0x80);
            more[begun.length] = (byte) next;
            for (int length = begun.length; length <= more.length; length++)
                if (ofJdk(Arrays.copyOf(more, length)) == 0) return true;
        }
        return false;
    }

    private static boolean accepts(Utf8 utf8, byte... bytes) {
        return utf8.accepts(MemorySegment.ofArray(bytes), 0, bytes.length);
    }
}
