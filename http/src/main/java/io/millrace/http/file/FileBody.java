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

/// A part of a file as the body of a response. Threads that may wait for a disk read it piece by piece, as the peer
/// takes it; whoever sends it waits for none. Owns the channel, and closes it when it is told that it is over, or
/// when the read is that is under way then.
///
/// ```
///   ASKED FOR ── a thread reads ──► THERE ── write ──► sent; what is left is asked for by the next write
/// ```
final class FileBody implements SuspendableWriter {
    /// In bytes, of one read: as much as a large slab takes.
    static final int MOST = 64 << 10;

    private final Path path;
    private final FileChannel channel;
    private final long begin;
    private final long end;
    private final Executor threads;

    /// Only of the thread that reads.
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

    /// @param threads which read
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

    /// Reads the first piece, by a thread that may wait for a disk, and before anybody else has this body. While
    /// memory is tight that has to wait until it can be sent.
    void begin(Reserve memory) {
        if (sent == end || memory.isTight()) return;
        synchronized (this) {
            isBeingRead = true;
        }
        read(memory);
    }

    /// The next bytes of the file, [#MOST] at most, if they have been read.
    ///
    /// @throws EOFException when the file has become shorter, because its length was promised to the peer
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
            // The system has no thread for it: nobody reads.
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

    /// A read that is under way goes on: closing its channel would wait for it.
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
            // Nothing was written to it that could be lost.
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }
}
