package io.millrace.http.exchange;

import io.millrace.bytes.Output;
import io.millrace.http.BlockingBodyWriter;
import io.millrace.http.BlockingOutput;
import io.millrace.http.Headers;
import io.millrace.http.message.BodyOutputStream;
import io.millrace.http.message.BodyPipe;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/// A response's body that plain blocking code writes, on a thread of its own.
///
/// ```
///   thread   write … 48 KiB, or flush ─► BodyPipe ─► StreamedResponse   exchange
///              └── waits while it is full ◄── room ──┘
/// ```
final class BlockingResponse implements BlockingOutput, LoopOutput.Watcher {
    /// Written before it is sent by itself: with the write that exceeds it, it fits into one slab.
    private static final long PART_BYTES = 48 << 10;

    private final EventLoop loop;
    private final String what;
    private final BodyPipe pipe;
    private final LoopOutput out;
    private final News room;

    private BlockingResponse(EventLoop loop, String what) {
        this.loop = loop;
        this.what = what;
        this.room = new News(loop, "room for " + what);
        this.pipe = new BodyPipe(loop, room::tell);
        this.out = new LoopOutput(loop.pool().reserve(), PART_BYTES, this);
    }

    /// Starts the writer.
    ///
    /// @param what the response, in messages
    /// @return the pipe that the body comes from
    static BodyPipe begin(EventLoop loop, String what, BlockingBodyWriter writer) {
        var response = new BlockingResponse(loop, what);
        loop.lendingSlabs(() -> response.write(writer));
        return response.pipe;
    }

    private void write(BlockingBodyWriter writer) {
        out.drawFrom(loop.pool().reserve());
        try {
            writer.write(this);
            push();
            pipe.end(Headers.EMPTY);
        } catch (IOException e) {
            pipe.fail(e);
        } catch (Throwable e) {
            pipe.fail(new IOException("the writer of " + what + " threw", e));
        } finally {
            out.release();
        }
    }

    private void push() {
        if (out.size() > 0) pipe.put(out);
    }

    @Override
    public Output output() {
        return out;
    }

    @Override
    public void flush() throws IOException {
        push();
        for (room.expect(); pipe.isFull(); room.expect()) room.await();
        if (pipe.isClosed()) throw new Reset("the peer no longer takes " + what);
    }

    @Override
    public void outputBegan() {}

    @Override
    public void outputIsFull() {
        try {
            flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OutputStream outputStream() {
        return new BodyOutputStream(this);
    }
}
