package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.millrace.bytes.Bytes;
import io.millrace.http.fuzz.Cuts;
import io.millrace.memory.SlabPool;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Frames of a peer: read as the same messages, or refused for the same reason, wherever they are cut; what was read
/// and is written again is read as the same; and nothing is kept.
public final class FuzzWebSocket {
    private static final int FROM_CLIENT = 1;
    private static final int PACKED = 2;
    private static final int KEEPS_WINDOW = 4;

    /// Small enough to be reached.
    private static final WsLimits LIMITS =
            WsLimits.standard().messageBytes(3000).fragments(8).controlFrames(5).leastPackedBytes(20);

    /// For what was taken and is written in other frames: packed, it may be a little longer, and it allows fewer pings.
    private static final WsLimits ROOMY = LIMITS.messageBytes(4000).controlFrames(5000);

    private static final SlabPool POOL = new SlabPool(16 << 20, true);

    private FuzzWebSocket() {}

    /// The first byte says who sends, and whether messages may be packed.
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) return;
        int how = input[0];
        var frames = Arrays.copyOfRange(input, 1, input.length);
        var whole = read(how, LIMITS, frames);
        for (var cuts : Cuts.of(frames)) assertEquals(whole, read(how, LIMITS, frames, cuts));
        boolean isRefused = !whole.isEmpty() && whole.getLast().startsWith("error");
        var taken = isRefused ? whole.subList(0, whole.size() - 1) : whole;
        assertEquals(taken, read(how, ROOMY, written(how, taken)));
    }

    private static List<String> read(int how, WsLimits limits, byte[] frames, int... cuts) {
        var inflater = (how & PACKED) == 0 ? null : new MessageInflater((how & KEEPS_WINDOW) != 0);
        try (var read = new ReadFrames(POOL, (how & FROM_CLIENT) != 0, limits, inflater)) {
            read.arrive(frames, cuts);
            return List.copyOf(read.events);
        } finally {
            if (inflater != null) inflater.release();
        }
    }

    private static byte[] written(int how, List<String> events) {
        var deflater =
                (how & PACKED) == 0 ? null : new MessageDeflater((how & KEEPS_WINDOW) != 0, LIMITS.leastPackedBytes());
        try (var written = new WrittenFrames(POOL)) {
            var writer = writer(how, deflater);
            for (var event : events) write(event, writer, written);
            return written.bytes();
        } finally {
            if (deflater != null) deflater.release();
        }
    }

    private static WsWriter writer(int how, @Nullable MessageDeflater deflater) {
        boolean isClient = (how & FROM_CLIENT) != 0;
        return isClient ? WsWriter.ofClient(deflater, () -> 0x01020304 * how) : WsWriter.ofServer(deflater);
    }

    private static void write(String event, WsWriter writer, WrittenFrames to) {
        int blank = event.indexOf(' ');
        var what = event.substring(blank + 1);
        switch (event.substring(0, blank)) {
            case "text" -> writer.text(to.out, what);
            case "bytes" -> writer.binary(to.out, Bytes.of(HexFormat.of().parseHex(what)));
            case "ping" -> writer.ping(to.out, Bytes.of(HexFormat.of().parseHex(what)));
            case "pong" -> writer.pong(to.out, Bytes.of(HexFormat.of().parseHex(what)));
            case "close" ->
                writer.close(to.out, Integer.parseInt(what, 0, Math.min(4, what.length()), 10), reason(what));
            default -> fail(event);
        }
    }

    private static String reason(String close) {
        return close.length() > 5 ? close.substring(5) : "";
    }
}
