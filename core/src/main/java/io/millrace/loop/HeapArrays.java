package io.millrace.loop;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.memory.LoopInput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Two arrays of a loop, for whoever needs bytes on the heap for the moment of one call, and for parts of the JDK the
/// places where bytes are. On the loop.
public final class HeapArrays {
    /// A TLS record, and what the JDK's engine wants besides, which with `jsse.SSLEngine.acceptLargeFragments` is as
    /// much again.
    private static final int BYTES = 34 << 10;

    /// In how many slabs bytes may be that are shown where they are.
    private static final int MOST_PARTS = 8;

    private final byte[] inBytes = new byte[BYTES];
    private final byte[] outBytes = new byte[BYTES];
    private final ByteBuffer in = ByteBuffer.wrap(inBytes);
    private final ByteBuffer out = ByteBuffer.wrap(outBytes);
    private final ByteBuffer[] parts = new ByteBuffer[MOST_PARTS];

    /// The first one, with the next bytes of an input, which are not consumed.
    public ByteBuffer in(Input from, int length) {
        from.peek(0, inBytes, 0, length);
        return in.clear().limit(length);
    }

    /// The next bytes of an input where they are, or in the first array when they are in too many places; they are not
    /// consumed. Only for what keeps nothing.
    ///
    /// @return how many of the [#parts] it takes
    public int show(Input from, int length) {
        int count = ((LoopInput) from).view(length, parts);
        return count > 0 ? count : copy(from, length);
    }

    /// The same bytes in the first array, for anybody.
    public int copy(Input from, int length) {
        parts[0] = in(from, length);
        return 1;
    }

    /// What was shown or copied, in the first places.
    public ByteBuffer[] parts() {
        return parts;
    }

    /// They are not needed any more: what they showed may be somebody's value, and is not to live on here.
    public void forgetParts() {
        Arrays.fill(parts, null);
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
