package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Reserve;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A body on its way from a message that arrives to one that is sent, each on a loop or a thread of its own. Its
/// slabs move; nothing is copied but what is small.
///
/// ```
///   who reads the one ── put ──► at most some [#WINDOW_BYTES] ── write ──► who sends the other
///        ▲                                                                        ▲
///        └──────────── room, once it was full, and when it is first wanted        └── news, once it was empty
/// ```
public final class Conduit implements LaterWriter {
    /// Above it the reader stops; what it has in its hands it still puts.
    private static final long WINDOW_BYTES = 256 << 10;

    /// The same while memory is tight.
    private static final long TIGHT_BYTES = 16 << 10;

    private final Reserve reserve;
    private final Runnable room;

    // Guarded by this.

    private final LoopOutput waiting;
    private Runnable news = Conduit::nobody;
    private Headers trailers = Headers.EMPTY;
    private @Nullable IOException failure;
    private boolean isWanted;
    private boolean isFull;
    private boolean isEmptyHanded;
    private boolean hasEnded;
    private boolean isClosed;

    /// An empty one.
    ///
    /// @param loop any
    /// @param room called when there is room again, when the body is first wanted, and when it is not wanted any
    ///     more; by whatever thread sends it
    public Conduit(EventLoop loop, Runnable room) {
        this.reserve = loop.pool().reserve();
        this.waiting = LoopOutput.aside(reserve);
        this.room = room;
    }

    // Who reads.

    /// Takes all of a part. Nobody wants it once the other side has closed.
    ///
    /// @param source of the caller's thread
    public void put(Input part, SlabSource source) {
        Runnable told;
        synchronized (this) {
            if (isClosed) {
                part.skip(part.remaining());
                return;
            }
            waiting.drawFrom(source);
            waiting.move(part, part.remaining());
            isFull = waiting.size() > (source.isTight() ? TIGHT_BYTES : WINDOW_BYTES);
            told = told();
        }
        told.run();
    }

    /// Whether nothing more should be put until there is room.
    public synchronized boolean isFull() {
        return isFull;
    }

    /// Whether the other side has begun to take bytes, which are gone then.
    public synchronized boolean isWanted() {
        return isWanted;
    }

    /// Whether it will never be complete.
    public synchronized boolean hasFailed() {
        return failure != null;
    }

    /// Whether nobody takes any more.
    public synchronized boolean isClosed() {
        return isClosed;
    }

    /// The body is complete.
    public void end(Headers behind) {
        Runnable told;
        synchronized (this) {
            trailers = behind;
            hasEnded = true;
            told = told();
        }
        told.run();
    }

    /// It never will be.
    public void fail(IOException cause) {
        Runnable told;
        synchronized (this) {
            if (hasEnded || failure != null) return;
            failure = cause;
            told = told();
        }
        told.run();
    }

    /// Whoever came in vain is told, once.
    private Runnable told() {
        if (!isEmptyHanded) return Conduit::nobody;
        isEmptyHanded = false;
        return news;
    }

    private static void nobody() {}

    // Who sends.

    @Override
    public synchronized void opened(Runnable toTell) {
        news = toTell;
    }

    /// Takes everything that is there.
    ///
    /// @return whether there will be more; having written nothing, it tells when there is
    @Override
    public boolean write(Output out) throws IOException {
        boolean hasRoom;
        boolean hasMore;
        synchronized (this) {
            ((LoopOutput) out).appendAll(waiting.chain());
            if (failure != null) throw failure;
            hasRoom = isFull || !isWanted;
            isWanted = true;
            isFull = false;
            hasMore = !hasEnded;
            isEmptyHanded = hasMore;
        }
        if (hasRoom && hasMore) room.run();
        return hasMore;
    }

    @Override
    public synchronized Headers trailers() {
        return trailers;
    }

    @Override
    public void onClose() {
        synchronized (this) {
            if (isClosed) return;
            isClosed = true;
            isFull = false;
            waiting.drawFrom(reserve);
            waiting.release();
        }
        room.run();
    }
}
