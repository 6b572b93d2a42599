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
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Passes a body from a message that arrives to one that is sent, each on a loop or a thread of its own.
/// Slabs move; only small parts are copied.
///
/// ```
///   reader of the one ── put ──► at most some [#WINDOW_BYTES] ── write ──► sender of the other
///        ▲                                                                        ▲
///        └──────────── room, once it was full, and when it is first wanted        └── news, once it was empty
/// ```
/// It can first collect what arrives, enforce a limit, and keep a copy of what was taken, so that another message
/// can take it again.
public final class BodyPipe implements SuspendableWriter {
    /// When this much waits, the reader stops; it still puts the part that it has.
    private static final long WINDOW_BYTES = 256 << 10;

    /// The same while memory is tight, or its connection has much in such pipes.
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
    private boolean isLeft;

    /// It was closed before all of it had been taken: for a sender that is not told in time, it must not seem to end.
    private boolean isCut;

    /// While it keeps what is taken: the limit in bytes. 0 otherwise.
    private long keepBytes;

    /// What was taken.
    private final List<Bytes> kept = new ArrayList<>(0);

    private long keptBytes;

    /// How many of them the current message has.
    private int replayed;

    /// The current message does not want the rest.
    private boolean isRefused;

    /// While it collects: the limit in bytes. 0 otherwise.
    private long collectBytes;

    private Runnable collected = BodyPipe::nobody;
    private boolean mayPause;
    private long receivedBytes;
    private long mostBytes = Long.MAX_VALUE;
    private Runnable tooLong = BodyPipe::nobody;
    private @Nullable PipedBytes ofAll;

    /// An empty pipe.
    ///
    /// @param loop any
    /// @param room called when there is room again, when the body is first wanted, and when it is no longer
    ///     wanted; by the sending thread
    public BodyPipe(EventLoop loop, Runnable room) {
        this.reserve = loop.pool().reserve();
        this.waiting = LoopOutput.aside(reserve);
        this.room = room;
    }

    /// Sets the longest body; before anything was put.
    ///
    /// @param told called once if the body is longer, by the reading thread; the pipe is closed then
    public synchronized void limit(long most, Runnable told) {
        mostBytes = most;
        tooLong = told;
    }

    /// What waits here counts with what waits in others, from now on.
    public synchronized void countedIn(@Nullable PipedBytes all) {
        if (all == null || ofAll != null) return;
        ofAll = all;
        all.change(waiting.size());
    }

    private void changedFrom(long before) {
        if (ofAll != null) ofAll.change(waiting.size() - before);
    }

    private boolean isCrowded() {
        return ofAll != null && ofAll.areMany();
    }

    private boolean isMuch(long most, SlabSource source) {
        return waiting.size() > Math.max(most, source.isTight() || isCrowded() ? TIGHT_BYTES : WINDOW_BYTES);
    }

    /// Its sender may send nothing for as long as it likes.
    public synchronized void pausing() {
        mayPause = true;
    }

    /// The same; also once nothing is taken any more, as the sender may have been told so.
    public synchronized boolean mayPause() {
        return mayPause || isClosed;
    }

    /// Collects until the end, or until more than so much has arrived; before any bytes are taken.
    ///
    /// @param ready called then, once, by the reading thread; not if the pipe fails or is closed before
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

    /// The whole body, if it has ended without trailers; the pipe is empty then.
    public synchronized Optional<Bytes> takeWhole() {
        return hasEnded && !isCut && trailers.size() == 0 ? Optional.of(takeBytes()) : Optional.empty();
    }

    private Bytes takeBytes() {
        var data = new LoopInput(reserve);
        data.appendAll(waiting);
        data.lend(reserve);
        var whole = data.readBytes(data.remaining());
        data.endLoan(reserve);
        data.release();
        changedFrom(whole.length());
        return whole;
    }

    // Keeping.

    /// Keeps a copy of what is taken, while that is at most so much; before any bytes are taken.
    public synchronized void keep(long most) {
        keepBytes = most;
    }

    /// Another message takes it from the beginning; what was taken must still be there ([#isGone]).
    public synchronized void rewind() {
        if (isClosed && isWanted) isCut = true;
        replayed = 0;
        isRefused = false;
    }

    /// Whether some of it was taken and is not there any more.
    public synchronized boolean isGone() {
        return isWanted && keepBytes == 0;
    }

    /// No other message will take it.
    public void forget() {
        boolean isUnwanted;
        synchronized (this) {
            drop();
            isUnwanted = isRefused;
        }
        if (isUnwanted) onClose();
    }

    /// The message does not want the rest of it; another one may.
    public void refuse() {
        synchronized (this) {
            isRefused = true;
            if (keepBytes > 0 || !isWanted) return;
        }
        onClose();
    }

    private void drop() {
        keepBytes = 0;
        if (replayed < kept.size()) return;
        replayed = 0;
        kept.clear();
    }

    private void take(LoopOutput out) {
        while (replayed < kept.size()) out.write(kept.get(replayed++));
        long size = waiting.size();
        if (keptBytes + size > keepBytes) drop();
        if (keepBytes == 0 || size == 0) {
            takeAll(out);
            return;
        }
        var part = takeBytes();
        kept.add(part);
        replayed++;
        keptBytes += size;
        out.write(part);
    }

    private void takeAll(LoopOutput out) {
        long before = waiting.size();
        out.appendAll(waiting.chain());
        changedFrom(before);
    }

    // The reading side.

    /// Takes all of a part; drops it once the other side has closed.
    ///
    /// @param source of the caller's thread
    public void put(Input part, SlabSource source) {
        put(part, part.remaining(), source);
    }

    /// The same, but takes only the beginning of it where each is to get little.
    public void putSome(Input part, SlabSource source) {
        long length = part.remaining();
        boolean isLittle;
        synchronized (this) {
            isLittle = isCrowded() && !isClosed;
        }
        put(part, isLittle ? Math.min(TIGHT_BYTES, length) : length, source);
    }

    private void put(Input part, long length, SlabSource source) {
        Runnable told;
        synchronized (this) {
            receivedBytes += length;
            boolean isTooLong = receivedBytes > mostBytes && !isClosed;
            if (isTooLong || isClosed) {
                part.skip(part.remaining());
                told = isTooLong ? this::exceedsLimit : BodyPipe::nobody;
            } else {
                waiting.drawFrom(source);
                long before = waiting.size();
                waiting.move(part, length);
                changedFrom(before);
                isFull = isMuch(collectBytes, source);
                told = waiting.size() > collectBytes ? told() : BodyPipe::nobody;
            }
        }
        told.run();
    }

    /// Who has set the limit hears of it before the sender can notice that the body is cut.
    private void exceedsLimit() {
        tooLong.run();
        synchronized (this) {
            if (!isClosed) discard();
        }
    }

    /// Takes all bytes of an output, and leaves it empty; otherwise the same.
    public void put(LoopOutput part) {
        Runnable told;
        synchronized (this) {
            if (isClosed) {
                part.release();
                told = BodyPipe::nobody;
            } else {
                waiting.drawFrom(part.source());
                long before = waiting.size();
                waiting.appendAll(part.chain());
                changedFrom(before);
                isFull = isMuch(0, part.source());
                told = told();
            }
        }
        told.run();
    }

    /// Whether nothing more should be put until there is room.
    public synchronized boolean isFull() {
        return isFull;
    }

    /// Whether the other side has begun to take bytes.
    public synchronized boolean isWanted() {
        return isWanted;
    }

    /// Whether the sender should go on.
    public synchronized boolean isAskedFor() {
        return isWanted || collectBytes > 0;
    }

    /// Whether it has failed: the body will never be complete.
    public synchronized boolean hasFailed() {
        return failure != null;
    }

    /// Whether nothing is taken any more.
    public synchronized boolean isClosed() {
        return isClosed;
    }

    /// Ends the body.
    public void end(Headers behind) {
        Runnable told;
        synchronized (this) {
            trailers = behind;
            hasEnded = true;
            told = told();
        }
        told.run();
    }

    /// Fails the body.
    public void fail(IOException cause) {
        Runnable told;
        synchronized (this) {
            if (hasEnded || failure != null) return;
            failure = cause;
            told = told();
        }
        told.run();
    }

    /// The callback for a sender that found nothing, once, or for the end of collecting.
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

    // The sending side.

    @Override
    public synchronized void opened(Runnable toTell) {
        news = toTell;
    }

    /// Takes everything that is there.
    ///
    /// @return whether there will be more; if nothing was written, a callback follows
    @Override
    public boolean write(Output out) throws IOException {
        boolean hasRoom;
        boolean hasMore;
        synchronized (this) {
            if (keepBytes > 0 || !kept.isEmpty()) take((LoopOutput) out);
            else takeAll((LoopOutput) out);
            if (failure != null) throw failure;
            if (isCut) throw new EOFException("the rest of the body was dropped");
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

    /// Closes it, because another message is sent in place of this one. Without effect when it is closed.
    public void leave() {
        synchronized (this) {
            if (isClosed) return;
            isLeft = true;
        }
        onClose();
    }

    /// Whether another message is sent in place of this one.
    public synchronized boolean isLeft() {
        return isLeft;
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
        keepBytes = 0;
        long before = waiting.size();
        isCut = !hasEnded || before > 0 || replayed < kept.size();
        kept.clear();
        waiting.drawFrom(reserve);
        waiting.release();
        changedFrom(before);
    }
}
