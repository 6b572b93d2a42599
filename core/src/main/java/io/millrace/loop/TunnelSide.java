package io.millrace.loop;

import io.millrace.bytes.Input;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One side of a tunnel: what its end receives goes to the other side, whose output decides when to stop. An end is a
/// connection, or a stream of one ([TunnelEnd]).
///
/// Both sides on one loop move the slabs from input to output. On two loops a chain of them travels as a task,
/// and a side stops receiving while [#WINDOW_BYTES] are on their way.
public final class TunnelSide implements Handler {
    private static final long WINDOW_BYTES = 256 << 10;

    private final TunnelEnd end;
    private final boolean sameLoop;

    /// Set before the other side can be called; null until the upstream is connected.
    private @Nullable TunnelSide other;

    /// Bytes passed to the other loop and not yet taken by its connection's output. This side's loop.
    private long onTheirWayBytes;

    /// Bytes taken from the other loop that were not acknowledged, because this connection is full. This side's
    /// loop.
    private long owedBytes;

    /// Bytes taken from this connection, and written to it. This side's loop.
    private long takenBytes;

    private long writtenBytes;

    private boolean isClosed;

    /// The other side has closed, and this one follows.
    private boolean isFollowing;

    private final Witness witness;

    /// Told when the upstream's connection closes.
    @FunctionalInterface
    public interface Witness {
        /// It has closed. On its loop, once.
        ///
        /// @param cause         null when it closed in order, or because the client's connection did
        /// @param receivedBytes how many bytes it received in total
        void upstreamClosed(@Nullable IOException cause, long receivedBytes);
    }

    private TunnelSide(TunnelEnd end, boolean sameLoop, Witness witness) {
        this.end = end;
        this.sameLoop = sameLoop;
        this.witness = witness;
    }

    /// The client's side; `upstreamLoop` is where the other one will be.
    public static TunnelSide of(TunnelEnd client, EventLoop upstreamLoop) {
        client.readOn();
        return new TunnelSide(client, client.loop().equals(upstreamLoop), (_, _) -> {});
    }

    /// The upstream is connected: makes its side. Called on the upstream's loop.
    public Handler connected(Connection upstream) {
        return connected(TcpConnection.of(upstream), (_, _) -> {});
    }

    /// As [#connected(Connection)], with a witness of its end.
    public TunnelSide connected(TunnelEnd upstream, Witness told) {
        var side = new TunnelSide(upstream, sameLoop, told);
        side.other = this;
        on(end, () -> join(side));
        return side;
    }

    private void join(TunnelSide upstream) {
        other = upstream;
        if (isClosed) on(upstream.end, () -> upstream.follow(false));
        else end.resume();
    }

    /// Whether its connection has closed. On its loop.
    public boolean isClosed() {
        return isClosed;
    }

    /// Bytes that have gone from its connection to the other. On its loop.
    public long takenBytes() {
        return takenBytes;
    }

    /// Bytes that have come from the other connection to this one. On its loop.
    public long writtenBytes() {
        return writtenBytes;
    }

    /// Passes on only the beginning of what has arrived. On its loop.
    public void take(Input in, long length) {
        takenBytes += length;
        var part = LoopOutput.aside(end.loop().pool());
        part.move(in, length);
        pass(part.chain());
    }

    /// Sends something of this side's own to the other end, behind what has arrived here. On its loop.
    ///
    /// @param chain of its loop's memory; it belongs to the other end from now on
    public void pass(Chain chain) {
        var to = other;
        if (to == null) {
            release(chain);
            return;
        }
        if (!sameLoop) {
            send(to, chain);
            return;
        }
        to.writtenBytes += chain.size();
        to.end.append(chain);
        if (to.end.isFull()) end.pause();
    }

    @Override
    public void onInput(Input in) {
        var to = other;
        if (to == null) return;
        takenBytes += in.remaining();
        if (sameLoop) {
            to.writtenBytes += in.remaining();
            to.end.move(in);
            if (to.end.isFull()) end.pause();
            return;
        }
        var input = (LoopInput) in;
        // Compacted, so that a few bytes pin little memory while the other loop is busy.
        input.compact();
        send(to, input.takeAll());
    }

    /// To the other loop.
    private void send(TunnelSide to, Chain chain) {
        onTheirWayBytes += weight(chain);
        if (onTheirWayBytes > WINDOW_BYTES) end.pause();
        // A loop that is gone has closed the other side, which this one learns next.
        if (!to.end.loop().returned(() -> to.arrived(chain))) release(chain);
    }

    /// Bytes from the other loop.
    private void arrived(Chain chain) {
        owedBytes += weight(chain);
        writtenBytes += chain.size();
        if (isClosed) release(chain);
        else end.append(chain);
        if (!end.isFull()) acknowledge();
    }

    /// Even a byte pins a slab, and takes a place in the other loop's queue.
    private static long weight(Chain chain) {
        return chain.size() + (long) chain.count() * SlabPool.SMALL;
    }

    private void release(Chain chain) {
        chain.releaseAll(Slab.Owner.OUTPUT, end.loop().pool());
    }

    private void acknowledge() {
        var from = other;
        long count = owedBytes;
        owedBytes = 0;
        if (count > 0 && from != null) from.end.loop().returned(() -> from.acknowledged(count));
    }

    private void acknowledged(long count) {
        onTheirWayBytes -= count;
        if (onTheirWayBytes <= WINDOW_BYTES / 2) end.resume();
    }

    @Override
    public void onWritable() {
        var from = other;
        if (from == null) return;
        if (sameLoop) from.end.resume();
        else acknowledge();
    }

    @Override
    public void onEnd(Connection ended) {
        var to = other;
        if (to != null) on(to.end, to.end::end);
    }

    /// What is in flight belongs to the two ends; the deadline of the drain decides.
    @Override
    public void onDrain(Connection draining) {}

    @Override
    public void onClose(@Nullable IOException cause) {
        closed(cause, cause == null);
    }

    /// Its connection has closed.
    ///
    /// @param inOrder whether the other one sends what it has before it closes, too
    public void closed(@Nullable IOException cause, boolean inOrder) {
        isClosed = true;
        var to = other;
        if (to == null) return;
        // First: the other side may follow at once, and call back.
        witness.upstreamClosed(isFollowing ? null : cause, end.receivedBytes());
        on(to.end, () -> to.follow(inOrder));
    }

    private void follow(boolean inOrder) {
        isFollowing = true;
        if (inOrder) end.close();
        else end.abort();
    }

    private void on(TunnelEnd owner, Runnable action) {
        if (sameLoop) action.run();
        else owner.loop().returned(action);
    }
}
