package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Takeover;
import io.millrace.http.ws.MaskSource;
import io.millrace.http.ws.MessageCoding;
import io.millrace.http.ws.WholeMessage;
import io.millrace.http.ws.WsError;
import io.millrace.http.ws.WsReader;
import io.millrace.http.ws.WsSink;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.Deadline;
import io.millrace.loop.Departing;
import io.millrace.loop.Departures;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, on its loop: frames in, frames out, the handshake of the end. Above it, a [Receiver].
///
/// ```
///   OPEN ─┬─ close frame of the peer ─► ours, an answer ─────────────────► CLOSED
///         └─ close frame of ours ─► CLOSING ─ the peer's, or the timeout ─► CLOSED
///   a violation: a close frame of ours with its code, and the end of the connection
/// ```
final class SocketEnd implements Handler, Departing, WsSink, SendQueue.QueueNews {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private final Takeover.Peer peer;
    private final Agreement agreement;
    private final EventLoop loop;
    private final WsReader reader;
    private final SendQueue queue;
    private final Watch watch;
    private final Receiver receiver;
    private @Nullable WholeMessage gathered;

    private boolean isPaused;

    /// A close frame of ours was sent, or will be.
    private volatile boolean isClosing;

    /// The peer's last frame has arrived, or no more is read.
    private boolean isInputOver;

    private boolean isEndTold;

    private int closeCode = CloseCode.ABNORMAL;
    private String closeReason = "the connection ended without a close frame";

    /// What this end is.
    ///
    /// @param coding of messages, or null
    record Agreement(
            WebSocketSettings settings,
            boolean isServer,
            Optional<String> subprotocol,
            @Nullable MessageCoding coding) {
        private WsWriter writer() {
            var deflater = coding == null ? null : coding.deflater();
            return isServer ? WsWriter.ofServer(deflater) : WsWriter.ofClient(deflater, new MaskSource());
        }
    }

    private SocketEnd(Takeover.Peer peer, Agreement agreement, ReceiverFactory receivers) {
        this.peer = peer;
        this.agreement = agreement;
        this.loop = peer.end().loop();
        var inflater = agreement.coding() == null ? null : agreement.coding().inflater();
        this.reader =
                new WsReader(agreement.settings().limits(), agreement.isServer(), inflater, this, loop.nowNanos());
        this.queue = new SendQueue(peer.end(), agreement.writer(), agreement.settings(), this);
        this.watch = new Watch(loop);
        this.receiver = receivers.open(this);
    }

    /// The handshake is over; on the loop.
    static void open(Takeover.Peer peer, Agreement agreement, ReceiverFactory receivers) {
        var end = peer.end();
        end.pause();
        var socket = new SocketEnd(peer, agreement, receivers);
        socket.watch.heard();
        end.carry(socket);
        socket.receiver.opened();
        var departures = end.connection().departures();
        if (departures != null) socket.departs(departures);
        end.resume();
    }

    // What arrives.

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        watch.heard();
        try {
            while (!isPaused && !isInputOver && reader.next(in, loop.pool(), loop.nowNanos())) {}
            if (isInputOver) in.skip(in.remaining());
        } catch (WsError e) {
            in.skip(in.remaining());
            fail(e);
        }
    }

    @Override
    public void part(boolean isText, LoopInput part, boolean isLast) throws WsError {
        // Who closes expects no more messages.
        if (isClosing) return;
        if (!isLast) {
            if (gathered == null) gathered = new WholeMessage();
            gathered.add(part, loop.pool());
            return;
        }
        var whole = gathered == null ? new WholeMessage() : gathered;
        gathered = null;
        var message = isText
                ? new WebSocketMessage.Text(whole.text(part, loop.pool()))
                : new WebSocketMessage.Binary(whole.bytes(part, loop.pool()));
        receiver.message(message, weight(message));
    }

    static long weight(WebSocketMessage message) {
        return switch (message) {
            case WebSocketMessage.Text(var text) -> text.length();
            case WebSocketMessage.Binary(var bytes) -> bytes.length();
        };
    }

    @Override
    public void ping(Bytes payload) {
        queue.send(new SendQueue.Control.Pong(payload));
    }

    @Override
    public void pong(Bytes payload) {}

    @Override
    public void close(int code, String reason) {
        isInputOver = true;
        closeCode = code;
        closeReason = reason;
        tellClosed();
        if (isClosing) endNow();
        else sendClose(code, "");
    }

    private void tellClosed() {
        if (isEndTold) return;
        isEndTold = true;
        receiver.closed(closeCode, closeReason);
    }

    private void sendClose(int code, String reason) {
        isClosing = true;
        queue.send(new SendQueue.Control.Close(code, reason));
        watch.closing();
    }

    /// The peer has broken a rule.
    private void fail(WsError error) {
        var guard = error.guard();
        if (guard != null) guard.acted(remote(), String.valueOf(error.getMessage()));
        LOG.log(Level.DEBUG, () -> "a WebSocket of " + remote() + " fails: " + error.getMessage());
        isInputOver = true;
        closeReason = String.valueOf(error.getMessage());
        if (isClosing) endNow();
        else sendClose(error.code(), closeReason);
    }

    @Override
    public void onEnd(Connection ended) {
        isInputOver = true;
        endNow();
    }

    /// Not all at the same moment: their peers come back.
    @Override
    public void departs(Departures all) {
        if (!watch.isLeaving)
            watch.leavesAfter(all.nextNanos(
                    loop.nowNanos(), agreement.settings().closeTimeout().toNanos()));
    }

    /// It has a moment of its own.
    @Override
    public void onDrain(Connection draining) {}

    @Override
    public void onClose(@Nullable IOException cause) {
        watch.stop();
        queue.release();
        reader.release(loop.pool());
        if (gathered != null) gathered.release(loop.pool());
        if (agreement.coding() != null) agreement.coding().release();
        isClosing = true;
        tellClosed();
        peer.ending().ended(peer.end().receivedBytes(), queue.sentBytes(), cause);
    }

    // What is sent.

    @Override
    public void onWritable() {
        queue.flush();
    }

    @Override
    public void hasRoom() {
        receiver.writable();
    }

    @Override
    public void isTooSlow(long waitingBytes) {
        HttpGuards.WS_QUEUE.acted(remote(), waitingBytes + " bytes wait for a peer that does not read them");
        closeReason = "the peer was too slow";
        abort();
    }

    @Override
    public void closeIsSent() {
        // A server ends the connection, a client waits for that (RFC 6455 section 7.1.1), for as long as for the frame.
        if (isInputOver && agreement.isServer()) endNow();
    }

    private void endNow() {
        peer.end().close();
    }

    // For the receiver; any thread.

    boolean send(Object message) {
        return queue.send(message);
    }

    boolean isFull() {
        return queue.isFull();
    }

    /// Closes behind what was sent.
    void end(int code, String reason) {
        if (!isClosing) sendClose(code, reason);
    }

    void abort() {
        isClosing = true;
        peer.end().abort();
    }

    SocketAddress remote() {
        return peer.end().connection().remote();
    }

    Takeover.Peer peer() {
        return peer;
    }

    EventLoop loop() {
        return loop;
    }

    Optional<String> subprotocol() {
        return agreement.subprotocol();
    }

    // For the receiver, on the loop.

    /// What the receiver has is enough for now.
    void pause() {
        isPaused = true;
        peer.end().pause();
    }

    void resume() {
        if (!isPaused) return;
        isPaused = false;
        peer.end().resume();
    }

    /// Asks a silent peer whether it is there, gives it up, and says goodbye in a drain: the one timer of a socket.
    private final class Watch extends Deadline {
        private final long pingNanos = agreement.settings().pingAfter().toNanos();
        private final long idleNanos = agreement.settings().idleTimeout().toNanos();
        private long heardNanos = loop.nowNanos();
        private boolean hasPinged;
        private boolean isLeaving;

        /// When a drain has it leave.
        private long leaveNanos;

        Watch(EventLoop loop) {
            super(loop);
        }

        void heard() {
            heardNanos = loop.nowNanos();
            hasPinged = false;
            arm();
        }

        private void arm() {
            boolean isPingNext = pingNanos > 0 && !hasPinged && (idleNanos == 0 || pingNanos < idleNanos);
            long next = isPingNext ? pingNanos : idleNanos;
            if (isClosing || (next == 0 && !isLeaving)) return;
            long at = next == 0 ? leaveNanos : heardNanos + next;
            after((isLeaving && leaveNanos - at < 0 ? leaveNanos : at) - loop.nowNanos());
        }

        void leavesAfter(long nanos) {
            isLeaving = true;
            leaveNanos = loop.nowNanos() + nanos;
            arm();
        }

        void closing() {
            after(agreement.settings().closeTimeout().toNanos());
        }

        @Override
        protected void expired() {
            if (isClosing) {
                HttpGuards.WS_CLOSE.acted(remote(), "the peer does not answer a close frame");
                abort();
                return;
            }
            if (isLeaving && leaveNanos - loop.nowNanos() <= 0) {
                end(CloseCode.GOING_AWAY, "the server stops");
                return;
            }
            // A peer that is not read cannot be heard.
            if (isPaused) heardNanos = loop.nowNanos();
            long silence = loop.nowNanos() - heardNanos;
            if (idleNanos > 0 && silence >= idleNanos) {
                HttpGuards.WS_IDLE.acted(remote(), "nothing was heard for " + silence / 1_000_000 + " ms");
                closeReason = "the peer was silent";
                abort();
                return;
            }
            if (pingNanos > 0 && silence >= pingNanos && !hasPinged) {
                hasPinged = true;
                queue.send(new SendQueue.Control.Ping());
            }
            arm();
        }
    }
}
