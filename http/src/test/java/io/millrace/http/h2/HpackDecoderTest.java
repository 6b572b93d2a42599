package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.AllocatedBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HpackDecoderTest {
    private static final String A_B = "40 01 61 01 62";

    private final HpackPeer peer = new HpackPeer(4096);

    // Indexes.

    @Test
    void an_index_of_zero_is_refused() {
        assertRefused("an index of 0", "80");
    }

    @Test
    void the_last_index_of_the_static_table_is_61() throws HpackError {
        assertEquals(List.of("www-authenticate: "), peer.decode("bd"));
        assertRefused("an index of 62, beyond the table's 0 entries", "be");
    }

    @Test
    void an_index_beyond_the_table_is_refused_for_a_field_and_for_a_name() throws HpackError {
        peer.decode(A_B);
        assertRefused("an index of 63, beyond the table's 1 entries", "bf");
        assertRefused("an index of 63", "7f 00 01 61");
        assertRefused("an index of 63", "0f 30 01 61");
        assertRefused("an index of 63", "1f 30 01 61");
    }

    @Test
    void an_indexed_field_is_the_object_in_the_table() throws HpackError {
        var entered = peer.decodeFields(HpackPeer.bytes(A_B)).getFirst();
        assertSame(entered, peer.decodeFields(HpackPeer.bytes("be")).getFirst());
        assertSame(
                HpackStatic.field(2), peer.decodeFields(HpackPeer.bytes("82")).getFirst());
    }

    @Test
    void a_name_may_be_that_of_the_entry_which_its_field_evicts() throws HpackError {
        peer.decode("3f 03"); // 34 bytes: one entry
        peer.decode(A_B);
        assertEquals(List.of("a: c"), peer.decode("7e 01 63"));
        assertEquals(List.of("a: c"), peer.table());
    }

    // Integers and texts.

    @ParameterizedTest
    @CsvSource({
        "ff 80 80 80 80 80 00, an integer of more than 6 bytes",
        "ff ff ff ff ff 0f, an integer above 268435456",
        "ff ff ff ff ff 7f, an integer above 268435456",
        "ff, a block that ends within a field",
        "ff 80, a block that ends within a field",
        "40, a block that ends within a field",
        "41, a block that ends within a field",
        "40 01 61, a block that ends within a field",
        "41 02 61, a text of 2 bytes",
        "40 7f 80 80 80 01 61, a text of 2097279 bytes",
        "40 7f ff ff ff 7f 61, an integer above 268435456",
        "41 ff ff ff ff ff 0f, an integer above 268435456"
    })
    void what_is_too_long_is_refused(String hex, String message) {
        assertRefused(message, hex);
    }

    @Test
    void an_integer_may_have_leading_zeros_up_to_six_bytes() throws HpackError {
        assertEquals(List.of("www-authenticate: a"), peer.decode("0f ae 80 80 80 00 01 61"));
    }

    // Huffman codes.

    @ParameterizedTest
    @CsvSource({
        "18 fe, not all ones", // a, then 110
        "1f ff, a padding of 11 bits",
        "ff, a padding of 8 bits",
        "ff ff ff, a padding of 24 bits",
        "ff ff ff ff, an end of string",
        "1f ff ff ff ff, an end of string"
    })
    void a_huffman_code_with_a_wrong_end_is_refused(String code, String message) {
        var bytes = HpackPeer.bytes(code);
        assertRefused(message, "41 8" + bytes.length + code);
    }

    @Test
    void a_padding_may_have_none_to_seven_bits() throws HpackError {
        assertEquals(List.of(":authority: "), peer.decode("41 80"));
        assertEquals(List.of(":authority: a"), peer.decode("41 81 1f"));
        assertEquals(List.of(":authority: &"), peer.decode("41 81 f8"));
        assertEquals(List.of(":authority: :"), peer.decode("41 81 b9"));
    }

    @Test
    void the_same_code_is_a_name_too() throws HpackError {
        assertEquals(List.of("a: b"), peer.decode("00 81 1f 81 8f"));
    }

    // Sizes.

    @Test
    void a_block_may_begin_with_two_sizes() throws HpackError {
        peer.decode(A_B);
        assertEquals(List.of(":method: GET"), peer.decode("20 3f e1 1f 82"));
        assertEquals(List.of(), peer.table());
    }

    @Test
    void a_block_may_be_sizes_alone_or_empty() throws HpackError {
        assertEquals(List.of(), peer.decode("20"));
        assertEquals(List.of(), peer.decode(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"82 20", "20 82 20", "20 20 82 20", A_B + "3f e1 1f"})
    void a_size_behind_a_field_is_refused(String hex) {
        assertRefused("a table size behind a field", hex);
    }

    @Test
    void a_third_size_is_refused() {
        assertRefused("a third table size", "20 20 20");
        assertRefused("a third table size", "20 20 20 82");
    }

    @Test
    void a_size_above_the_setting_is_refused() {
        assertRefused("a table size of 4097, above 4096", "3f e2 1f");
    }

    @Test
    void a_smaller_size_evicts_the_oldest() throws HpackError {
        peer.decode("40 01 61 01 62 40 01 63 01 64 40 01 65 01 66");
        peer.decode("3f 45"); // 100 bytes
        assertEquals(List.of("e: f", "c: d"), peer.table());
        peer.decode("3f 01"); // 32 bytes
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void a_smaller_setting_must_be_answered_at_the_beginning_of_the_next_block() throws HpackError {
        peer.decode(A_B);
        peer.decoder.acknowledged(100);
        assertRefused("a block that does not begin with a table size of at most 100", "82");
    }

    @Test
    void the_answer_to_a_smaller_setting_may_be_any_size_up_to_it() throws HpackError {
        peer.decoder.acknowledged(100);
        assertEquals(List.of(":method: GET"), peer.decode("3f 45 82"));
        assertEquals(List.of(":method: GET"), peer.decode("82"));
        assertRefused("a table size of 101, above 100", "3f 46");
    }

    @Test
    void a_setting_that_was_small_for_a_while_must_be_answered_by_two_sizes() throws HpackError {
        peer.decoder.acknowledged(0);
        peer.decoder.acknowledged(4096);
        assertEquals(List.of(), peer.decode("20 3f e1 1f"));
        peer.decoder.acknowledged(0);
        peer.decoder.acknowledged(4096);
        assertRefused("a block that does not begin with a table size of at most 0", "3f e1 1f");
    }

    @Test
    void a_setting_that_the_table_fits_in_needs_no_answer() throws HpackError {
        peer.decode("20");
        peer.decoder.acknowledged(100);
        assertEquals(List.of(":method: GET"), peer.decode("82"));
    }

    @Test
    void a_larger_setting_takes_effect_by_the_peers_size() throws HpackError {
        peer.decoder.acknowledged(8192);
        peer.decode("3f e1 3f");
        enter(200);
        assertEquals(200 * 37, peer.decoder.bytes());
    }

    @Test
    void a_larger_setting_alone_enlarges_nothing() throws HpackError {
        peer.decoder.acknowledged(8192);
        enter(200);
        assertEquals(4096 / 37 * 37, peer.decoder.bytes());
    }

    // The table.

    private void enter(int count) throws HpackError {
        for (int i = 0; i < count; i++)
            peer.decode(new byte[] {
                0x40, 1, 'a', 4, (byte) ('0' + i / 100), (byte) ('0' + i / 10 % 10), (byte) ('0' + i % 10), 'x'
            });
    }

    @Test
    void the_table_keeps_the_newest_fields_that_fit() throws HpackError {
        enter(500);
        var table = peer.table();
        assertEquals(4096 / 37, table.size());
        assertEquals("a: 499x", table.getFirst());
        assertEquals("a: " + (500 - 4096 / 37) + "x", table.getLast());
    }

    @Test
    void a_literal_larger_than_the_table_empties_it() throws HpackError {
        enter(3);
        var decoded = peer.decode(HpackPeer.joined(HpackPeer.bytes("40 01 61 7f c0 1f"), new byte[4159]));
        assertEquals(1, decoded.size());
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void a_literal_as_large_as_the_table_is_all_of_it() throws HpackError {
        enter(3);
        var value = new byte[4096 - 33];
        Arrays.fill(value, (byte) 'v');
        peer.decode(HpackPeer.joined(HpackPeer.bytes("40 01 61 7f e0 1e"), value));
        assertEquals(4096, peer.decoder.bytes());
    }

    @Test
    void a_table_of_zero_bytes_keeps_nothing() throws HpackError {
        peer.decode("20");
        assertEquals(List.of("a: b"), peer.decode(A_B));
        assertEquals(0, peer.decoder.bytes());
    }

    // What is not wanted.

    @Test
    void what_is_not_wanted_enters_the_table_all_the_same() throws HpackError {
        var fields = new ArrayList<HpackField>();
        peer.decode(HpackPeer.bytes("82" + A_B + "00 01 63 01 64 87 40 01 65 01 66"), field -> {
            fields.add(field);
            return false;
        });
        assertEquals(List.of(HpackStatic.field(2)), fields);
        assertEquals(List.of("e: f", "a: b"), peer.table());
    }

    @Test
    void what_is_not_wanted_must_have_right_indexes_and_lengths() {
        assertRefusedUnwanted("an index of 62", "82 be");
        assertRefusedUnwanted("an index of 62", "82 0f 2f 01 61");
        assertRefusedUnwanted("beyond the block's end", "82 01 02 61");
        assertRefusedUnwanted("beyond the block's end", "82 00 02 61");
    }

    private void assertRefusedUnwanted(String message, String hex) {
        var error = assertThrows(HpackError.class, () -> peer.decode(HpackPeer.bytes(hex), _ -> false), hex);
        assertTrue(String.valueOf(error.getMessage()).contains(message), error.getMessage());
    }

    // Bombs.

    /// The first ones load classes.
    private static final int RUNS = 5;

    @Test
    void indexes_of_a_large_field_allocate_nothing() throws HpackError {
        var value = new byte[4000];
        Arrays.fill(value, (byte) 'v');
        peer.decode(HpackPeer.joined(HpackPeer.bytes("40 01 61 7f a1 1e"), value));
        var bomb = new byte[16 << 10];
        Arrays.fill(bomb, (byte) 0xbe);
        long[] counted = new long[2];
        HpackDecoder.Fields counting = field -> {
            counted[0]++;
            counted[1] += field.bytes;
            return true;
        };
        long least = Long.MAX_VALUE;
        for (int i = 0; i < RUNS; i++) {
            long before = AllocatedBytes.now();
            peer.decode(bomb, counting);
            least = Math.min(least, AllocatedBytes.now() - before);
        }
        assertEquals((long) RUNS * bomb.length, counted[0]);
        assertEquals((long) RUNS * bomb.length * 4033, counted[1]);
        assertTrue(least < 1024, least + " bytes");
    }

    @Test
    void a_sink_that_has_enough_ends_a_bomb_of_literals() throws HpackError {
        var bomb = new byte[16 << 10];
        for (int i = 0; i < bomb.length; i += 2) bomb[i] = 0x0f & 0x04; // :path, an empty value
        int[] count = {0};
        HpackDecoder.Fields hundred = _ -> ++count[0] < 100;
        peer.decode(bomb, hundred);
        count[0] = 0;
        long before = AllocatedBytes.now();
        peer.decode(bomb, hundred);
        long allocated = AllocatedBytes.now() - before;
        assertEquals(100, count[0]);
        assertTrue(allocated < 16 << 10, allocated + " bytes");
    }

    @Test
    void fields_count_for_their_length_and_32_bytes() throws HpackError {
        assertEquals(34, peer.decodeFields(HpackPeer.bytes(A_B)).getFirst().bytes);
        assertEquals(42, peer.decodeFields(HpackPeer.bytes("82")).getFirst().bytes);
    }

    @Test
    void a_decoder_that_is_not_used_takes_less_than_64_bytes() {
        var decoders = new HpackDecoder[1000];
        decoders[0] = new HpackDecoder(4096);
        long before = AllocatedBytes.now();
        for (int i = 1; i < decoders.length; i++) decoders[i] = new HpackDecoder(4096);
        long allocated = AllocatedBytes.now() - before;
        assertTrue(allocated < 64L * decoders.length, allocated + " bytes");
    }

    private void assertRefused(String message, String hex) {
        var error = assertThrows(HpackError.class, () -> peer.decode(hex), hex);
        assertTrue(String.valueOf(error.getMessage()).contains(message), error.getMessage());
        assertEquals(0, error.getStackTrace().length);
    }
}
