package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;

/// Passes the parts of a body on as they arrive. It leaves nothing unread, and keeps at most one field's value.
final class MultipartStream implements BodyReader {
    private final MultipartParser parser;
    private final PartReader parts;
    private final ByteArrayOutputStream value = new ByteArrayOutputStream();
    private boolean isOver;

    MultipartStream(MultipartParser parser, PartReader parts) {
        this.parser = parser;
        this.parts = parts;
    }

    @Override
    public void onBody(Input part) throws Exception {
        boolean isFine = false;
        try {
            parser.arrived(part.remaining());
            take(part);
            isFine = true;
        } finally {
            if (!isFine) onAbort();
        }
    }

    private void take(Input in) throws Exception {
        while (true) {
            switch (parser.next(in)) {
                case HEAD -> begin();
                case DATA -> give((LoopInput) in, parser.dataBytes());
                case HELD -> give(LoopInput.of(parser.held()), parser.held().length());
                case PART_END -> end();
                case NEEDS_MORE -> {
                    return;
                }
            }
        }
    }

    private void begin() throws Exception {
        if (parser.head().isFile()) parts.onFile(parser.head());
    }

    private void give(LoopInput in, long length) throws Exception {
        if (!parser.head().isFile()) {
            var bytes = new byte[(int) length];
            in.read(bytes, 0, bytes.length);
            value.writeBytes(bytes);
            return;
        }
        long hidden = in.narrow(length);
        try {
            parts.onData(in);
            // If the connection was dropped meanwhile, the input is empty and no longer lent.
            if (!in.isEmpty()) in.skip(in.remaining());
        } finally {
            in.widen(hidden);
        }
    }

    private void end() throws Exception {
        if (parser.head().isFile()) {
            parts.onFileEnd();
            return;
        }
        var content = Bytes.of(value.toByteArray());
        value.reset();
        parts.onField(new Part(parser.head(), content));
    }

    @Override
    public Response onEnd() throws Exception {
        boolean isFine = false;
        try {
            parser.end();
            isFine = true;
        } finally {
            if (!isFine) onAbort();
        }
        isOver = true;
        return parts.onEnd();
    }

    @Override
    public void onAbort() {
        if (isOver) return;
        isOver = true;
        parts.onAbort();
    }
}
