package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InputSearchTest {
    private static final String TEXT = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private final SlabPool pool = new SlabPool(64 << 20, true);

    static Stream<int[]> cuts() {
        var inTwo = IntStream.range(1, TEXT.length()).mapToObj(at -> new int[] {at});
        return Stream.concat(
                Stream.of(new int[0], IntStream.range(1, TEXT.length()).toArray()), inTwo);
    }

    private Input arrived(String text, int... cuts) {
        return Arrivals.lent(pool, text.getBytes(StandardCharsets.US_ASCII), cuts);
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_byte_is_found_from_every_position(int[] cuts) {
        var in = arrived(TEXT, cuts);
        for (int from = 0; from <= TEXT.length() + 1; from++) {
            assertEquals(TEXT.indexOf('\r', from), in.indexOf((byte) '\r', from));
        }
        assertEquals(14, in.indexOf((byte) '\r'));
        assertEquals(-1, in.indexOf((byte) 'x'));
        assertEquals(TEXT.length(), in.remaining());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void several_bytes_are_found_from_every_position(int[] cuts) {
        var in = arrived(TEXT, cuts);
        for (var wanted : new String[] {"\r\n\r\n", "\r\n", "G", "T /", "\n\n", "aa", TEXT, TEXT + "x"}) {
            for (int from = 0; from < TEXT.length() + 2; from++) {
                assertEquals(TEXT.indexOf(wanted, from), in.indexOf(Bytes.utf8(wanted), from), wanted);
            }
        }
    }

    @Test
    void positions_count_from_the_first_unread_byte() {
        var in = arrived(TEXT, 5, 20);
        in.skip(6);
        assertEquals(8, in.indexOf((byte) '\r'));
        assertEquals(17, in.indexOf(Bytes.utf8("\r\n\r\n"), 0));
    }

    @Test
    void a_search_starts_again_after_a_false_beginning() {
        assertEquals(2, arrived("aaaab", 3).indexOf(Bytes.utf8("aab"), 0));
        assertEquals(3, arrived("\r\n\r\r\n\r\n", 4).indexOf(Bytes.utf8("\r\n\r\n"), 0));
    }

    @Test
    void every_byte_can_be_searched_for() {
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) all[i] = (byte) i;
        var in = Arrivals.lent(pool, all, 100);
        for (int i = 0; i < 256; i++) assertEquals(i, in.indexOf((byte) i));
    }

    @Test
    void nothing_is_found_everywhere_up_to_the_end() {
        var in = arrived("ab");
        assertEquals(0, in.indexOf(Bytes.EMPTY, 0));
        assertEquals(2, in.indexOf(Bytes.EMPTY, 2));
        assertEquals(-1, in.indexOf(Bytes.EMPTY, 3));
    }

    @Test
    void nothing_is_found_in_nothing() {
        var in = arrived("");
        assertEquals(-1, in.indexOf((byte) 'a'));
        assertEquals(-1, in.indexOf(Bytes.utf8("a"), 0));
    }

    @Test
    void a_negative_position_is_refused() {
        var in = arrived("ab");
        assertThrows(IndexOutOfBoundsException.class, () -> in.indexOf((byte) 'a', -1));
        assertThrows(IndexOutOfBoundsException.class, () -> in.indexOf(Bytes.utf8("a"), -1));
        assertThrows(IndexOutOfBoundsException.class, () -> in.indexOf(Bytes.EMPTY, -1));
    }

    @Test
    void what_a_frame_hides_is_not_found() {
        var in = (LoopInput) arrived("abc\nd\n", 2);
        long hidden = in.narrow(3);
        assertEquals(-1, in.indexOf((byte) '\n'));
        assertEquals(-1, in.indexOf(Bytes.utf8("c\n"), 0));
        in.widen(hidden);
        assertEquals(3, in.indexOf((byte) '\n'));
    }

    @Test
    void bytes_behind_the_last_slab_of_an_old_use_are_not_found() {
        var used = pool.take(true, Slab.Owner.KERNEL);
        used.memory.fill((byte) 'x');
        pool.give(used, Slab.Owner.KERNEL);
        assertEquals(-1, arrived("abc").indexOf((byte) 'x'));
    }

    @Test
    void a_byte_is_found_far_behind() {
        byte[] bytes = new byte[300_000];
        Arrays.fill(bytes, (byte) 'a');
        bytes[299_999] = 'b';
        var in = Arrivals.lent(pool, bytes, 60_000, 120_000, 180_000, 240_000);
        assertEquals(299_999, in.indexOf((byte) 'b'));
        assertEquals(299_998, in.indexOf(Bytes.utf8("ab"), 70_000));
    }
}
