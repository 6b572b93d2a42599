package io.millrace.tls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import io.millrace.testing.Mutations;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A short run of each target, the same each time: the seeds, and changes of them. `-Dmillrace.fuzz.rounds=N` makes it
/// longer, `-Dmillrace.fuzz.seed=N` another one.
@Tag("fuzz")
class FuzzTlsTest {
    private static final int ROUNDS = Integer.getInteger("millrace.fuzz.rounds", 20_000);
    private static final long SEED = Long.getLong("millrace.fuzz.seed", 1);
    private static final int MOST_BYTES = 4096;
    private static final byte[] P_256 = HexFormat.of().parseHex("06082a8648ce3d030107");

    @Test
    void records_of_a_client_are_the_same_wherever_they_are_cut() {
        var name = extension(0, vector(2, new byte[] {0}, vector(2, text("a.test"))));
        var protocols = extension(16, vector(2, vector(1, text("h2")), vector(1, text("http/1.1"))));
        var versions = extension(43, vector(1, HexFormat.of().parseHex("03040303")));
        var seeds = Stream.of(
                        hello(),
                        hello(name),
                        hello(name, protocols, versions),
                        hello(versions, extension(21, new byte[300])),
                        hello(extension(51, new byte[1200]), name))
                .flatMap(message -> Stream.of(records(message, 16_384), records(message, 50), records(message, 1)))
                .map(records -> Arrays.copyOf(records, Math.min(records.length, MOST_BYTES)))
                .toList();
        var pieces = Stream.of("00", "01", "16", "ff", "0000", "0010", "4000", "16030100", "1603010001", "000a")
                .map(HexFormat.of()::parseHex)
                .toList();
        check(seeds, pieces, FuzzTls::hello);
    }

    @Test
    void a_file_in_pem_is_what_it_says_or_an_error_that_names_it() throws GeneralSecurityException {
        var ec = key("EC", 256);
        var rsa = key("RSA", 1024);
        var sec1 = Pem.text("EC PRIVATE KEY", Arrays.copyOfRange(ec, ec.length - 39, ec.length));
        var seeds = Stream.of(
                        Pem.text("PRIVATE KEY", ec),
                        Pem.text("PRIVATE KEY", rsa),
                        Pem.text("PRIVATE KEY", key("Ed25519", 255)),
                        Pem.text("EC PARAMETERS", P_256) + sec1,
                        sec1,
                        Pem.text("RSA PRIVATE KEY", Arrays.copyOfRange(rsa, 26, rsa.length)),
                        "for people\n" + Pem.text("CERTIFICATE", new byte[90]) + Pem.text("PRIVATE KEY", ec))
                .map(FuzzTlsTest::text)
                .toList();
        var pieces = Stream.of(
                        "-----BEGIN ",
                        "-----END ",
                        "-----",
                        "\n",
                        "=",
                        "A",
                        "MII",
                        "PRIVATE KEY",
                        "EC ",
                        "RSA ",
                        "PARAMETERS",
                        "Proc-Type: 4,ENCRYPTED\n")
                .map(FuzzTlsTest::text)
                .toList();
        check(seeds, pieces, FuzzTls::pem);
    }

    private static void check(List<byte[]> seeds, List<byte[]> pieces, Consumer<byte[]> target) {
        for (var seed : seeds) check(seed, target);
        var mutations = new Mutations(SEED, seeds, pieces, MOST_BYTES);
        for (int i = 0; i < ROUNDS; i++) check(mutations.next(), target);
    }

    private static void check(byte[] input, Consumer<byte[]> target) {
        assertDoesNotThrow(
                () -> target.accept(input),
                () -> "add this to the seeds: " + HexFormat.of().formatHex(input));
    }

    /// The same one each time.
    private static byte[] key(String algorithm, int size) throws GeneralSecurityException {
        var random = SecureRandom.getInstance("SHA1PRNG");
        random.setSeed(1);
        var generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(size, random);
        return generator.generateKeyPair().getPrivate().getEncoded();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    // A ClientHello, from the inside.

    private static byte[] extension(int type, byte[] body) {
        return concat(number(2, type), vector(2, body));
    }

    private static byte[] hello(byte[]... extensions) {
        var fixed = concat(
                number(2, 0x0303), new byte[32], vector(1), vector(2, number(2, 0x1301)), vector(1, number(1, 0)));
        return concat(number(1, 1), vector(3, fixed, vector(2, extensions)));
    }

    private static byte[] records(byte[] message, int size) {
        var all = new byte[0];
        for (int at = 0; at < message.length; at += size) {
            var part = Arrays.copyOfRange(message, at, Math.min(message.length, at + size));
            all = concat(all, number(1, 22), number(2, 0x0301), vector(2, part));
        }
        return all;
    }

    private static byte[] vector(int lengthBytes, byte[]... parts) {
        var body = concat(parts);
        return concat(number(lengthBytes, body.length), body);
    }

    private static byte[] number(int length, int value) {
        return Arrays.copyOfRange(ByteBuffer.allocate(4).putInt(value).array(), 4 - length, 4);
    }

    private static byte[] concat(byte[]... parts) {
        var all = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (var part : parts) all.put(part);
        return all.array();
    }
}
