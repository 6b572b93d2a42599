package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Output;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A writer of a test, which writes some bytes part by part and knows how often it was told that it is over.
final class Uploading implements BodyWriter {
    private final byte[] content;
    private final int part;
    private final AtomicLong written = new AtomicLong();
    private final AtomicInteger closes = new AtomicInteger();

    Uploading(byte[] content, int part) {
        this.content = content;
        this.part = part;
    }

    /// One that never ends.
    static Uploading endless() {
        return new Uploading(new byte[0], 10_000);
    }

    @Override
    public boolean write(Output out) {
        if (closes.get() > 0) throw new AssertionError("called after its end");
        if (content.length == 0) {
            out.write(new byte[part], 0, part);
            written.addAndGet(part);
            return true;
        }
        int at = (int) written.get();
        int length = Math.min(part, content.length - at);
        out.write(content, at, length);
        return written.addAndGet(length) < content.length;
    }

    @Override
    public void onClose() {
        closes.incrementAndGet();
    }

    /// Bytes so far.
    long written() {
        return written.get();
    }

    void assertClosedOnce() {
        assertEquals(1, closes.get(), "how often the writer was told that it is over");
    }
}
