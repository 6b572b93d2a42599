package io.millrace.http.ws;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.IntSupplier;

/// Masks of a client's frames, which nobody can foresee who has seen those before (RFC 6455 sections 5.3 and 10.3):
/// a peer that can would have the client put bytes of the peer's choice on the wire.
///
/// They come from a [SecureRandom], several at a time, which costs less than a tenth of asking for each. A fast
/// generator with a secret seed would not do: a few of its numbers tell all that follow.
///
/// One for each connection, used by the thread that sends.
public final class MaskSource implements IntSupplier {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int AT_A_TIME = 16;

    private final byte[] bytes = new byte[AT_A_TIME * Integer.BYTES];
    private final ByteBuffer masks = ByteBuffer.wrap(bytes).limit(0);

    @Override
    public int getAsInt() {
        if (!masks.hasRemaining()) {
            RANDOM.nextBytes(bytes);
            masks.clear();
        }
        return masks.getInt();
    }
}
