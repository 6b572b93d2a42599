package io.millrace.http.h2;

import io.millrace.bytes.Input;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Greeting;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A tunnel between a stream and another connection (RFC 9113 section 8.5), which may be on another loop: chains of
/// slabs travel as tasks, and each side stops while too much is on its way.
///
/// ```
///   stream's loop    DATA ─► arrived ─────────────────────► output    upstream's loop
///                    queue ◄─────────────────────── onInput ◄─ input
/// ```
final class StreamTunnel implements Handler {
    private static final long WINDOW_BYTES = 256 << 10;

    private final ServerSideStream stream;
    private final ServerConnection owner;
    private final Upgraded to;
    private final TcpConnection upstream;
    private final EventLoop there;

    // The upstream's loop.

    /// Bytes passed to the stream, and not yet sent there.
    private long onTheirWayBytes;

    /// Bytes of the stream that were written, and not acknowledged because the upstream is full.
    private long unacknowledgedBytes;

    // The stream's loop.

    private long owedBytes;
    private long takenBytes;
    private long writtenBytes;
    private boolean isOver;

    StreamTunnel(ServerSideStream stream, ServerConnection owner, Upgraded to) {
        this.stream = stream;
        this.owner = owner;
        this.to = to;
        this.upstream = to.connection();
        this.there = EventLoop.of(upstream.loop());
    }

    /// Takes the upstream's connection over.
    void open() {
        run(there, () -> {
            Greeting.callback(_ -> this).accept(upstream);
            upstream.resume();
        });
    }

    private static void run(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and its connections with it.
        }
    }

    // The stream's side.

    /// Bytes of the peer have arrived.
    void pass(LoopInput in) {
        long length = in.size();
        if (length == 0) return;
        var pool = owner.loop.pool();
        in.lend(pool);
        var chain = in.takeAll();
        in.endLoan(pool);
        takenBytes += length;
        if (there.isClosed()) chain.releaseAll(Slab.Owner.OUTPUT, pool);
        else run(there, () -> write(chain, length));
    }

    void peerEnded() {
        upstream.end();
    }

    /// The stream has ended early.
    void abort() {
        upstream.abort();
    }

    /// Less waits to be sent.
    void hasRoom() {
        long sent = owedBytes;
        owedBytes = 0;
        if (sent > 0) run(there, () -> sent(sent));
    }

    private void arrived(Chain chain) {
        long length = chain.size();
        if (isOver || stream.isCut()) {
            chain.releaseAll(Slab.Owner.OUTPUT, owner.loop.pool());
            return;
        }
        boolean isOuter = owner.begin();
        owedBytes += length;
        writtenBytes += length;
        var moved = owner.moving();
        moved.appendAll(chain);
        stream.enqueue(moved);
        owner.schedule(stream);
        owner.end(isOuter);
        if (stream.queuedBytes() < WINDOW_BYTES / 2) hasRoom();
    }

    private void upstreamEnded() {
        if (isOver || stream.isCut()) return;
        boolean isOuter = owner.begin();
        stream.ends();
        owner.end(isOuter);
    }

    private void upstreamClosed(@Nullable IOException cause) {
        if (isOver) return;
        isOver = true;
        boolean isOuter = owner.begin();
        stream.tunnelEnded(takenBytes, writtenBytes, cause);
        owner.end(isOuter);
    }

    // The upstream's side.

    private void write(Chain chain, long length) {
        if (upstream.isOpen()) ((LoopOutput) upstream.output()).appendAll(chain);
        else chain.releaseAll(Slab.Owner.OUTPUT, there.pool());
        unacknowledgedBytes += length;
        if (!upstream.isFull()) onWritable();
    }

    private void sent(long length) {
        onTheirWayBytes -= length;
        if (onTheirWayBytes <= WINDOW_BYTES / 2) upstream.resume();
    }

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        in.compact();
        var chain = in.takeAll();
        onTheirWayBytes += chain.size();
        if (onTheirWayBytes > WINDOW_BYTES) upstream.pause();
        if (owner.loop.isClosed()) chain.releaseAll(Slab.Owner.OUTPUT, there.pool());
        else run(owner.loop, () -> arrived(chain));
    }

    @Override
    public void onWritable() {
        long length = unacknowledgedBytes;
        unacknowledgedBytes = 0;
        if (length > 0) run(owner.loop, () -> stream.consumedByTunnel(length));
    }

    @Override
    public void onEnd(Connection ended) {
        run(owner.loop, this::upstreamEnded);
    }

    /// What is in flight belongs to the two ends; the deadline of the drain decides.
    @Override
    public void onDrain(Connection draining) {}

    @Override
    public void onClose(@Nullable IOException cause) {
        to.witness().upstreamClosed(cause, upstream.receivedBytes());
        run(owner.loop, () -> upstreamClosed(cause));
    }
}
