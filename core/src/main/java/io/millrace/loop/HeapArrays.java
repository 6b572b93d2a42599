package io.millrace.loop;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.nio.ByteBuffer;

/// Two arrays of a loop, for whoever needs bytes on the heap for the moment of one call. On the loop.
public final class HeapArrays {
    /// A TLS record, and what the JDK's engine wants besides, which with `jsse.SSLEngine.acceptLargeFragments` is as
    /// much again.
    private static final int BYTES = 34 << 10;

    private final byte[] inBytes = new byte[BYTES];
    private final byte[] outBytes = new byte[BYTES];
    private final ByteBuffer in = ByteBuffer.wrap(inBytes);
    private final ByteBuffer out = ByteBuffer.wrap(outBytes);

    /// The first one, with the next bytes of an input, which are not consumed.
    public ByteBuffer in(Input from, int length) {
        from.peek(0, inBytes, 0, length);
        return in.clear().limit(length);
    }

    /// The other one, empty.
    public ByteBuffer out() {
        return out.clear();
    }

    /// Moves what was put into that to an output.
    ///
    /// @return how many bytes it is
    public int move(Output to) {
        int length = out.position();
        if (length > 0) to.write(outBytes, 0, length);
        return length;
    }
}
