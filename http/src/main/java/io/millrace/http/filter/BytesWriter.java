package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.memory.LoopInput;

/// Writes a value as a streamed body.
final class BytesWriter implements BodyWriter {
    private static final int PART = 16 << 10;

    private final Input left;

    BytesWriter(Bytes bytes) {
        this.left = LoopInput.of(bytes);
    }

    @Override
    public boolean write(Output out) {
        out.move(left, Math.min(PART, left.remaining()));
        return !left.isEmpty();
    }
}
