package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// The body of one request as it arrives, of a known length or in chunks. It is either collected whole, or fed to
/// somebody bit by bit.
///
/// ```
///   connection's input ─┬─ of a known length ──────────► lent as it is ─► sink
///                       └─ chunks ─ moved, without copy ─► data ─ lent ─► sink, or kept until it is whole
/// ```
final class RequestBody {
    @FunctionalInterface
    interface Sink {
        void take(Input part) throws Exception;
    }

    /// Chunks that one call takes: tiny ones cost much more than they say, and others are waiting.
    private static final int MOST_CHUNKS = 128;

    /// Data of chunks that a reader leaves for later; as much as a connection holds by default.
    private static final long MOST_UNREAD_BYTES = 64 << 10;

    private final @Nullable ChunkDecoder chunks;
    private final LoopOutput arriving;
    private final LoopInput data;
    private long left;
    private long received;

    /// Of a call: what it may still take apart.
    private int chunksLeft;

    /// @param length in bytes, or [RequestHead#CHUNKED]
    RequestBody(long length, HttpLimits limits, SlabSource source) {
        this.chunks = length == RequestHead.CHUNKED ? new ChunkDecoder(limits) : null;
        this.left = length;
        this.arriving = LoopOutput.aside(source);
        this.data = new LoopInput(source);
    }

    /// Takes what is there.
    ///
    /// @return whether the body is whole; then it is lent
    /// @throws Refusal when it is longer than `most`, or no body
    boolean collect(LoopInput in, long most, SlabSource source) throws Refusal {
        arriving.drawFrom(source);
        boolean isWhole = chunks == null ? collectLength(in) : collectChunks(in, chunks, most);
        keep(source);
        if (isWhole) data.lend(source);
        return isWhole;
    }

    private boolean collectLength(LoopInput in) {
        long length = Math.min(left, in.remaining());
        arriving.move(in, length);
        left -= length;
        received += length;
        return left == 0;
    }

    private boolean collectChunks(LoopInput in, ChunkDecoder decoder, long most) throws Refusal {
        chunksLeft = MOST_CHUNKS;
        for (long length; chunksLeft > 0 && (length = decoder.next(in)) != 0; chunksLeft--) {
            if (length == ChunkDecoder.DONE) return true;
            received += length;
            if (received > most) throw new Refusal(413, "a body of more than " + most, Guard.HTTP_BODY);
            arriving.move(in, length);
            decoder.took(length);
        }
        return false;
    }

    private void keep(SlabSource source) {
        data.endLoan(source);
        data.appendAll(arriving);
        // A byte now and then must not pin a large slab.
        data.compact();
    }

    /// Feeds what is there.
    ///
    /// @return whether that was the end
    boolean feed(LoopInput in, Sink sink, SlabSource source) throws Exception {
        return chunks == null ? feedLength(in, sink) : feedChunks(in, sink, source);
    }

    private boolean feedLength(LoopInput in, Sink sink) throws Exception {
        while (left > 0) {
            long offered = Math.min(left, in.remaining());
            if (offered == 0) return false;
            long hidden = in.narrow(offered);
            long taken;
            try {
                sink.take(in);
            } finally {
                taken = offered - in.remaining();
                in.widen(hidden);
            }
            left -= taken;
            received += taken;
            if (left > 0 && taken < offered) return incomplete(offered == left + taken);
        }
        return true;
    }

    private boolean feedChunks(LoopInput in, Sink sink, SlabSource source) throws Exception {
        long before = received;
        boolean isEnd;
        try {
            isEnd = collect(in, Long.MAX_VALUE, source);
            boolean hasNews = received > before || (isEnd && data.size() > 0);
            if (hasNews) {
                data.lend(source);
                sink.take(data);
            }
        } finally {
            data.endLoan(source);
        }
        if (data.size() > MOST_UNREAD_BYTES)
            throw new IllegalStateException("a reader left " + data.size() + " bytes unread");
        return (isEnd && data.size() == 0) || incomplete(isEnd);
    }

    private static boolean incomplete(boolean isAllThereIs) {
        if (!isAllThereIs) return false;
        throw new IllegalStateException("the end of a request's body was left unread: read all of it, or skip it");
    }

    /// Whether the call before has left chunks in the input, to go on with in another call.
    boolean hasEnoughForNow() {
        return chunks != null && chunksLeft == 0;
    }

    /// The whole body.
    Input whole() {
        return data;
    }

    Headers trailers() {
        return chunks == null ? Headers.EMPTY : chunks.trailers();
    }

    /// Bytes so far.
    long received() {
        return received;
    }

    void release(SlabSource source) {
        arriving.drawFrom(source);
        arriving.release();
        data.endLoan(source);
        data.release();
    }
}
