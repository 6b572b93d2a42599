package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.Slab;
import io.millrace.net.ProtocolError;
import io.millrace.testing.AllocatedBytes;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What finding and writing a frame costs the garbage collector: nothing, whatever the codec makes of it.
@Tag("slow")
class FramesAllocationTest {
    private static final int WARM_UP = 200_000;
    private static final int MESSAGES = 500_000;
    private static final Object TICK = new Object();

    /// Makes no object, so that what is counted is the framing's.
    private static final Codec<Object> TICKS = Codec.of(
            in -> {
                in.skip(8);
                return TICK;
            },
            (tick, out) -> out.writeLong(7));

    static Stream<Framing> framings() {
        return Stream.of(
                Framing.lengthPrefixed(100),
                Framing.lengthPrefixed(100).varint(),
                Framing.lines(100),
                Framing.delimited(Bytes.utf8("\r\n"), 100),
                Framing.fixed(8));
    }

    @ParameterizedTest
    @MethodSource("framings")
    void a_frame_allocates_less_than_a_byte(Framing framing) throws ProtocolError {
        try (var wire = new Wire()) {
            var frames = wire.frames(framing, TICKS);
            exchange(framing, wire, frames, WARM_UP);
            long before = AllocatedBytes.now();
            exchange(framing, wire, frames, MESSAGES);
            double bytes = (AllocatedBytes.now() - before) / (double) MESSAGES;
            assertTrue(bytes < 1, bytes + " bytes for each frame");
        }
    }

    /// Writes frames, turns the output into the input, and takes them out again.
    private static void exchange(Framing framing, Wire wire, Frames<Object> frames, int count) throws ProtocolError {
        for (int sent = 0; sent < count; sent += 100) {
            for (int i = 0; i < 100; i++) framing.write(TICK, TICKS, wire.output);
            wire.output.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
            wire.input.appendAll(wire.output.chain());
            wire.input.lend(wire.pool);
            for (int i = 0; i < 100; i++) assertEquals(TICK, frames.next(wire.input));
        }
    }
}
