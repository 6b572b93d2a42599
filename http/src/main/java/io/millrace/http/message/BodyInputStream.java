package io.millrace.http.message;

import io.millrace.http.BlockingBody;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/// A body as a stream.
public final class BodyInputStream extends InputStream {
    private final BlockingBody body;

    public BodyInputStream(BlockingBody body) {
        this.body = body;
    }

    private boolean fill() throws IOException {
        while (body.input().isEmpty()) if (!body.read()) return false;
        return true;
    }

    @Override
    public int read() throws IOException {
        return fill() ? body.input().readByte() & 0xff : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (length == 0) return 0;
        if (!fill()) return -1;
        int count = (int) Math.min(length, body.input().remaining());
        body.input().read(to, offset, count);
        return count;
    }

    @Override
    public int available() {
        return (int) Math.min(body.input().remaining(), Integer.MAX_VALUE);
    }
}
