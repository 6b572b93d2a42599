package io.millrace.http.exchange;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.coding.BodyEncoding;
import io.millrace.http.message.Body;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.memory.LoopOutput;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The body of a message that is sent, part by part: user code writes each part to a buffer, so that its length
/// is known before it is framed.
///
/// ```
///   user code ─► part ─┬───────────────────► BodySink
///                      └─ encoded, if it is ─┘
/// ```
public final class OutgoingBody {
    private final BodySink sink;
    private final boolean hasBody;
    private final long length;
    private final LoopOutput part;
    private final @Nullable EncodedBody encoded;
    private long written;
    private long sent;

    /// @param hasBody whether any of it is sent
    /// @param length in bytes, as user code writes it, or [Body#UNKNOWN]
    public OutgoingBody(BodySink sink, boolean hasBody, long length, Optional<BodyEncoding> encoding) {
        this.sink = sink;
        this.hasBody = hasBody;
        this.length = length;
        this.part = LoopOutput.aside(sink.source());
        boolean isEncoded = encoding.isPresent() && hasBody;
        this.encoded = isEncoded ? new EncodedBody(encoding.get(), sink.source()) : null;
    }

    /// What follows a part.
    public enum Next {
        MORE,
        /// The next part must be produced elsewhere first, and is signalled.
        LATER,
        NOTHING
    }

    /// Has a writer write the next part, and sends it.
    ///
    /// @throws IllegalStateException if the writer breaks its contract, or the body exceeds its announced length
    public Next write(BodyWriter writer) throws Exception {
        boolean hasMore = writer.write(part());
        long size = send();
        if (!hasMore) return Next.NOTHING;
        if (size > 0) return Next.MORE;
        if (writer instanceof SuspendableWriter) return Next.LATER;
        throw new IllegalStateException("a writer returned true and wrote nothing");
    }

    /// The buffer for the next part.
    Output part() {
        part.drawFrom(sink.source());
        return part;
    }

    /// Bytes written so far by user code.
    public long written() {
        return written;
    }

    /// Bytes sent so far, without framing.
    long sent() {
        return sent;
    }

    boolean isEncoded() {
        return encoded != null;
    }

    /// Sends the part, except for what the encoder holds back.
    ///
    /// @return the part's length in bytes
    /// @throws IllegalStateException if the body exceeds its announced length
    long send() {
        long size = part.size();
        if (size == 0) return 0;
        written += size;
        if (hasPromised() && written > length) throw wrong("has at least " + written);
        if (encoded == null) send(part);
        else send(encoded.encode(part, sink.source()));
        return size;
    }

    private boolean hasPromised() {
        return length != Body.UNKNOWN && hasBody;
    }

    private void send(LoopOutput ready) {
        long size = ready.size();
        if (size == 0) return;
        if (!hasBody) {
            ready.release();
            return;
        }
        sent += size;
        sink.data(ready);
    }

    /// Flushes the encoder, so that everything sent can be read.
    void flush() {
        if (encoded != null) send(encoded.flush(sink.source()));
    }

    /// Ends the body.
    ///
    /// @throws IllegalStateException if the body is shorter than announced
    void end() {
        end(Headers.EMPTY);
    }

    /// Ends the body; fields follow if it is chunked.
    public void end(Headers trailers) {
        if (hasPromised() && written < length) throw wrong("has " + written);
        if (encoded != null) send(encoded.end(sink.source()));
        if (hasBody) sink.end(trailers);
    }

    private IllegalStateException wrong(String what) {
        return new IllegalStateException("a body of " + length + " bytes " + what + ": correct length()");
    }

    /// May be called several times.
    public void release() {
        part.drawFrom(sink.source());
        part.release();
        if (encoded != null) encoded.release(sink.source());
    }
}
