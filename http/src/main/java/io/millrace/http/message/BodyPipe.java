package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Reserve;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A body on its way from a message that arrives to one that is sent, each on a loop or a thread of its own. Its
/// slabs move; nothing is copied but what is small.
///
/// ```
///   who reads the one ── put ──► at most some [#WINDOW_BYTES] ── write ──► who sends the other
///        ▲                                                                        ▲
///        └──────────── room, once it was full, and when it is first wanted        └── news, once it was empty
/// ```
/// It may first collect what arrives, and hold what it takes to a limit.
public final class BodyPipe implements SuspendableWriter {
    /// Above it the reader stops; what it has in its hands it still puts.
    private static final long WINDOW_BYTES = 256 << 10;

    /// The same while memory is tight.
    private static final long TIGHT_BYTES = 16 << 10;

    private final Reserve reserve;
    private final Runnable room;

    // Guarded by this.

    private final LoopOutput waiting;
    private Runnable news = BodyPipe::nobody;
    private Headers trailers = Headers.EMPTY;
    private @Nullable IOException failure;
    private boolean isWanted;
    private boolean isFull;
    private boolean isEmptyHanded;
    private boolean hasEnded;
    private boolean isClosed;

    /// While it collects: up to how many bytes, and whom it tells. 0 otherwise.
    private long collectBytes;

    private Runnable collected = BodyPipe::nobody;
    private long receivedBytes;
    private long mostBytes = Long.MAX_VALUE;
    private Runnable tooLong = BodyPipe::nobody;

    /// An empty one.
    ///
    /// @param loop any
    /// @param room called when there is room again, when the body is first wanted, and when it is not wanted any
    ///     more; by whatever thread sends it
    public BodyPipe(EventLoop loop, Runnable room) {
        this.reserve = loop.pool().reserve();
        this.waiting = LoopOutput.aside(reserve);
        this.room = room;
    }

    /// Refuses to be longer than so much; before anything was put.
    ///
    /// @param told called once if it is, by who reads; it is closed then
    public synchronized void limit(long most, Runnable told) {
        mostBytes = most;
        tooLong = told;
    }

    /// Collects what arrives, until all is there, or more than so much is; before anybody takes bytes.
    ///
    /// @param ready called then, once, by who reads; not when it fails or is closed before
    public void collect(long most, Runnable ready) {
        synchronized (this) {
            if (!hasEnded && waiting.size() <= most) {
                collectBytes = most;
                collected = ready;
            }
        }
        if (isAskedFor()) room.run();
        else ready.run();
    }

    /// All of it, if it has ended, without fields behind it; then it is empty.
    public synchronized Optional<Bytes> takeWhole() {
        if (!hasEnded || trailers.size() > 0) return Optional.empty();
        var data = new LoopInput(reserve);
        data.appendAll(waiting);
        data.lend(reserve);
        var whole = data.readBytes(data.remaining());
        data.endLoan(reserve);
        data.release();
        return Optional.of(whole);
    }

    // Who reads.

    /// Takes all of a part. Nobody wants it once the other side has closed.
    ///
    /// @param source of the caller's thread
    public void put(Input part, SlabSource source) {
        Runnable told;
        synchronized (this) {
            receivedBytes += part.remaining();
            boolean isTooLong = receivedBytes > mostBytes && !isClosed;
            if (isTooLong) discard();
            if (isClosed) {
                part.skip(part.remaining());
                told = isTooLong ? tooLong : BodyPipe::nobody;
            } else {
                waiting.drawFrom(source);
                waiting.move(part, part.remaining());
                isFull = waiting.size() > Math.max(collectBytes, source.isTight() ? TIGHT_BYTES : WINDOW_BYTES);
                told = waiting.size() > collectBytes ? told() : BodyPipe::nobody;
            }
        }
        told.run();
    }

    /// Takes all that somebody has written, and leaves it empty; as the other.
    public void put(LoopOutput part) {
        Runnable told;
        synchronized (this) {
            if (isClosed) {
                part.release();
                told = BodyPipe::nobody;
            } else {
                waiting.drawFrom(part.source());
                waiting.appendAll(part.chain());
                isFull = waiting.size() > (part.source().isTight() ? TIGHT_BYTES : WINDOW_BYTES);
                told = told();
            }
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

    /// Whether who sends it should go on.
    public synchronized boolean isAskedFor() {
        return isWanted || collectBytes > 0;
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

    /// Whoever came in vain is told, once, or who has it collected.
    private Runnable told() {
        if (collectBytes > 0) {
            collectBytes = 0;
            return failure == null ? collected : BodyPipe::nobody;
        }
        if (!isEmptyHanded) return BodyPipe::nobody;
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
            discard();
        }
        room.run();
    }

    private void discard() {
        isClosed = true;
        isFull = false;
        collectBytes = 0;
        waiting.drawFrom(reserve);
        waiting.release();
    }
}
