package io.millrace.http.h2;

import io.millrace.memory.LoopInput;
import java.util.Arrays;

/// A block of fields that goes on in further frames (RFC 9113 section 4.3), until all of it has arrived.
final class HeaderBlock {
    /// Frames that it may have.
    static final int MOST_FRAMES = 32;

    final int id;
    final boolean endsStream;
    final boolean dependsOnItself;

    private final int mostBytes;
    private byte[] bytes = {};
    private int length;
    private int frames;

    HeaderBlock(int id, boolean endsStream, boolean dependsOnItself, int mostBytes) {
        this.id = id;
        this.endsStream = endsStream;
        this.dependsOnItself = dependsOnItself;
        this.mostBytes = mostBytes;
    }

    /// Takes the next part from the input.
    ///
    /// @return false if that is too much, and nothing was taken
    boolean append(LoopInput in, int more) {
        frames++;
        if (length + more > mostBytes || frames > MOST_FRAMES) return false;
        if (length + more > bytes.length)
            bytes = Arrays.copyOf(bytes, Math.min(mostBytes, Math.max(2 * bytes.length, length + more)));
        in.read(bytes, length, more);
        length += more;
        return true;
    }

    /// What has arrived, up to [#length].
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}
