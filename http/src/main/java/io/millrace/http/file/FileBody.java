package io.millrace.http.file;

import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.memory.CarriedSlabs;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Reserve;
import io.millrace.memory.SlabPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A part of a file as a response's body. Threads that may wait for a disk read it piece by piece, as the
/// peer takes it; the sender never waits. Owns the channel, and closes it at the end, or when a read that is
/// in progress then has finished.
///
/// ```
///   ASKED FOR ── a thread reads ──► THERE ── write ──► sent; the next write asks for the rest
/// ```
final class FileBody implements SuspendableWriter {
    /// Bytes of one read: as many as a large slab holds.
    static final int MOST = 64 << 10;

    private final Path path;
    private final FileChannel channel;
    private final long begin;
    private final long end;
    private final Executor threads;

    /// Only used by the reading thread.
    private long position;

    // Guarded by this.

    private long sent;
    private @Nullable LoopOutput piece;
    private @Nullable Throwable failure;
    private Runnable news = () -> {};
    private boolean isBeingRead;
    private boolean isClosed;

    FileBody(Path path, FileChannel channel, long from, long length) {
        this(path, channel, from, length, FileThreads::read);
    }

    /// @param threads for reading
    FileBody(Path path, FileChannel channel, long from, long length, Executor threads) {
        this.path = path;
        this.channel = channel;
        this.position = from;
        this.begin = from;
        this.sent = from;
        this.end = from + length;
        this.threads = threads;
    }

    @Override
    public void opened(Runnable toTell) {
        synchronized (this) {
            news = toTell;
        }
    }

    /// Reads the first piece, on a thread that may wait for a disk, before the body is used elsewhere. While
    /// memory is tight that must wait until it can be sent.
    void begin(Reserve memory) {
        if (sent == end || memory.isTight()) return;
        synchronized (this) {
            isBeingRead = true;
        }
        read(memory);
    }

    /// Writes the next bytes of the file, [#MOST] at most, if they have been read.
    ///
    /// @throws EOFException if the file has become shorter, because its length was promised to the peer
    @Override
    public boolean write(Output out) throws IOException {
        var to = (LoopOutput) out;
        synchronized (this) {
            check();
            var ready = piece;
            piece = null;
            if (ready != null) {
                sent += ready.size();
                to.appendAll(ready.chain());
                return sent < end;
            }
            if (sent == end) return false;
            if (isBeingRead) return true;
            isBeingRead = true;
        }
        try {
            var memory = reserve(to);
            threads.execute(() -> read(memory));
            return true;
        } catch (RuntimeException | Error e) {
            // The system has no thread for the read.
            synchronized (this) {
                isBeingRead = false;
            }
            throw e;
        }
    }

    private void check() throws IOException {
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            default -> throw new IOException(failure);
        }
    }

    private static Reserve reserve(LoopOutput out) {
        return switch (out.source()) {
            case SlabPool pool -> pool.reserve();
            case Reserve reserve -> reserve;
            case CarriedSlabs carried -> carried.reserve();
        };
    }

    private void read(Reserve memory) {
        var read = LoopOutput.aside(memory);
        Throwable thrown = null;
        try {
            readInto(read);
        } catch (Throwable e) {
            thrown = e;
        }
        Runnable then;
        synchronized (this) {
            isBeingRead = false;
            if (isClosed) read.release();
            else if (thrown == null) piece = read;
            else failure = thrown;
            then = isClosed ? this::close : news;
        }
        then.run();
    }

    private void readInto(LoopOutput read) throws IOException {
        if (position == begin && begin > 0) channel.position(begin);
        int count = read.write(channel, (int) Math.min(MOST, end - position));
        if (count <= 0) {
            throw new EOFException(path + " ends at " + position + " of " + end
                    + " bytes while it is sent: put a new file in its place instead of cutting it");
        }
        position += count;
    }

    @Override
    public Headers trailers() {
        return Headers.EMPTY;
    }

    /// A read in progress goes on: closing its channel would wait for it.
    @Override
    public void onClose() {
        synchronized (this) {
            if (isClosed) return;
            isClosed = true;
            var ready = piece;
            piece = null;
            if (ready != null) ready.release();
            if (isBeingRead) return;
        }
        close();
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The channel was only read; nothing can be lost.
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }
}
