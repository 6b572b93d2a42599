package io.millrace.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import io.millrace.tls.ClientHello.BadHello;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/// The first message of a client, as the JDK says it.
class HelloReaderTest {
    private static final byte[] HELLO = hello();

    /// Without the header of its record.
    private static byte[] hello() {
        try {
            var engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            var parameters = engine.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName("Example.COM")));
            parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
            engine.setSSLParameters(parameters);
            engine.beginHandshake();
            var record = ByteBuffer.allocate(20_000);
            engine.wrap(ByteBuffer.allocate(0), record);
            return Arrays.copyOfRange(record.array(), Records.HEADER, record.position());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// Records of so many bytes each.
    private static byte[] records(byte[] message, int size) {
        var out = ByteBuffer.allocate(message.length + Records.HEADER * (message.length / size + 1));
        for (int at = 0; at < message.length; at += size) {
            int length = Math.min(size, message.length - at);
            out.put((byte) 22).putShort((short) 0x0301).putShort((short) length).put(message, at, length);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private static ClientHello read(byte[] records) throws BadHello {
        var reader = new HelloReader();
        assertTrue(reader.read(LoopInput.of(Bytes.of(records))));
        return reader.hello();
    }

    @Test
    void it_says_whom_the_client_asks_for_and_what_it_speaks() throws BadHello {
        var hello = read(records(HELLO, HELLO.length));
        assertEquals(Optional.of("example.com"), hello.serverName());
        assertEquals(List.of("h2", "http/1.1"), hello.applications());
        assertTrue(hello.offersTls13());
    }

    @Test
    void it_may_come_in_records_of_any_size() throws BadHello {
        for (int size = 1; size <= HELLO.length; size++)
            assertEquals(Optional.of("example.com"), read(records(HELLO, size)).serverName());
    }

    @Test
    void it_may_come_in_any_pieces() throws BadHello {
        var random = new Random(7);
        for (int round = 0; round < 200; round++) {
            var records = records(HELLO, 1 + random.nextInt(100));
            var reader = new HelloReader();
            var rest = new byte[0];
            boolean isWhole = false;
            for (int at = 0; at < records.length; ) {
                int length = Math.min(1 + random.nextInt(60), records.length - at);
                assertFalse(isWhole);
                var input = LoopInput.of(Bytes.of(concatenated(rest, Arrays.copyOfRange(records, at, at + length))));
                isWhole = reader.read(input);
                rest = input.readBytes(input.remaining()).toArray();
                at += length;
            }
            assertTrue(isWhole);
            assertEquals(Optional.of("example.com"), reader.hello().serverName());
        }
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        var both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Test
    void what_is_cut_is_waited_for_and_what_is_too_long_is_refused() throws BadHello {
        for (int length = 0; length < HELLO.length; length++) {
            var cut = records(Arrays.copyOf(HELLO, length + 1), length + 1);
            if (length + 1 < HELLO.length) assertFalse(new HelloReader().read(LoopInput.of(Bytes.of(cut))));
        }
        // Nine bytes that announce sixteen megabytes.
        byte[] huge = {22, 3, 1, 0, 4, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff};
        assertRefused(huge, "16777215 bytes, the limit is 16384");
        assertRefused(records(concatenated(HELLO, new byte[1]), 2000), "with bytes after it");
        assertRefused("GET / HTTP/1.1".getBytes(java.nio.charset.StandardCharsets.US_ASCII), "not TLS");
        assertRefused(new byte[] {22, 3, 1, 0, 0}, "0 bytes");
    }

    private static void assertRefused(byte[] bytes, String why) {
        var refusal = assertThrows(BadHello.class, () -> new HelloReader().read(LoopInput.of(Bytes.of(bytes))));
        assertTrue(String.valueOf(refusal.getMessage()).contains(why), refusal.toString());
    }

    /// Whatever is broken in it: a refusal, or something that says the same of the name or nothing.
    @Test
    void a_broken_one_is_refused_or_harmless() {
        var random = new Random(11);
        for (int round = 0; round < 20_000; round++) {
            var broken = HELLO.clone();
            for (int i = 1 + random.nextInt(3); i > 0; i--)
                broken[4 + random.nextInt(broken.length - 4)] = (byte) random.nextInt();
            try {
                var name = read(records(broken, broken.length)).serverName().orElse("");
                assertTrue(name.matches("[a-z0-9._-]*"), name);
            } catch (BadHello _) {
                // as it should be
            }
        }
    }
}
