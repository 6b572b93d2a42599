package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is encoded is decoded again, however the limits of the table change.
class HpackRoundTripTest {
    private static final int BLOCKS = 3000;
    private static final List<String> NAMES = List.of(
            "Content-Type",
            "content-type",
            "Date",
            "X-A",
            "x-a",
            "cookie",
            "ETag",
            ":path",
            ":authority",
            "te",
            "x-b",
            "accept-encoding",
            "Authorization");

    private final HpackEncoder encoder = new HpackEncoder();
    private final HpackPeer peer = new HpackPeer(4096);
    private final HpackBlock out = new HpackBlock();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void random_fields_are_decoded_again_while_the_limit_changes(long seed) throws HpackError {
        var random = new Random(seed);
        for (int i = 0; i < BLOCKS; i++) {
            if (random.nextInt(10) == 0) changeLimit(random);
            out.clear();
            encoder.begin(out);
            var sent = new ArrayList<String>();
            for (int fields = random.nextInt(12); fields > 0; fields--) sent.add(field(random));
            assertEquals(sent, peer.decode(Arrays.copyOf(out.bytes, out.length)), "seed " + seed + ", block " + i);
        }
    }

    /// As the peer does: it sends the setting, and knows that it has arrived before the next block comes.
    private void changeLimit(Random random) {
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int limit = random.nextInt(3) == 0 ? random.nextInt(200) : random.nextInt(6000);
            encoder.tableLimit(limit);
            peer.decoder.acknowledged(limit);
        }
    }

    private String field(Random random) {
        var name = random.nextInt(4) == 0 ? "X-" + random.nextInt(50) : NAMES.get(random.nextInt(NAMES.size()));
        var value = value(random);
        encoder.field(name, value, out);
        return name.toLowerCase(Locale.ROOT) + ": " + value;
    }

    private static String value(Random random) {
        if (random.nextInt(2) == 0) return "value " + random.nextInt(10);
        var value = new StringBuilder();
        int kind = random.nextInt(3);
        int length = random.nextInt(1 + random.nextInt(random.nextInt(20) == 0 ? 5000 : 80));
        for (int i = 0; i < length; i++) value.append((char) random.nextInt(kind == 0 ? 256 : kind == 1 ? 128 : 58));
        return value.toString();
    }
}
