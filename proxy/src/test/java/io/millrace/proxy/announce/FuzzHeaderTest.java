package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A short run of the target, the same each time: the seeds, and changes of them. `-Dmillrace.fuzz.rounds=N`
/// makes it longer, `-Dmillrace.fuzz.seed=N` another one.
@Tag("fuzz")
class FuzzHeaderTest {
    private static final int ROUNDS = Integer.getInteger("millrace.fuzz.rounds", 20_000);
    private static final long SEED = Long.getLong("millrace.fuzz.seed", 1);
    private static final int MOST_BYTES = 600;

    /// What was found once is one of these.
    private static final List<byte[]> SEEDS = Stream.of(
                    text("PROXY TCP4 192.0.2.1 198.51.100.2 1000 443\r\nhello"),
                    text("PROXY TCP6 2001:db8::1 ::ffff:1.2.3.4 65535 0\r\n"),
                    text("PROXY TCP6 2001 ::ffff:1.2.3.4 65535 0\r\n"),
                    text("PROXY UNKNOWN\r\n"),
                    text("PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535\r\n"),
                    text("PROXY UNKNOWN " + "x".repeat(92) + "\r\n"),
                    text("GET / HTTP/1.1\r\n"),
                    Binary.ipv4().toBytes(),
                    Binary.ipv4().tlv(1, text("h2")).tlv(0x20, new byte[9]).withChecksum(),
                    Binary.ipv4().family(0x12).tlv(4, new byte[40]).toBytes(),
                    Binary.header().family(0x21).bytes(new byte[36]).withChecksum(),
                    Binary.unix("/run/a", "/run/b").toBytes(),
                    Binary.unix("/a//b/./c/", " ").withChecksum(),
                    Binary.header().command(0x20).family(0).toBytes(),
                    Binary.ipv4().command(0xff).toBytes())
            .toList();

    private final Random random = new Random(SEED);

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void seeds_have_the_properties() {
        SEEDS.forEach(FuzzHeaderTest::check);
    }

    @Test
    void changed_seeds_have_the_properties() {
        for (int i = 0; i < ROUNDS; i++) check(changed());
    }

    private static void check(byte[] input) {
        assertDoesNotThrow(
                () -> FuzzHeader.fuzzerTestOneInput(input),
                () -> "add this to the seeds: " + HexFormat.of().formatHex(input));
    }

    private byte[] changed() {
        var bytes = SEEDS.get(random.nextInt(SEEDS.size()));
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) bytes = changed(bytes);
        return Arrays.copyOf(bytes, Math.min(bytes.length, MOST_BYTES));
    }

    private byte[] changed(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        int to = Math.min(bytes.length, from + random.nextInt(8));
        var piece = new byte[] {(byte) random.nextInt(256)};
        var other = SEEDS.get(random.nextInt(SEEDS.size()));
        return switch (random.nextInt(6)) {
            case 0 -> spliced(bytes, from, to, new byte[0]);
            case 1 -> spliced(bytes, from, from, Arrays.copyOfRange(bytes, from, to));
            case 2 -> spliced(bytes, from, Math.min(bytes.length, from + 1), piece);
            case 3 ->
                spliced(
                        bytes,
                        from,
                        from,
                        text(" \r\n0:.,".substring(random.nextInt(6)).substring(0, 1)));
            case 4 -> spliced(bytes, from, Math.min(bytes.length, from + 1), new byte[] {(byte) random.nextInt(4)});
            default -> spliced(bytes, from, bytes.length, tail(other));
        };
    }

    private byte[] tail(byte[] bytes) {
        return Arrays.copyOfRange(bytes, random.nextInt(bytes.length + 1), bytes.length);
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] instead) {
        var all = new ByteArrayOutputStream();
        all.write(bytes, 0, from);
        all.writeBytes(instead);
        all.write(bytes, to, bytes.length - to);
        return all.toByteArray();
    }
}
