package io.millrace.http.ws;

import io.millrace.http.coding.CoderPool;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/// Packs the messages of a connection (RFC 7692 section 7.2.1), each at once. Unless the connection keeps its window
/// between messages, nothing is held from one to the next, a packed message is the same for every peer, and any thread
/// may pack one.
public final class MessageDeflater {
    /// The end of an empty stored block, which is left out.
    private static final int TAIL_BYTES = 4;

    /// Held for a call that does not wait.
    static final CoderPool<Deflater> EACH_MESSAGE = CoderPool.ofAny(
            Runtime.getRuntime().availableProcessors(), MessageDeflater::made, Deflater::reset, Deflater::end);

    private final boolean keepsWindow;
    private final int leastBytes;
    private @Nullable Deflater kept;

    /// @param keepsWindow whether messages refer to those before
    /// @param leastBytes shorter ones are not packed
    MessageDeflater(boolean keepsWindow, int leastBytes) {
        this.keepsWindow = keepsWindow;
        this.leastBytes = leastBytes;
    }

    /// For messages that many peers get.
    public static MessageDeflater ofShared(WsLimits limits) {
        return new MessageDeflater(false, limits.leastPackedBytes());
    }

    /// Whether what it packs is the same for every peer.
    public boolean isShared() {
        return !keepsWindow;
    }

    private static Deflater made() {
        return new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    }

    /// Whether a message is long enough to be packed.
    boolean isWorth(int bytes) {
        return bytes >= leastBytes && bytes > TAIL_BYTES;
    }

    /// A message, packed; nothing if it is better sent as it is.
    Optional<byte[]> deflate(byte[] plain) {
        if (!isWorth(plain.length)) return Optional.empty();
        if (keepsWindow) {
            if (kept == null) kept = made();
            return Optional.of(all(kept, plain));
        }
        var one = EACH_MESSAGE.take().orElseThrow();
        try {
            return smaller(one, plain);
        } finally {
            EACH_MESSAGE.give(one);
        }
    }

    private static Optional<byte[]> smaller(Deflater by, byte[] plain) {
        var packed = new byte[plain.length];
        by.setInput(plain);
        int length = by.deflate(packed, 0, packed.length, Deflater.SYNC_FLUSH);
        // A full array: there may be more.
        return length == packed.length ? Optional.empty() : Optional.of(Arrays.copyOf(packed, length - TAIL_BYTES));
    }

    /// The window has moved on, and the peer's has to: it is sent packed, even if it did not get smaller.
    private static byte[] all(Deflater by, byte[] plain) {
        var packed = new byte[plain.length / 2 + 64];
        by.setInput(plain);
        int length = 0;
        while (true) {
            length += by.deflate(packed, length, packed.length - length, Deflater.SYNC_FLUSH);
            if (length < packed.length) return Arrays.copyOf(packed, length - TAIL_BYTES);
            packed = Arrays.copyOf(packed, 2 * packed.length);
        }
    }

    /// The connection is over; may be called several times.
    void release() {
        if (kept != null) kept.end();
        kept = null;
    }
}
