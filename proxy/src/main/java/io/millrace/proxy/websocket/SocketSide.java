package io.millrace.proxy.websocket;

import io.millrace.bytes.Input;
import io.millrace.http.ws.MaskSource;
import io.millrace.http.ws.WsFollower;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TunnelEnd;
import io.millrace.loop.TunnelSide;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One side of a WebSocket, and the frames that come from there: they pass as they are, until a close frame of the
/// proxy's own is the last one.
///
/// ```
///   PASSING ── [#cut], between two frames ──────────► CUT: what still comes is dropped
///      └────── [#cut], within a frame ── its end ────► CUT
/// ```
/// On the loop of its end.
abstract class SocketSide implements Handler {
    final TunnelEnd end;
    final EventLoop loop;
    private final boolean isClient;
    private final WsFollower frames;
    private final SocketCounts.PassedBytes counts;

    /// Set before anything arrives.
    @Nullable
    TunnelSide side;

    /// Its connection has ended, before the other one did. Written by its loop.
    volatile boolean isGone;

    /// The close frame that goes to the other end when the frame is over that is open; null for none.
    private @Nullable Goodbye waiting;

    private boolean isCut;
    private boolean isCloseTold;
    private long messages;

    /// A close frame of the proxy's own.
    record Goodbye(int code, String reason) {}

    SocketSide(TunnelEnd end, boolean isClient, SocketCounts.PassedBytes counts) {
        this.end = end;
        this.loop = end.loop();
        this.isClient = isClient;
        this.frames = new WsFollower(isClient);
        this.counts = counts;
    }

    /// Something has arrived.
    abstract void moved();

    /// Its close frame has arrived, and went on unless this is cut.
    abstract void closeArrived(int code);

    /// A close frame of ours has gone to the other end.
    abstract void closeSent(Goodbye goodbye);

    /// Its connection ends, in order or not; perhaps without a close frame.
    abstract void ends();

    final TunnelSide side() {
        var mine = side;
        if (mine == null) throw new IllegalStateException("it is no side of a tunnel yet");
        return mine;
    }

    /// Runs there at once, or as a task.
    final void run(Runnable action) {
        if (loop.inLoop()) action.run();
        else loop.returned(action);
    }

    /// The last frame that the other end gets from here. Nothing if it has got one.
    ///
    /// @return whether it is sent, or will be at the end of the frame that is open
    final boolean cut(Goodbye goodbye) {
        var mine = side;
        if (mine == null || mine.isClosed() || isCut || frames.hasClosed() || frames.isLost()) return false;
        waiting = goodbye;
        if (frames.isBetween()) sayGoodbye(goodbye);
        return true;
    }

    /// Whether the other end has got a close frame of ours.
    final boolean isCut() {
        return isCut;
    }

    /// Whether a close frame can be sent now.
    final boolean isBetween() {
        return !isCut && frames.isBetween();
    }

    /// Whether the other end has got a close frame.
    final boolean hasClosed() {
        return isCut || frames.hasClosed();
    }

    private void sayGoodbye(Goodbye goodbye) {
        waiting = null;
        isCut = true;
        var out = LoopOutput.aside(loop.pool());
        // To a backend it speaks as a client.
        var writer = isClient ? WsWriter.ofClient(null, new MaskSource()) : WsWriter.ofServer(null);
        writer.close(out, goodbye.code, goodbye.reason);
        side().pass(out.chain());
        closeSent(goodbye);
    }

    @Override
    public final void onInput(Input in) throws IOException {
        moved();
        var last = waiting;
        if (last != null) finishFrame(in, last);
        if (!in.isEmpty()) pass(in);
        countMessages();
        if (!frames.hasClosed() || isCloseTold) return;
        isCloseTold = true;
        closeArrived(frames.closeCode());
    }

    private void pass(Input in) throws IOException {
        counts.add(in.remaining(), 0);
        var _ = frames.follow(in, false);
        if (isCut) in.skip(in.remaining());
        else side().onInput(in);
    }

    private void finishFrame(Input in, Goodbye last) {
        long length = frames.follow(in, true);
        counts.add(length, 0);
        side().take(in, length);
        if (frames.isBetween()) sayGoodbye(last);
        // It was one of its own that ended.
        else if (frames.hasClosed() || frames.isLost()) waiting = null;
    }

    private void countMessages() {
        long now = frames.messages();
        if (now > messages) counts.add(0, now - messages);
        messages = now;
    }

    @Override
    public final void onWritable() {
        side().onWritable();
    }

    @Override
    public final void onEnd(Connection ended) {
        ends();
        side().onEnd(ended);
    }

    /// The client's side has a moment of its own for that.
    @Override
    public final void onDrain(Connection draining) {}

    /// Behind a close frame the other end gets all that it was sent.
    @Override
    public void onClose(@Nullable IOException cause) {
        ends();
        side().closed(cause, cause == null || hasClosed());
    }
}
