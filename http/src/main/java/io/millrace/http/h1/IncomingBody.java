package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.BodyTarget;
import io.millrace.http.grammar.Refusal;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// Takes the framing off a body that arrives, of known length or in chunks, and passes the data to a target, part
/// by part.
///
/// ```
///   connection's input ─┬─ of a known length ──────────► lent as it is ─► target
///                       └─ chunks ─ moved, without copy ─► data ─ lent ─► target
/// ```
final class IncomingBody {
    /// Chunks that one call takes: tiny ones are expensive, and other connections wait.
    private static final int MOST_CHUNKS = 128;

    /// Data of chunks that a reader may leave for later; as much as a connection holds by default.
    private static final long MOST_UNREAD_BYTES = 64 << 10;

    private final @Nullable ChunkDecoder chunks;

    /// For chunks, once there are any.
    private @Nullable Data data;

    private long left;

    /// Chunks that the current call may still take.
    private int chunksLeft;

    private record Data(LoopOutput arriving, LoopInput unread) {
        static Data of(SlabSource source) {
            return new Data(LoopOutput.aside(source), new LoopInput(source));
        }

        void keep(SlabSource source) {
            unread.endLoan(source);
            unread.appendAll(arriving);
            // A byte now and then must not pin a large slab.
            unread.compact();
        }

        void release(SlabSource source) {
            arriving.drawFrom(source);
            arriving.release();
            unread.endLoan(source);
            unread.release();
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

    /// For a response.
    static IncomingBody ofResponse(long length, HttpLimits limits) {
        return new IncomingBody(length, length == RequestHead.CHUNKED ? ChunkDecoder.ofResponse(limits) : null);
    }

    /// Passes on what has arrived.
    ///
    /// @return whether that was the end
    /// @throws Refusal for a malformed body
    boolean feed(LoopInput in, BodyTarget target, SlabSource source) throws Exception {
        return chunks == null ? feedLength(in, target) : feedChunks(in, chunks, target, source);
    }

    private boolean feedLength(LoopInput in, BodyTarget target) throws Exception {
        while (left > 0) {
            long offered = Math.min(left, in.remaining());
            if (offered == 0) return false;
            long hidden = in.narrow(offered);
            long taken;
            try {
                target.take(in);
            } finally {
                taken = offered - in.remaining();
                left -= taken;
                in.widen(hidden);
            }
            if (left > 0 && taken < offered) return incomplete(offered == left + taken);
        }
        return true;
    }

    private boolean feedChunks(LoopInput in, ChunkDecoder decoder, BodyTarget target, SlabSource source)
            throws Exception {
        var known = data;
        if (known == null) data = known = Data.of(source);
        var unread = known.unread;
        long before = unread.size();
        known.arriving.drawFrom(source);
        boolean isEnd = takeChunks(in, decoder, known.arriving);
        known.keep(source);
        boolean hasNews = unread.size() > before || (isEnd && unread.size() > 0);
        if (hasNews) {
            unread.lend(source);
            try {
                target.take(unread);
            } finally {
                unread.endLoan(source);
            }
        }
        if (unread.size() > MOST_UNREAD_BYTES)
            throw new IllegalStateException("a reader left " + unread.size() + " bytes unread");
        return (isEnd && unread.size() == 0) || incomplete(isEnd);
    }

    /// @return whether that was the last one
    private boolean takeChunks(LoopInput in, ChunkDecoder decoder, LoopOutput arriving) throws Refusal {
        chunksLeft = MOST_CHUNKS;
        for (long length; chunksLeft > 0 && (length = decoder.next(in)) != 0; chunksLeft--) {
            if (length == ChunkDecoder.DONE) return true;
            arriving.move(in, length);
            decoder.took(length);
        }
        return false;
    }

    private static boolean incomplete(boolean isAllThereIs) {
        if (!isAllThereIs) return false;
        throw new IllegalStateException("the end of a request's body was left unread: read all of it, or skip it");
    }

    /// Whether the last call has left chunks in the input, for another call.
    boolean hasEnoughForNow() {
        return chunks != null && chunksLeft == 0;
    }

    /// Bytes still to come: many if the length is unknown.
    long leftBytes() {
        return chunks == null ? left : Long.MAX_VALUE;
    }

    /// The trailer fields, after the end.
    Headers trailers() {
        return chunks == null ? Headers.EMPTY : chunks.trailers();
    }

    /// May be called several times.
    void release(SlabSource source) {
        if (data != null) data.release(source);
    }
}
