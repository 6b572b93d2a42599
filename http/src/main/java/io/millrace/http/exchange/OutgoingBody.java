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

/// The body of one message that is sent, part by part: user code writes a part aside, so that its length is known
/// before it is framed.
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
    /// @param length in bytes of what user code writes, or [Body#UNKNOWN]
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
        /// Somebody else has to come up with it first, and tells.
        LATER,
        NOTHING
    }

    /// Has a writer write the next part, and sends it.
    ///
    /// @throws IllegalStateException when that is not true, or the body is longer than it was to be
    public Next write(BodyWriter writer) throws Exception {
        boolean hasMore = writer.write(part());
        long size = send();
        if (!hasMore) return Next.NOTHING;
        if (size > 0) return Next.MORE;
        if (writer instanceof SuspendableWriter) return Next.LATER;
        throw new IllegalStateException("a writer said that there is more, and wrote nothing");
    }

    /// Where the next part is written.
    Output part() {
        part.drawFrom(sink.source());
        return part;
    }

    /// Bytes so far, as user code wrote them.
    public long written() {
        return written;
    }

    /// Bytes so far, as they were sent, without what framing adds.
    long sent() {
        return sent;
    }

    boolean isEncoded() {
        return encoded != null;
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

    /// What was sent can be read: the encoding holds nothing back.
    void flush() {
        if (encoded != null) send(encoded.flush(sink.source()));
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
    public void end(Headers trailers) {
        if (hasPromised() && written < length) throw wrong("has " + written);
        if (encoded != null) send(encoded.end(sink.source()));
        if (hasBody) sink.end(trailers);
    }

    private IllegalStateException wrong(String what) {
        return new IllegalStateException("a body of " + length + " bytes " + what + ": correct length()");
    }

    /// As often as one likes.
    public void release() {
        part.drawFrom(sink.source());
        part.release();
        if (encoded != null) encoded.release(sink.source());
    }
}
