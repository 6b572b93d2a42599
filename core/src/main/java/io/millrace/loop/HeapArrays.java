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

    private final ByteBuffer first = ByteBuffer.allocate(BYTES);
    private final ByteBuffer second = ByteBuffer.allocate(BYTES);
    private final ByteBuffer[] parts = new ByteBuffer[MOST_PARTS];

    /// Whichever holds nothing that is still to be read.
    private ByteBuffer free = second;

    /// The first one, with the next bytes of an input, which are not consumed.
    public ByteBuffer in(Input from, int length) {
        from.peek(0, first.array(), 0, length);
        free = second;
        return first.clear().limit(length);
    }

    /// The next bytes of an input where they are, or in the first array when they are in too many places; they are not
    /// consumed. Only for what keeps nothing.
    ///
    /// @return how many of the [#parts] it takes
    public int show(Input from, int length) {
        int count = ((LoopInput) from).view(length, parts);
        if (count == 0) return copy(from, length);
        // What came in used it last, so that it is in the processor's cache.
        free = first;
        return count;
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

    /// An array in which nothing is, for what comes of that.
    public ByteBuffer out() {
        return free.clear();
    }

    /// Moves what was put into that to an output.
    ///
    /// @return how many bytes it is
    public int move(Output to) {
        int length = free.position();
        if (length > 0) to.write(free.array(), free.arrayOffset(), length);
        return length;
    }
}
