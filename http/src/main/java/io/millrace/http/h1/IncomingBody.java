package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// The body of one message as it arrives, of a known length or in chunks. It is either collected whole, or fed to
/// somebody bit by bit.
///
/// ```
///   connection's input ─┬─ of a known length ──────────► lent as it is ─► sink
///                       └─ chunks ─ moved, without copy ─► data ─ lent ─► sink, or kept until it is whole
/// ```
final class IncomingBody {
    @FunctionalInterface
    interface Sink {
        void take(Input part) throws Exception;
    }

    /// Chunks that one call takes: tiny ones cost much more than they say, and others are waiting.
    private static final int MOST_CHUNKS = 128;

    /// Data of chunks that a reader leaves for later; as much as a connection holds by default.
    private static final long MOST_UNREAD_BYTES = 64 << 10;

    private final @Nullable ChunkDecoder chunks;

    /// Nothing while it only passes by.
    private @Nullable Collected collected;

    private long left;
    private long received;

    /// Of a call: what it may still take apart.
    private int chunksLeft;

    private record Collected(LoopOutput arriving, LoopInput data) {
        void keep(SlabSource source) {
            data.endLoan(source);
            data.appendAll(arriving);
            // A byte now and then must not pin a large slab.
            data.compact();
        }

        void release(SlabSource source) {
            arriving.drawFrom(source);
            arriving.release();
            data.endLoan(source);
            data.release();
        }
    }

    /// @param length in bytes, or [RequestHead#CHUNKED]
    IncomingBody(long length, HttpLimits limits) {
        this(length, length == RequestHead.CHUNKED ? new ChunkDecoder(limits) : null);
    }

    private IncomingBody(long length, @Nullable ChunkDecoder chunks) {
        this.chunks = chunks;
        this.left = length;
    }

    /// That of a response.
    static IncomingBody ofResponse(long length, HttpLimits limits) {
        return new IncomingBody(length, length == RequestHead.CHUNKED ? ChunkDecoder.ofResponse(limits) : null);
    }

    /// Takes what is there.
    ///
    /// @return whether the body is whole; then it is lent
    /// @throws Refusal when it is longer than `most`, or no body
    boolean collect(LoopInput in, long most, SlabSource source) throws Refusal {
        var mine = collected(source);
        mine.arriving.drawFrom(source);
        boolean isWhole =
                chunks == null ? collectLength(in, mine.arriving) : collectChunks(in, chunks, mine.arriving, most);
        mine.keep(source);
        if (isWhole) mine.data.lend(source);
        return isWhole;
    }

    private Collected collected(SlabSource source) {
        var known = collected;
        if (known == null) collected = known = new Collected(LoopOutput.aside(source), new LoopInput(source));
        return known;
    }

    private boolean collectLength(LoopInput in, LoopOutput arriving) {
        long length = Math.min(left, in.remaining());
        arriving.move(in, length);
        left -= length;
        received += length;
        return left == 0;
    }

    private boolean collectChunks(LoopInput in, ChunkDecoder decoder, LoopOutput arriving, long most) throws Refusal {
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
        var data = collected(source).data;
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
        if (collected == null) throw new IllegalStateException("nothing was collected");
        return collected.data;
    }

    Headers trailers() {
        return chunks == null ? Headers.EMPTY : chunks.trailers();
    }

    /// Bytes so far.
    long received() {
        return received;
    }

    void release(SlabSource source) {
        if (collected != null) collected.release(source);
    }
}
