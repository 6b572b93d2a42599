package io.millrace.http.coding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What our encoder packs, that of the JDK unpacks.
class EncoderTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    @AfterEach
    void every_deflater_came_home() {
        assertEquals(0, Encoder.DEFLATERS.inUse());
    }

    @ParameterizedTest
    @EnumSource
    void a_whole_body_is_what_it_was(Coding coding) throws IOException {
        for (int length : new int[] {0, 1, 100, 8191, 8192, 8193, 70_000, 1_000_000}) {
            var text = Packed.text(length, length);
            var packed = Encoder.whole(Bytes.of(text), encoding(coding)).toArray();
            assertArrayEquals(text, Packed.unpacked(coding, packed));
            assertTrue(length < 8191 || packed.length < length / 2, () -> packed.length + " of " + length);
            var noise = Packed.noise(length, length);
            assertArrayEquals(
                    noise,
                    Packed.unpacked(
                            coding,
                            Encoder.whole(Bytes.of(noise), encoding(coding)).toArray()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_was_flushed_can_be_read(Coding coding) throws IOException {
        var sent = new ByteArrayOutputStream();
        var plain = new ByteArrayOutputStream();
        var encoder = new Encoder(encoding(coding));
        for (int i = 0; i < 20; i++) {
            var part = Packed.text(i, 1 + new Random(i).nextInt(20_000));
            plain.writeBytes(part);
            encoder.encode(LoopInput.of(Bytes.of(part)), sent::write);
            encoder.flush(sent::write);
            assertArrayEquals(
                    plain.toByteArray(),
                    Packed.reader(coding, sent.toByteArray()).readNBytes(plain.size()));
        }
        encoder.end(sent::write);
        assertArrayEquals(plain.toByteArray(), Packed.unpacked(coding, sent.toByteArray()));
    }

    @ParameterizedTest
    @EnumSource
    void a_second_flush_writes_nothing(Coding coding) {
        var sent = new ByteArrayOutputStream();
        var encoder = new Encoder(encoding(coding));
        encoder.encode(LoopInput.of(Bytes.utf8("hello")), sent::write);
        encoder.flush(sent::write);
        int size = sent.size();
        encoder.flush(sent::write);
        encoder.release();
        assertEquals(size, sent.size());
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_finds_no_deflater_is_wrapped_as_it_is(Coding coding) throws IOException {
        long before = HttpGuards.DEFLATERS.count();
        var all = new ArrayList<Encoder>();
        var first = new ByteArrayOutputStream();
        for (int i = 0; i < Encoder.MOST; i++) {
            var encoder = new Encoder(encoding(coding));
            encoder.encode(LoopInput.of(Bytes.utf8("hello")), i == 0 ? first::write : (_, _, _) -> {});
            all.add(encoder);
        }
        assertEquals(before, HttpGuards.DEFLATERS.count());
        var text = Packed.text(1, 100_000);
        var packed = Encoder.whole(Bytes.of(text), encoding(coding));
        assertEquals(before + 1, HttpGuards.DEFLATERS.count());
        assertArrayEquals(text, Packed.unpacked(coding, packed.toArray()));
        assertTrue(packed.length() > text.length, packed::toString);
        all.getFirst().end(first::write);
        assertEquals(
                "hello",
                new String(Packed.unpacked(coding, first.toByteArray()), java.nio.charset.StandardCharsets.US_ASCII));
        assertTrue(Encoder.whole(Bytes.of(text), encoding(coding)).length() < text.length / 2);
        all.forEach(Encoder::release);
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_what_it_was_at_every_level_and_smaller_at_higher_ones(Coding coding) throws IOException {
        var text = Packed.text(3, 200_000);
        int fast = 0;
        int small = 0;
        for (int level = 1; level <= 9; level++) {
            var packed = Encoder.whole(Bytes.of(text), new BodyEncoding(coding, level, PEER))
                    .toArray();
            assertArrayEquals(text, Packed.unpacked(coding, packed));
            if (level == 1) fast = packed.length;
            small = packed.length;
        }
        assertTrue(small < fast, small + " and " + fast);
    }

    private static BodyEncoding encoding(Coding coding) {
        return new BodyEncoding(coding, 6, PEER);
    }
}
