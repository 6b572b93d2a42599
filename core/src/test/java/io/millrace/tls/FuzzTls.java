package io.millrace.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import io.millrace.tls.ClientHello.BadHello;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

/// What strangers send before there is a key, and files that people have broken.
final class FuzzTls {
    private static final int SOME = 3;
    private static final int MOST_BYTES = HelloReader.MOST_BYTES + 4;
    private static final String SOURCE = "the file";
    private static final SlabPool POOL = new SlabPool(4 << 20, true);

    private FuzzTls() {}

    /// Records with the first message of a client: the same wherever they are cut, never longer than what was
    /// announced, and passed on byte for byte.
    static void hello(byte[] input) {
        var whole = read(input);
        var random = new Random(Arrays.hashCode(input));
        for (int i = 0; i < SOME && input.length > 1; i++) {
            var cuts = random.ints(1 + random.nextInt(4), 1, input.length)
                    .sorted()
                    .distinct()
                    .toArray();
            assertEquals(whole, read(input, cuts));
        }
    }

    /// What became of it; nothing is known while it is not whole.
    private static String read(byte[] input, int... cuts) {
        var reader = HelloReader.keeping();
        int taken = 0;
        try {
            for (int i = 0; i <= cuts.length; i++) {
                int arrived = i < cuts.length ? cuts[i] : input.length;
                var in = LoopInput.of(Bytes.of(Arrays.copyOfRange(input, taken, arrived)));
                boolean isWhole = reader.read(in);
                taken = arrived - (int) in.remaining();
                if (isWhole) return found(reader, Arrays.copyOf(input, taken));
            }
            return "incomplete";
        } catch (BadHello e) {
            return "bad";
        } finally {
            assertTrue(reader.length() <= MOST_BYTES, "it keeps " + reader.length() + " bytes");
        }
    }

    private static String found(HelloReader reader, byte[] taken) throws BadHello {
        var kept = LoopOutput.aside(POOL);
        try {
            reader.records(kept);
            assertEquals(Bytes.of(taken), kept.toBytes());
        } finally {
            kept.release();
        }
        return taken.length + " " + reader.hello();
    }

    /// A file in PEM is keys and certificates, or an error that names it.
    static void pem(byte[] input) {
        var text = new String(input, StandardCharsets.ISO_8859_1);
        try {
            var blocks = Pem.all(text, SOURCE);
            for (var block : blocks) {
                var again = Pem.all(Pem.text(block.label(), block.bytes()), SOURCE);
                assertTrue(Arrays.equals(block.bytes(), again.getFirst().bytes()), block.label());
            }
            assertTrue(PrivateKeys.of(blocks, Optional.of("secret".toCharArray()), SOURCE)
                            .getEncoded()
                            .length
                    > 0);
        } catch (IllegalArgumentException e) {
            assertTrue(String.valueOf(e.getMessage()).startsWith(SOURCE), e.getMessage());
        }
    }
}
