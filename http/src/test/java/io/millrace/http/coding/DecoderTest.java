package io.millrace.http.coding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.grammar.HttpGuards;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What others pack, our decoder unpacks; and nothing else.
class DecoderTest {
    private static final byte[] HELLO = "hello, hello, hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    @AfterEach
    void every_inflater_came_home() {
        assertEquals(0, Decoder.INFLATERS.inUse());
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_what_it_was_wherever_it_is_split(Coding coding) throws BadCoding {
        var packed = packed(coding, HELLO);
        for (int split = 0; split <= packed.length; split++) {
            assertArrayEquals(HELLO, unpack(coding, Arrays.copyOf(packed, split), tail(packed, split)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_may_come_byte_by_byte_and_be_of_any_length(Coding coding) throws BadCoding {
        for (int length : new int[] {0, 1, 8192, 8193, 300_000}) {
            var plain = Packed.text(length, length);
            assertArrayEquals(plain, unpack(coding, singly(packed(coding, plain))));
            assertArrayEquals(plain, unpack(coding, packed(coding, plain)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_byte_at_all_is_an_empty_body(Coding coding) throws BadCoding {
        assertArrayEquals(new byte[0], unpack(coding));
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_ends_too_early_is_refused_at_every_byte(Coding coding) {
        var packed = packed(coding, HELLO);
        for (int length = 1; length < packed.length; length++) {
            var part = Arrays.copyOf(packed, length);
            assertRefused("ends too early", coding, part);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytes_behind_the_end_are_refused(Coding coding) {
        var packed = packed(coding, HELLO);
        assertRefused("after the end", coding, Arrays.copyOf(packed, packed.length + 1));
        assertRefused("after the end", coding, packed, new byte[1]);
        // A second member of gzip, which some programs read and others do not.
        assertRefused("after the end", coding, packed, packed);
    }

    @ParameterizedTest
    @EnumSource
    void every_bit_of_the_checksum_counts(Coding coding) {
        var packed = packed(coding, HELLO);
        int checksum = packed.length - (coding == Coding.GZIP ? 8 : 4);
        for (int bit = 0; bit < 32; bit++) {
            var wrong = packed.clone();
            wrong[checksum + bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused("wrong checksum", coding, wrong);
        }
    }

    @Test
    void the_length_behind_the_checksum_counts() {
        var wrong = Packed.gzip(HELLO);
        wrong[wrong.length - 4]++;
        assertRefused("wrong length", Coding.GZIP, wrong);
    }

    @ParameterizedTest
    @EnumSource
    void whatever_bytes_come_it_says_no_or_gives_something(Coding coding) {
        var packed = packed(coding, Packed.text(1, 3000));
        var random = new Random(5);
        for (int i = 0; i < 3000; i++) {
            var other = packed.clone();
            for (int n = random.nextInt(4); n >= 0; n--) other[random.nextInt(other.length)] = (byte) random.nextInt();
            boolean isSame = Arrays.equals(other, packed);
            try {
                var plain = unpack(coding, other);
                // Bits that mean nothing: a time, a name of a system.
                assertTrue(isSame || Arrays.equals(Packed.text(1, 3000), plain));
            } catch (BadCoding e) {
                assertEquals(400, e.status());
            }
        }
    }

    @Test
    void a_head_may_have_everything_that_it_can() throws BadCoding {
        assertArrayEquals(HELLO, unpack(Coding.GZIP, singly(fullGzip(0))));
    }

    @Test
    void a_wrong_checksum_of_the_head_is_refused() {
        assertRefused("gzip head with a wrong checksum", Coding.GZIP, fullGzip(1));
    }

    /// All flags, and their fields.
    private static byte[] fullGzip(int wrong) {
        var head = new ByteArrayOutputStream();
        head.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3});
        head.writeBytes(new byte[] {3, 0, 'a', 'b', 'c'});
        head.writeBytes(new byte[] {'n', 'a', 'm', 'e', 0});
        head.writeBytes(new byte[] {'n', 'o', 't', 'e', 0});
        var crc = new CRC32();
        crc.update(head.toByteArray());
        head.write((int) crc.getValue() + wrong);
        head.write((int) (crc.getValue() >> 8));
        var plain = Packed.gzip(HELLO);
        head.write(plain, 10, plain.length - 10);
        return head.toByteArray();
    }

    @Test
    void a_name_that_does_not_end_is_refused() {
        var endless = new byte[10_000];
        Arrays.fill(endless, (byte) 'x');
        System.arraycopy(new byte[] {0x1f, (byte) 0x8b, 8, 8, 0, 0, 0, 0, 0, 3}, 0, endless, 0, 10);
        assertRefused("gzip head of more than", Coding.GZIP, endless);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x20, 0x40, 0x80})
    void flags_that_nobody_knows_are_refused(int flag) {
        var packed = Packed.gzip(HELLO);
        packed[3] = (byte) flag;
        assertRefused("unknown flags", Coding.GZIP, packed);
    }

    @Test
    void deflate_without_its_wrapper_is_refused() {
        var bare = new Deflater(6, true);
        bare.setInput(HELLO);
        bare.finish();
        var packed = new byte[100];
        int length = bare.deflate(packed);
        bare.end();
        assertRefused("zlib wrapper", Coding.DEFLATE, Arrays.copyOf(packed, length));
        assertRefused("zlib wrapper", Coding.DEFLATE, Packed.gzip(HELLO));
    }

    @Test
    void a_dictionary_is_refused() {
        var with = new Deflater();
        with.setDictionary(HELLO);
        with.setInput(HELLO);
        with.finish();
        var packed = new byte[100];
        int length = with.deflate(packed);
        with.end();
        assertRefused("needs a dictionary", Coding.DEFLATE, Arrays.copyOf(packed, length));
    }

    @ParameterizedTest
    @EnumSource
    void a_body_may_unpack_to_as_much_as_was_said_and_no_more(Coding coding) throws BadCoding {
        var plain = Packed.text(1, 5000);
        var packed = packed(coding, plain);
        assertArrayEquals(plain, unpack(coding, limit(5000, 200), packed));
        var refusal = assertThrows(BadCoding.class, () -> unpack(coding, limit(4999, 200), packed));
        assertEquals(413, refusal.status());
        assertEquals(HttpGuards.DECODED, refusal.guard());
    }

    @ParameterizedTest
    @EnumSource
    void a_bomb_is_refused_by_its_ratio_long_before_it_is_unpacked(Coding coding) throws BadCoding {
        var bomb = packed(coding, new byte[100 << 20]);
        var unpacked = new ByteArrayOutputStream();
        var refusal = assertThrows(
                BadCoding.class, () -> unpack(coding, limit(Long.MAX_VALUE, 200), unpacked, singlyBy(1000, bomb)));
        assertEquals(413, refusal.status());
        assertEquals(HttpGuards.DECODED_RATIO, refusal.guard());
        assertTrue(unpacked.size() < 3 << 20, () -> unpacked.size() + " bytes were unpacked");
        // Who wants it can have it.
        assertEquals(100 << 20, unpack(coding, limit(Long.MAX_VALUE, 1032), bomb).length);
    }

    @ParameterizedTest
    @EnumSource
    void small_bodies_may_be_as_dull_as_they_like(Coding coding) throws BadCoding {
        assertEquals(1 << 20, unpack(coding, limit(Long.MAX_VALUE, 1), packed(coding, new byte[1 << 20])).length);
    }

    @ParameterizedTest
    @EnumSource
    void more_bodies_than_there_may_be_are_refused(Coding coding) throws BadCoding {
        var packed = packed(coding, HELLO);
        var all = new ArrayList<Decoder>();
        for (int i = 0; i < Decoder.MOST; i++) {
            var decoder = new Decoder(coding, limit(100, 200));
            decoder.feed(packed, 0, 12);
            decoder.decode(new byte[10], 0, 10);
            all.add(decoder);
        }
        var refusal = assertThrows(BadCoding.class, () -> unpack(coding, packed));
        assertEquals(503, refusal.status());
        assertEquals(HttpGuards.INFLATERS, refusal.guard());
        all.forEach(Decoder::release);
        assertArrayEquals(HELLO, unpack(coding, packed));
    }

    // What is unpacked.

    private static byte[] packed(Coding coding, byte[] plain) {
        return coding == Coding.GZIP ? Packed.gzip(plain) : Packed.zlib(plain);
    }

    private static byte[] tail(byte[] bytes, int from) {
        return Arrays.copyOfRange(bytes, from, bytes.length);
    }

    private static byte[][] singly(byte[] bytes) {
        return singlyBy(1, bytes);
    }

    private static byte[][] singlyBy(int size, byte[] bytes) {
        var parts = new ArrayList<byte[]>();
        for (int at = 0; at < bytes.length; at += size) {
            parts.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
        }
        return parts.toArray(byte[][]::new);
    }

    private static DecodedLimit limit(long bytes, int ratio) {
        return new DecodedLimit(bytes, ratio, HttpGuards.DECODED, HttpGuards.DECODED_RATIO, "say so");
    }

    private static void assertRefused(String why, Coding coding, byte[]... parts) {
        var refusal = assertThrows(BadCoding.class, () -> unpack(coding, parts));
        assertTrue(String.valueOf(refusal.getMessage()).contains(why), refusal::toString);
        assertEquals(400, refusal.status());
    }

    private static byte[] unpack(Coding coding, byte[]... parts) throws BadCoding {
        return unpack(coding, limit(Long.MAX_VALUE, 1032), parts);
    }

    private static byte[] unpack(Coding coding, DecodedLimit limit, byte[]... parts) throws BadCoding {
        var plain = new ByteArrayOutputStream();
        unpack(coding, limit, plain, parts);
        return plain.toByteArray();
    }

    private static void unpack(Coding coding, DecodedLimit limit, ByteArrayOutputStream to, byte[]... parts)
            throws BadCoding {
        var decoder = new Decoder(coding, limit);
        var some = new byte[1000];
        try {
            for (var part : parts) {
                decoder.feed(part, 0, part.length);
                for (int count; (count = decoder.decode(some, 0, some.length)) > 0; ) to.write(some, 0, count);
            }
            decoder.end();
        } finally {
            decoder.release();
        }
    }
}
