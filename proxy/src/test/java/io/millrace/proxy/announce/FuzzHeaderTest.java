package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import io.millrace.testing.Mutations;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
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

    private static final List<byte[]> PIECES = Stream.of(
                    " ", "\r", "\n", "\r\n", "0", ":", ".", ",", "\0", "\1", "\2", "\3")
            .map(FuzzHeaderTest::text)
            .toList();

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void seeds_have_the_properties() {
        SEEDS.forEach(FuzzHeaderTest::check);
    }

    @Test
    void changed_seeds_have_the_properties() {
        var mutations = new Mutations(SEED, SEEDS, PIECES, MOST_BYTES);
        for (int i = 0; i < ROUNDS; i++) check(mutations.next());
    }

    private static void check(byte[] input) {
        assertDoesNotThrow(
                () -> FuzzHeader.fuzzerTestOneInput(input),
                () -> "add this to the seeds: " + HexFormat.of().formatHex(input));
    }
}
