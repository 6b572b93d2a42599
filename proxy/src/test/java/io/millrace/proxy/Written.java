package io.millrace.proxy;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;

/// A body that is written a part at a time.
final class Written implements BodyWriter {
    private final byte[] body;
    private final int part;
    private int at;

    Written(byte[] body, int part) {
        this.body = body;
        this.part = part;
    }

    @Override
    public boolean write(Output out) {
        int length = Math.min(part, body.length - at);
        out.write(body, at, length);
        at += length;
        return at < body.length;
    }
}
