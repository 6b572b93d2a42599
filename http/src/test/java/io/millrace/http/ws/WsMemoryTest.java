package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.RSV1;
import static io.millrace.http.ws.RawFrame.masked;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Overflow;
import io.millrace.memory.SlabPool;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A loop with little memory. Closing the reader asserts that all slabs and inflaters came home.
class WsMemoryTest {
    private static final int POOL_BYTES = 4 << 20;
    private static final WsLimits LIMITS =
            WsLimits.standard().messageBytes(64 << 20).ratio(2000);

    private static ReadFrames reader() {
        return new ReadFrames(new SlabPool(POOL_BYTES, true), true, LIMITS, new MessageInflater(false));
    }

    @ParameterizedTest
    @ValueSource(ints = {WsCodes.BINARY, RSV1 | WsCodes.BINARY})
    void a_large_message_in_parts_is_refused_while_memory_is_tight(int first) {
        var frame = masked(first, new byte[3 << 20]);
        try (var read = reader()) {
            read.arrive(
                    frame,
                    IntStream.iterate(50_000, at -> at < frame.length, at -> at + 50_000)
                            .toArray());
            assertEquals(List.of("error 1013"), read.events);
        }
    }

    @Test
    void a_message_that_does_not_fit_when_it_is_unpacked_leaves_nothing() {
        var packed = new MessageDeflater(false, 0).deflate(new byte[8 << 20]).orElseThrow();
        try (var read = reader()) {
            assertThrows(Overflow.class, () -> read.arrive(masked(FIN | RSV1 | WsCodes.BINARY, packed)));
            assertTrue(read.pool.bytesOut() < POOL_BYTES / 4, () -> "still out: " + read.pool.bytesOut());
        }
    }
}
