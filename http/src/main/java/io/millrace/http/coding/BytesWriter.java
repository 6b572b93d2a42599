package io.millrace.http.coding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import java.lang.foreign.MemorySegment;

/// A value as a body that is written bit by bit.
final class BytesWriter implements BodyWriter {
    private static final int PART = 16 << 10;

    private final Bytes bytes;
    private int at;

    BytesWriter(Bytes bytes) {
        this.bytes = bytes;
    }

    @Override
    public boolean write(Output out) {
        int length = Math.min(PART, bytes.length() - at);
        var part = new byte[length];
        MemorySegment.copy(bytes.segment(), JAVA_BYTE, at, part, 0, length);
        out.write(part, 0, length);
        at += length;
        return at < bytes.length();
    }
}
