package io.millrace.http.h1;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.coding.BodyEncoding;
import io.millrace.http.h1.ResponseHead.Framing;
import io.millrace.http.message.Body;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The body of one message that is sent, part by part (RFC 9112 section 6 and 7.1): user code writes a part
/// aside, so that its length is known before it is sent.
///
/// ```
///   user code ─► part ─┬──────────────────► framed ─► output
///                      └─ packed, if it is ─┘
/// ```
final class OutgoingBody {
    private final Framing framing;
    private final long length;
    private final LoopOutput part;
    private final LoopOutput output;
    private final @Nullable EncodedBody packed;
    private long written;
    private long sent;

    /// @param length in bytes of what user code writes, if it said so
    OutgoingBody(Framing framing, long length, Optional<BodyEncoding> encoding, LoopOutput output) {
        this.framing = framing;
        this.length = length;
        this.output = output;
        this.part = LoopOutput.aside(output.source());
        boolean isPacked = encoding.isPresent() && framing != Framing.NO_BODY;
        this.packed = isPacked ? new EncodedBody(encoding.get(), output.source()) : null;
    }

    /// What follows a part.
    enum Next {
        MORE,
        /// Somebody else has to come up with it first, and tells.
        LATER,
        NOTHING
    }

    /// Has a writer write the next part, and sends it.
    ///
    /// @throws IllegalStateException when that is not true, or the body is longer than it was to be
    Next write(BodyWriter writer) throws Exception {
        boolean hasMore = writer.write(part());
        long size = send();
        if (!hasMore) return Next.NOTHING;
        if (size > 0) return Next.MORE;
        if (writer instanceof SuspendableWriter) return Next.LATER;
        throw new IllegalStateException("a writer said that there is more, and wrote nothing");
    }

    /// Where the next part is written.
    Output part() {
        part.drawFrom(output.source());
        return part;
    }

    /// Bytes so far, as user code wrote them.
    long written() {
        return written;
    }

    /// Bytes so far, as they were sent, without what framing adds.
    long sent() {
        return sent;
    }

    boolean isPacked() {
        return packed != null;
    }

    /// Sends it, but for what the encoding holds back.
    ///
    /// @return how many bytes it had
    /// @throws IllegalStateException when the body is longer than it was to be
    long send() {
        long size = part.size();
        if (size == 0) return 0;
        written += size;
        if (hasPromised() && written > length) throw wrong("has at least " + written);
        if (packed == null) send(part);
        else send(packed.pack(part, output.source()));
        return size;
    }

    private boolean hasPromised() {
        return length != Body.UNKNOWN && framing != Framing.NO_BODY;
    }

    private void send(LoopOutput ready) {
        long size = ready.size();
        if (size == 0) return;
        if (framing != Framing.NO_BODY) sent += size;
        switch (framing) {
            case LENGTH, CLOSE -> output.appendAll(ready.chain());
            case CHUNKED -> {
                Chunks.begin(output, size);
                output.appendAll(ready.chain());
                Chunks.end(output);
            }
            case NO_BODY -> ready.release();
        }
    }

    /// What was sent can be read: the encoding holds nothing back.
    void flush() {
        if (packed != null) send(packed.flush(output.source()));
    }

    /// Everything was sent.
    ///
    /// @throws IllegalStateException when the body is shorter than it was to be
    void end() {
        end(Headers.EMPTY);
    }

    /// The same, by this writer.
    void end(BodyWriter writer) {
        end(writer instanceof SuspendableWriter later ? later.trailers() : Headers.EMPTY);
    }

    /// The same; fields follow a body in chunks.
    void end(Headers trailers) {
        if (hasPromised() && written < length) throw wrong("has " + written);
        if (packed != null) send(packed.end(output.source()));
        if (framing == Framing.CHUNKED) Chunks.last(output, trailers);
    }

    private IllegalStateException wrong(String what) {
        return new IllegalStateException("a body of " + length + " bytes " + what + ": correct length()");
    }

    void release(SlabSource source) {
        part.drawFrom(source);
        part.release();
        if (packed != null) packed.release(source);
    }
}
