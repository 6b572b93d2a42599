package io.millrace.http.coding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.fuzz.Cuts;
import io.millrace.http.grammar.HttpGuards;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Packed bodies: unpacked to the same wherever they are cut, or refused; what is accepted is what the JDK makes of
/// it; and of what the JDK packs nothing but the whole is accepted.
public final class FuzzCoding {
    private static final int MOST = 4000;
    private static final DecodedLimit LIMIT =
            new DecodedLimit(MOST, 200, HttpGuards.DECODED, HttpGuards.DECODED_RATIO, "as told");
    private static final String REFUSED = "refused";

    private FuzzCoding() {}

    /// The first byte says which coding.
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (input.length == 0) return;
        var coding = (input[0] & 1) == 0 ? Coding.GZIP : Coding.DEFLATE;
        var body = Arrays.copyOfRange(input, 1, input.length);
        var whole = unpacked(coding, body, new int[0]);
        for (var cuts : Cuts.of(body)) assertEquals(whole, unpacked(coding, body, cuts));
        boolean isPacked = !whole.equals(REFUSED) && body.length > 0;
        if (isPacked) assertEquals(whole, text(Packed.unpacked(coding, body)));
        assertPackedIsUnpacked(coding, body);
        assertEquals(0, Decoder.INFLATERS.inUse());
    }

    private static void assertPackedIsUnpacked(Coding coding, byte[] plain) {
        if (plain.length > MOST) return;
        var packed = coding == Coding.GZIP ? Packed.gzip(plain) : Packed.zlib(plain);
        int somewhere = Math.floorMod(Arrays.hashCode(plain), packed.length);
        assertEquals(text(plain), unpacked(coding, packed, new int[] {somewhere}));
        if (somewhere > 0) assertEquals(REFUSED, unpacked(coding, Arrays.copyOf(packed, somewhere), new int[0]));
        assertEquals(REFUSED, unpacked(coding, Arrays.copyOf(packed, packed.length + 1), new int[] {packed.length}));
    }

    private static String unpacked(Coding coding, byte[] body, int[] cuts) {
        var decoder = new Decoder(coding, LIMIT);
        var plain = new ByteArrayOutputStream();
        try {
            int from = 0;
            for (int i = 0; i <= cuts.length; i++) {
                int to = i < cuts.length ? cuts[i] : body.length;
                feed(decoder, body, from, to, plain);
                from = to;
            }
            decoder.end();
            return text(plain.toByteArray());
        } catch (BadCoding e) {
            return REFUSED;
        } finally {
            decoder.release();
        }
    }

    private static void feed(Decoder decoder, byte[] body, int from, int to, ByteArrayOutputStream plain)
            throws BadCoding {
        var room = new byte[512];
        var before = Arrays.copyOfRange(body, from, to);
        decoder.feed(before, 0, before.length);
        for (int count; (count = decoder.decode(room, 0, room.length)) > 0; ) plain.write(room, 0, count);
        // What is fed belongs to the caller.
        assertArrayEquals(Arrays.copyOfRange(body, from, to), before);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
