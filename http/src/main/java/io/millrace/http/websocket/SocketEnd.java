package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Memberships;
import io.millrace.loop.Recipient;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelEnd;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SharedChain;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, on its loop: frames in, frames out, the handshake of the end. Above it, a [Receiver].
///
/// ```
///   OPEN ─┬─ close frame of the peer ─► ours, an answer ─────────────────► CLOSED
///         └─ close frame of ours ─► CLOSING ─ the peer's, or the timeout ─► CLOSED
///   a violation: a close frame of ours with its code, and the end of the connection
/// ```
final class SocketEnd extends SocketClock implements Handler, WsSink, SendQueue.QueueNews, Recipient {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");
    private static final AtomicReferenceFieldUpdater<SocketEnd, @Nullable Memberships> MEMBERSHIPS =
            AtomicReferenceFieldUpdater.newUpdater(SocketEnd.class, Memberships.class, "memberships");

    private final TunnelEnd end;
    private final Takeover.Ending ending;
    private final Agreement agreement;
    private final WsReader reader;
    private final SendQueue queue;
    private final Receiver receiver;

    /// Of groups; there when it is asked for, because few of many sockets are in one.
    private volatile @Nullable Memberships memberships;

    private @Nullable WholeMessage gathered;
    private @Nullable TextParts texts;

    /// The receiver has enough for now.
    private boolean isPaused;

    /// The application does not want any more for now: what it said last, in any thread.
    private volatile boolean wantsHold;

    /// The same, once the loop follows it.
    private boolean isHeld;

    /// A close frame of ours was sent, or will be.
    private volatile boolean isClosing;

    /// The peer's last frame has arrived, or no more is read.
    private boolean isInputOver;

    private boolean isEndTold;

    /// The end below has ended.
    private boolean hasEnded;

    /// Not changed once the receiver is told.
    private Closing closing = Closing.CUT;

    /// How it has closed.
    private record Closing(int code, String reason) {
        static final Closing CUT = new Closing(CloseCode.ABNORMAL, "the connection ended without a close frame");
    }

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

        private WsReader reader(WsSink sink, long nowNanos) {
            var inflater = coding == null ? null : coding.inflater();
            return new WsReader(settings.limits(), isServer, inflater, sink, nowNanos);
        }
    }

    private SocketEnd(Takeover.Peer peer, Agreement agreement, ReceiverFactory receivers) {
        super(peer.end().loop());
        this.end = peer.end();
        this.ending = peer.ending();
        this.agreement = agreement;
        this.reader = agreement.reader(this, loop().nowNanos());
        this.queue = new SendQueue(end, agreement.writer(), settings(), this);
        this.receiver = receivers.open(this, peer.calls());
    }

    /// The handshake is over; on the loop.
    static void open(Takeover.Peer peer, Agreement agreement, ReceiverFactory receivers) {
        peer.end().pause();
        var socket = new SocketEnd(peer, agreement, receivers);
        socket.heard();
        socket.end.carry(socket);
        socket.receiver.opened();
        var departures = socket.end.connection().departures();
        if (departures != null) socket.departs(departures);
        if (socket.isReading()) socket.end.resume();
    }

    // What arrives.

    @Override
    public void onInput(Input input) {
        var in = (LoopInput) input;
        heard();
        try {
            while (isReading() && !isInputOver && reader.next(in, loop().pool(), loop().nowNanos())) {}
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
        if (settings().partBytes() > 0) {
            passParts(isText, part, isLast);
            return;
        }
        if (!isLast) {
            if (gathered == null) gathered = new WholeMessage();
            gathered.add(part, loop().pool());
            return;
        }
        var message = isText ? text(part) : bytes(part);
        receiver.message(message, weight(message));
    }

    private void passParts(boolean isText, LoopInput part, boolean isLast) {
        do {
            int length = (int) Math.min(part.remaining(), settings().partBytes());
            boolean ends = isLast && length == part.remaining();
            var content = isText
                    ? new WebSocketMessage.Text(texts().next(part, length))
                    : new WebSocketMessage.Binary(part.readBytes(length));
            var next = new WebSocketPart(content, ends);
            receiver.message(next, weight(next));
        } while (part.remaining() > 0);
    }

    private TextParts texts() {
        if (texts == null) texts = new TextParts();
        return texts;
    }

    private String text(LoopInput last) {
        var parts = gathered;
        gathered = null;
        return parts == null ? shortText(last) : parts.text(last, loop().pool());
    }

    private String shortText(LoopInput text) {
        int length = (int) text.remaining();
        var room = loop().callRoom().bytes();
        if (length > room.length) return text.readUtf8(length);
        text.read(room, 0, length);
        return new String(room, 0, length, UTF_8);
    }

    private Bytes bytes(LoopInput last) {
        var parts = gathered;
        gathered = null;
        return parts == null ? last.readBytes(last.remaining()) : parts.bytes(last, loop().pool());
    }

    static long weight(Object message) {
        return switch (message) {
            case String text -> text.length();
            case Bytes bytes -> bytes.length();
            case WebSocketPart part -> weight(part.content());
            case WebSocketMessage.Text(var text) -> text.length();
            case WebSocketMessage.Binary(var bytes) -> bytes.length();
            default -> throw new IllegalArgumentException("not a message: " + message);
        };
    }

    @Override
    public void ping(Bytes payload) {
        queue.send(new Unsent.Control.Pong(payload));
    }

    @Override
    public void pong(Bytes payload) {}

    @Override
    public void close(int code, String reason) {
        boolean isFirst = !isClosing;
        isInputOver = true;
        closing = new Closing(code, reason);
        // Who is told closes, too, and must not be before the answer.
        isClosing = true;
        tellClosed();
        // Closes that cross: what is sent before ours still leaves (closeIsSent).
        if (isFirst) sendClose(code, "");
        else if (queue.hasWrittenClose()) endNow();
    }

    private void tellClosed() {
        if (isEndTold) return;
        isEndTold = true;
        receiver.closed();
    }

    private void endsBecause(String why) {
        if (!isEndTold) closing = new Closing(closing.code(), why);
    }

    private void sendClose(int code, String reason) {
        isClosing = true;
        queue.send(new Unsent.Control.Close(code, reason));
        here(this::closes);
    }

    private void closes() {
        if (hasEnded) return;
        awaitClose();
        // The answer is behind what was not wanted.
        if (isPaused || isHeld) end.resume();
    }

    @Override
    public void closeHasLeft() {
        if (!hasEnded) awaitAnswer();
    }

    /// The peer has broken a rule.
    private void fail(WsError error) {
        var guard = error.guard();
        if (guard != null) guard.acted(remote(), String.valueOf(error.getMessage()));
        LOG.log(Level.DEBUG, () -> "a WebSocket of " + remote() + " fails: " + error.getMessage());
        isInputOver = true;
        endsBecause(String.valueOf(error.getMessage()));
        if (isClosing) endNow();
        else sendClose(error.code(), String.valueOf(error.getMessage()));
    }

    @Override
    public void onEnd(Connection ended) {
        isInputOver = true;
        endNow();
    }

    /// It has a moment of its own.
    @Override
    public void onDrain(Connection draining) {}

    @Override
    public void onClose(@Nullable IOException cause) {
        hasEnded = true;
        stop();
        queue.release();
        reader.release(loop().pool());
        if (gathered != null) gathered.release(loop().pool());
        if (agreement.coding() != null) agreement.coding().release();
        isClosing = true;
        if (memberships != null) memberships.closed();
        tellClosed();
        ending.ended(end.receivedBytes(), queue.sentBytes(), cause);
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
        endsBecause("the peer was too slow");
        abort();
    }

    @Override
    public void closeIsSent() {
        // A server ends the connection, a client waits for that (RFC 6455 section 7.1.1), for as long as for the frame.
        if (isInputOver && agreement.isServer()) endNow();
    }

    @Override
    void endNow() {
        end.close();
    }

    // For the receiver; any thread.

    boolean send(Object message) {
        return send(null, message);
    }

    boolean keepsNewest() {
        return settings().slowReader() == SlowReader.KEEP_NEWEST;
    }

    boolean sendNewest(String key, Object message) {
        return send(key, message);
    }

    private boolean send(@Nullable String key, Object message) {
        if (mustFollow()) return follow(message, () -> queue.send(key, message));
        return queue.send(key, message);
    }

    private boolean mustFollow() {
        var of = memberships;
        return of != null && of.mustFollow();
    }

    private long followingBytes() {
        var of = memberships;
        return of == null ? 0 : of.followingBytes();
    }

    /// Sends behind what is on its way from groups. So much of it may wait as of messages, by the same policy.
    private boolean follow(Object message, Runnable send) {
        if (isClosing) return false;
        long waitingBytes = followingBytes();
        if (waitingBytes <= settings().queueBytes()) return memberships().follow(loop(), Unsent.weight(message), send);
        return isMissed(message, waitingBytes);
    }

    /// Without one of its parts a message is another one.
    private boolean isMissed(Object message, long waitingBytes) {
        if (settings().slowReader() == SlowReader.CLOSE || message instanceof Unsent.Part) {
            isClosing = true;
            // Not at once: the sender may be a group in the middle of its members.
            loop().returned(() -> isTooSlow(waitingBytes));
            return false;
        }
        HttpGuards.WS_QUEUE.acted(remote(), waitingBytes + " bytes wait behind messages of groups: others are dropped");
        queue.isMissed();
        return true;
    }

    /// Whether so much waits behind what is on its way from groups that who can wait should do so.
    boolean isMuchFollowing() {
        return followingBytes() > SendQueue.HIGH_BYTES;
    }

    /// Completes when all of that was passed on, or never will be.
    CompletableFuture<Boolean> followed() {
        var passed = new CompletableFuture<Boolean>();
        if (!memberships().follow(loop(), 1, () -> passed.complete(true))) passed.complete(false);
        return passed;
    }

    @Override
    public boolean isFull() {
        return isFull(true);
    }

    /// @param isForWhole whether it is asked for a whole message
    boolean isFull(boolean isForWhole) {
        return queue.isFull(isForWhole);
    }

    long missed() {
        return queue.missed();
    }

    /// Closes behind what was sent.
    void end(int code, String reason) {
        if (isClosing) return;
        if (!mustFollow()) closeNow(code, reason);
        else memberships().follow(loop(), 1, () -> closeNow(code, reason));
    }

    private void closeNow(int code, String reason) {
        if (!isClosing) sendClose(code, reason);
    }

    @Override
    void abort() {
        isClosing = true;
        end.abort();
    }

    @Override
    SocketAddress remote() {
        return end.connection().remote();
    }

    TcpConnection connection() {
        return end.connection();
    }

    @Override
    EventLoop loop() {
        return end.loop();
    }

    /// Why it has closed; once the receiver is told.
    int closeCode() {
        return closing.code();
    }

    String closeReason() {
        return closing.reason();
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
        return packs ? Optional.of(settings().limits()) : Optional.empty();
    }

    @Override
    public Memberships memberships() {
        var known = memberships;
        if (known != null) return known;
        MEMBERSHIPS.compareAndSet(this, null, new Memberships());
        return Objects.requireNonNull(memberships);
    }

    @Override
    public EventLoop eventLoop() {
        return loop();
    }

    @Override
    public boolean isOpen() {
        return !isClosing;
    }

    @Override
    public void deliver(Bytes frame, boolean isAhead) {
        var shared = new Unsent.SharedFrame(frame);
        if (!isAhead || followingBytes() == 0) queue.send(shared);
        else follow(shared, () -> queue.send(shared));
    }

    @Override
    public boolean sendAtOnce(SharedChain frames) {
        return queue.sendAtOnce(frames);
    }

    // For the receiver, on the loop.

    /// What the receiver has is enough for now.
    void pause() {
        isPaused = true;
        if (!isReading()) end.pause();
    }

    void resume() {
        if (!isPaused) return;
        isPaused = false;
        if (isReading()) end.resume();
    }

    /// Who closes reads until the peer's close, and drops the messages before it.
    private boolean isReading() {
        return isClosing || (!isPaused && !isHeld);
    }

    // For the application; any thread.

    /// Stops or continues receiving.
    void hold(boolean isWanted) {
        wantsHold = isWanted;
        here(this::followHold);
    }

    /// Not what the call said that has led here: one of the loop itself may have come first.
    private void followHold() {
        isHeld = wantsHold;
        if (isReading()) end.resume();
        else end.pause();
    }

    boolean wantsHold() {
        return wantsHold;
    }

    /// On the loop: at once if the caller is that.
    private void here(Runnable task) {
        try {
            if (loop().isCallers()) task.run();
            else loop().execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and the socket with it.
        }
    }

    // For its clock.

    @Override
    WebSocketSettings settings() {
        return agreement.settings();
    }

    @Override
    boolean isClosing() {
        return isClosing;
    }

    @Override
    boolean isDeaf(boolean takesMore) {
        boolean isBehind = !connection().isReceiving() || connection().unsentBytes() > 0;
        return isPaused || isHeld || (takesMore && isBehind);
    }

    @Override
    long takenBytes() {
        return end.takenBytes();
    }

    @Override
    void ask() {
        queue.send(new Unsent.Control.Ping());
    }

    @Override
    void leave() {
        end(CloseCode.GOING_AWAY, "the server stops");
    }

    @Override
    void giveUp(String why) {
        endsBecause(why);
        abort();
    }
}
