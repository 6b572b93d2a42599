package io.millrace.loop;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.memory.LoopInput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// A loop's two arrays, for code that needs bytes on the heap for one call, and views of the memory where bytes
/// are, for parts of the JDK. On the loop.
public final class HeapArrays {
    /// A TLS record, and the extra room that the JDK's engine wants: with `jsse.SSLEngine.acceptLargeFragments` as
    /// much again.
    private static final int BYTES = 34 << 10;

    /// The most slabs over which bytes may be spread to be shown in place.
    private static final int MOST_PARTS = 8;

    private final ByteBuffer first = ByteBuffer.allocate(BYTES);
    private final ByteBuffer second = ByteBuffer.allocate(BYTES);
    private final ByteBuffer[] parts = new ByteBuffer[MOST_PARTS];

    /// The array that holds nothing still to be read.
    private ByteBuffer free = second;

    /// The first array, with the next bytes of an input, which are not consumed.
    public ByteBuffer in(Input from, int length) {
        from.peek(0, first.array(), 0, length);
        free = second;
        return first.clear().limit(length);
    }

    /// Shows the next bytes of an input in place, or copied to the first array when they are in too many slabs;
    /// they are not consumed. Only for code that keeps no reference.
    ///
    /// @return how many of the [#parts] are in use
    public int show(Input from, int length) {
        int count = ((LoopInput) from).view(length, parts);
        if (count == 0) return copy(from, length);
        // It was used last, for input, so that it is in the processor's cache.
        free = first;
        return count;
    }

    /// The same bytes in the first array, for any code.
    public int copy(Input from, int length) {
        parts[0] = in(from, length);
        return 1;
    }

    /// The parts; the first ones hold what was shown or copied.
    public ByteBuffer[] parts() {
        return parts;
    }

    /// Drops the parts: the values that they showed must not stay reachable here.
    public void forgetParts() {
        Arrays.fill(parts, null);
    }

    /// An empty array, for the result.
    public ByteBuffer out() {
        return free.clear();
    }

    /// Moves what was put into [#out] to an output.
    ///
    /// @return how many bytes it moved
    public int move(Output to) {
        int length = free.position();
        if (length > 0) to.write(free.array(), free.arrayOffset(), length);
        return length;
    }
}
