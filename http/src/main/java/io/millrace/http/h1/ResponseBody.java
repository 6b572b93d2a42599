package io.millrace.http.h1;

import io.millrace.bytes.Output;
import io.millrace.http.h1.ResponseHead.Framing;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// The body of one response, part by part (RFC 9112 section 6 and 7.1): user code writes a part aside, so that
/// its length is known before it is sent.
final class ResponseBody {
    private final Framing framing;
    private final long length;
    private final LoopOutput part;
    private final LoopOutput output;
    private long written;

    /// @param length in bytes, if the framing says it
    ResponseBody(Framing framing, long length, LoopOutput output) {
        this.framing = framing;
        this.length = length;
        this.output = output;
        this.part = Aside.from(output.source());
    }

    /// Where the next part is written.
    Output part() {
        part.drawFrom(output.source());
        return part;
    }

    /// Sends it.
    ///
    /// @return how many bytes it had
    /// @throws IllegalStateException when the body is longer than it was to be
    long send() {
        long size = part.size();
        if (size == 0) return 0;
        written += size;
        switch (framing) {
            case LENGTH -> {
                if (written > length) throw wrong("has at least " + written);
                output.appendAll(part.chain());
            }
            case CHUNKED -> {
                Chunks.begin(output, size);
                output.appendAll(part.chain());
                Chunks.end(output);
            }
            case CLOSE -> output.appendAll(part.chain());
            case NO_BODY -> part.release();
        }
        return size;
    }

    /// Everything was sent.
    ///
    /// @throws IllegalStateException when the body is shorter than it was to be
    void end() {
        if (framing == Framing.LENGTH && written < length) throw wrong("has " + written);
        if (framing == Framing.CHUNKED) Chunks.last(output);
    }

    private IllegalStateException wrong(String what) {
        return new IllegalStateException("a body of " + length + " bytes " + what + ": correct length()");
    }

    void release(SlabSource source) {
        part.drawFrom(source);
        part.release();
    }
}
