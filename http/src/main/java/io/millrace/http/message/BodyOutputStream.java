package io.millrace.http.message;

import io.millrace.http.BlockingOutput;
import java.io.IOException;
import java.io.OutputStream;

/// Where a body is written to, as a stream.
public final class BodyOutputStream extends OutputStream {
    private final BlockingOutput out;

    public BodyOutputStream(BlockingOutput out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        out.output().writeByte(value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        out.output().write(from, offset, length);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
