package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What one end writes, the other reads: random messages, whole and in parts, packed with and without windows, with
/// pings between them, in pieces of any size.
class WsRoundTripTest {
    private static final int CONNECTIONS = 40;
    private static final int MESSAGES = 30;
    private static final int MOST_BYTES = 3_000;

    private final List<String> expected = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void random_messages_arrive(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < CONNECTIONS; i++) {
            boolean isServer = random.nextBoolean();
            boolean isPacked = random.nextBoolean();
            boolean keepsWindow = random.nextBoolean();
            var inflater = isPacked ? new MessageInflater(keepsWindow) : null;
            var deflater = isPacked ? new MessageDeflater(keepsWindow, random.nextInt(200)) : null;
            var writer = isServer ? WsWriter.ofServer(deflater) : WsWriter.ofClient(deflater, random::nextInt);
            expected.clear();
            try (var written = new WrittenFrames();
                    var read = ReadFrames.of(!isServer, WsLimits.standard(), inflater)) {
                for (int left = MESSAGES; left > 0; left--) {
                    send(random, writer, written);
                    if (random.nextInt(3) == 0) arrive(random, written.bytes(), read);
                }
                arrive(random, written.bytes(), read);
                assertEquals(expected, read.events, "seed " + seed + ", connection " + i);
            } finally {
                if (inflater != null) inflater.release();
                if (deflater != null) deflater.release();
            }
        }
    }

    private static void arrive(Random random, byte[] bytes, ReadFrames read) {
        if (bytes.length < 2) {
            read.arrive(bytes);
            return;
        }
        boolean isByteByByte = bytes.length < 300 && random.nextInt(4) == 0;
        var cuts = isByteByByte
                ? java.util.stream.IntStream.range(1, bytes.length)
                : random.ints(random.nextInt(8), 1, bytes.length).sorted().distinct();
        read.arrive(bytes, cuts.toArray());
    }

    private void send(Random random, WsWriter writer, WrittenFrames to) {
        switch (random.nextInt(6)) {
            case 0 -> {
                var payload = Bytes.of(random(random, random.nextInt(126)));
                writer.ping(to.out, payload);
                expected.add("ping " + ReadFrames.hex(payload));
            }
            case 1 -> {
                var payload = Bytes.of(random(random, random.nextInt(126)));
                writer.pong(to.out, payload);
                expected.add("pong " + ReadFrames.hex(payload));
            }
            case 2, 3 -> {
                var text = text(random);
                writer.text(to.out, text);
                expected.add("text " + text);
            }
            case 4 -> {
                var bytes = random(random, length(random));
                writer.binary(to.out, Bytes.of(bytes));
                expected.add("bytes " + HexFormat.of().formatHex(bytes));
            }
            default -> parts(random, writer, to);
        }
    }

    /// With pings between them.
    private void parts(Random random, WsWriter writer, WrittenFrames to) {
        boolean isText = random.nextBoolean();
        var text = text(random);
        var bytes = isText ? text.getBytes(java.nio.charset.StandardCharsets.UTF_8) : random(random, length(random));
        int from = 0;
        while (true) {
            boolean isLast = random.nextInt(4) == 0;
            int until = isLast ? bytes.length : from + random.nextInt(bytes.length - from + 1);
            var part = java.util.Arrays.copyOfRange(bytes, from, until);
            if (random.nextBoolean()) writer.part(to.out, isText, Bytes.of(part), isLast);
            else writer.part(to.out, isText, to.part(part), isLast);
            if (isLast) break;
            from = until;
            if (random.nextBoolean()) {
                writer.ping(to.out, Bytes.EMPTY);
                expected.add("ping ");
            }
        }
        expected.add(isText ? "text " + text : "bytes " + HexFormat.of().formatHex(bytes));
    }

    private static int length(Random random) {
        return random.nextInt(20) == 0 ? 100_000 : random.nextInt(1 + random.nextInt(MOST_BYTES));
    }

    private static byte[] random(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(Random random) {
        var words = List.of("price", "\"id\":", "µ", "€", "😀", "{", "}", "12.5", "\u0000", "\ud7ff", "\uffff");
        var text = new StringBuilder();
        for (int left = random.nextInt(1 + random.nextInt(600)); left > 0; left--)
            text.append(words.get(random.nextInt(words.size())));
        return text.toString();
    }
}
