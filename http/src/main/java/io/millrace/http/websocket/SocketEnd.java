package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Takeover;
import io.millrace.http.ws.MaskSource;
import io.millrace.http.ws.MessageCoding;
import io.millrace.http.ws.WholeMessage;
import io.millrace.http.ws.WsError;
import io.millrace.http.ws.WsLimits;
import io.millrace.http.ws.WsReader;
import io.millrace.http.ws.WsSink;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.Deadline;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Memberships;
import io.millrace.loop.Recipient;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SharedChain;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, on its loop: frames in, frames out, the handshake of the end. Above it, a [Receiver].
///
/// ```
///   OPEN ─┬─ close frame of the peer ─► ours, an answer ─────────────────► CLOSED
///         └─ close frame of ours ─► CLOSING ─ the peer's, or the timeout ─► CLOSED
///   a violation: a close frame of ours with its code, and the end of the connection
/// ```
final class SocketEnd implements Handler, WsSink, SendQueue.QueueNews, Recipient {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private final Takeover.Peer peer;
    private final Agreement agreement;
    private final EventLoop loop;
    private final WsReader reader;
    private final SendQueue queue;
    private final Watch watch;
    private final Receiver receiver;
    private final Memberships memberships = new Memberships();
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

    @Override
    public void onDrain(Connection draining) {
        end(CloseCode.GOING_AWAY, "the server stops");
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        watch.stop();
        queue.release();
        reader.release(loop.pool());
        if (gathered != null) gathered.release(loop.pool());
        if (agreement.coding() != null) agreement.coding().release();
        isClosing = true;
        memberships.closed();
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
        if (memberships.mustFollow()) return follow(SendQueue.weight(message), () -> queue.send(message));
        return queue.send(message);
    }

    /// Sends behind what is on its way from groups; so much of it may wait as of messages.
    private boolean follow(long weight, Runnable send) {
        if (isClosing) return false;
        long waitingBytes = memberships.followingBytes();
        if (waitingBytes <= agreement.settings().queueBytes()) return memberships.follow(loop, weight, send);
        HttpGuards.WS_QUEUE.acted(remote(), waitingBytes + " bytes wait behind messages of groups: others are dropped");
        return false;
    }

    /// Whether so much waits behind what is on its way from groups that who can wait should do so.
    boolean isMuchFollowing() {
        return memberships.followingBytes() > SendQueue.HIGH_BYTES;
    }

    /// Completes when all of that was passed on, or never will be.
    CompletableFuture<Boolean> followed() {
        var passed = new CompletableFuture<Boolean>();
        if (!memberships.follow(loop, 1, () -> passed.complete(true))) passed.complete(false);
        return passed;
    }

    @Override
    public boolean isFull() {
        return queue.isFull();
    }

    /// Closes behind what was sent.
    void end(int code, String reason) {
        if (isClosing) return;
        if (!memberships.mustFollow()) endNow(code, reason);
        else memberships.follow(loop, 1, () -> endNow(code, reason));
    }

    private void endNow(int code, String reason) {
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

    // For groups.

    /// Of text; members of a group share frames if they have the same encoding.
    Encoding<String> textFrames() {
        return new SharedFrames.OfText(packing());
    }

    Encoding<Bytes> binaryFrames() {
        return new SharedFrames.OfBytes(packing());
    }

    private Optional<WsLimits> packing() {
        var coding = agreement.coding();
        boolean packs = coding != null && coding.deflater().isShared();
        return packs ? Optional.of(agreement.settings().limits()) : Optional.empty();
    }

    @Override
    public Memberships memberships() {
        return memberships;
    }

    @Override
    public EventLoop eventLoop() {
        return loop;
    }

    @Override
    public boolean isOpen() {
        return !isClosing;
    }

    @Override
    public void deliver(Bytes frame, boolean isAhead) {
        if (isAhead && memberships.followingBytes() > 0) follow(frame.length() + 1L, () -> queue.sendShared(frame));
        else queue.sendShared(frame);
    }

    @Override
    public boolean sendAtOnce(SharedChain frames) {
        return queue.sendAtOnce(frames);
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

    /// Asks a silent peer whether it is there, and gives it up: the one timer of a socket.
    private final class Watch extends Deadline {
        private final long pingNanos = agreement.settings().pingAfter().toNanos();
        private final long idleNanos = agreement.settings().idleTimeout().toNanos();
        private long heardNanos = loop.nowNanos();
        private boolean hasPinged;

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
            if (next > 0 && !isClosing) after(heardNanos + next - loop.nowNanos());
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
