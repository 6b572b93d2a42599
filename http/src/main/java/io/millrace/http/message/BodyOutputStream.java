package io.millrace.http.message;

import io.millrace.http.BlockingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/// A body's output as a stream.
public final class BodyOutputStream extends OutputStream {
    private final BlockingOutput out;

    public BodyOutputStream(BlockingOutput out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        try {
            out.output().writeByte(value);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        try {
            out.output().write(from, offset, length);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
