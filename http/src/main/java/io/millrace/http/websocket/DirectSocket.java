package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Awaiting;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.LoopSignal;
import io.millrace.net.ProtocolError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A socket in direct style: of a session on a virtual thread of its own, or of a client's thread.
///
/// ```
///   loop:    message ─► waiting ─ tell ─►  session: receive
///            end pauses while much waits ◄─ and goes on ─┘
/// ```
final class DirectSocket implements Receiver, BlockingWebSocket, EndedBySocket {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");
    private static final long MOST_WAITING_BYTES = 64 << 10;
    private static final int MOST_WAITING = 1024;

    private final SocketEnd end;
    private final @Nullable WebSocketSession session;
    private final LoopSignal news;

    // Guarded by this.

    private final ShortQueue<Object> waiting = new ShortQueue<>();
    private long waitingBytes;
    private boolean isPaused;
    private boolean isClosed;

    /// Completed when there is room; several threads may wait for it.
    private @Nullable CompletableFuture<Boolean> room;

    /// @param session null if the socket is a client's
    DirectSocket(SocketEnd end, @Nullable WebSocketSession session) {
        this.end = end;
        this.session = session;
        this.news = new LoopSignal(end.loop(), this);
    }

    // The loop's.

    @Override
    public void opened() {
        if (session != null) end.connection().session(this::run);
    }

    @Override
    public void message(Object message, long bytes) {
        synchronized (this) {
            waiting.add(message);
            waitingBytes += bytes;
            isPaused = isMuch();
            if (isPaused) end.pause();
        }
        news.tell();
    }

    private boolean isMuch() {
        return waitingBytes > MOST_WAITING_BYTES || waiting.size() >= MOST_WAITING;
    }

    @Override
    public void writable() {
        CompletableFuture<Boolean> told;
        synchronized (this) {
            told = room;
            room = null;
        }
        if (told != null) told.complete(true);
    }

    @Override
    public void closed() {
        synchronized (this) {
            isClosed = true;
        }
        news.tell();
        writable();
    }

    // The session's.

    private void run() {
        try {
            if (session != null) session.run(this);
            end.end(CloseCode.NORMAL, "");
        } catch (WebSocketClosed e) {
            LOG.log(Level.DEBUG, () -> "a session with " + remote() + " ended: " + e.getMessage());
            // It may be another socket's.
            end.end(CloseCode.INTERNAL_ERROR, "");
        } catch (Throwable e) {
            LOG.log(Level.WARNING, () -> "the session of a WebSocket of " + remote() + " threw", e);
            end.end(CloseCode.INTERNAL_ERROR, "");
        }
    }

    @Override
    public @Nullable String receive() throws IOException {
        return switch (next()) {
            case null -> null;
            case String text -> text;
            case WebSocketPart _ -> throw areParts();
            default -> {
                close(CloseCode.UNSUPPORTED, "text is expected");
                throw new ProtocolError("a message of bytes where text is expected: use receiveAny()");
            }
        };
    }

    @Override
    public @Nullable WebSocketMessage receiveAny() throws IOException {
        return switch (next()) {
            case null -> null;
            case String text -> new WebSocketMessage.Text(text);
            case Bytes bytes -> new WebSocketMessage.Binary(bytes);
            default -> throw areParts();
        };
    }

    private static IllegalStateException areParts() {
        return new IllegalStateException("messages come in parts (WebSocketSettings.partBytes): use receivePart()");
    }

    @Override
    public @Nullable WebSocketPart receivePart() throws IOException {
        return switch (next()) {
            case null -> null;
            case String text -> new WebSocketPart(new WebSocketMessage.Text(text), true);
            case Bytes bytes -> new WebSocketPart(new WebSocketMessage.Binary(bytes), true);
            case Object part -> (WebSocketPart) part;
        };
    }

    private @Nullable Object next() throws IOException {
        try {
            while (true) {
                news.expect();
                var next = poll();
                if (next != null) return next;
                if (hasEnded()) return null;
                EventLoop.checkMayWait("receiving", "take a WebSocketHandler");
                news.await();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + this);
        }
    }

    private @Nullable Object poll() {
        boolean goesOn;
        Object next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) return null;
            waitingBytes -= SocketEnd.weight(next);
            goesOn = isPaused && !isMuch();
            if (goesOn) isPaused = false;
        }
        if (goesOn) goOn();
        return next;
    }

    private void goOn() {
        try {
            end.loop().execute(end::resume);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and the socket with it.
        }
    }

    /// @throws WebSocketClosed if the peer has not closed in order
    private synchronized boolean hasEnded() throws WebSocketClosed {
        if (!isClosed) return false;
        int code = end.closeCode();
        if (code == CloseCode.NORMAL || code == CloseCode.GOING_AWAY || code == CloseCode.NONE) return true;
        throw new WebSocketClosed(code, end.closeReason());
    }

    // Sending; any thread.

    @Override
    public void send(String text) throws IOException {
        sendWhole(text);
    }

    @Override
    public void send(Bytes bytes) throws IOException {
        sendWhole(bytes);
    }

    private void sendWhole(Object message) throws IOException {
        awaitRoom(true);
        if (!end.send(message)) throw gone();
    }

    @Override
    public void sendNewest(String key, String text) throws IOException {
        sendKeyed(key, text);
    }

    @Override
    public void sendNewest(String key, Bytes bytes) throws IOException {
        sendKeyed(key, bytes);
    }

    private void sendKeyed(String key, Object message) throws IOException {
        if (!end.keepsNewest()) awaitRoom(true);
        if (!end.sendNewest(key, message)) throw gone();
    }

    @Override
    public void sendPart(String part, boolean isLast) throws IOException {
        sendPart(new Unsent.Part(Bytes.utf8(part), true, isLast));
    }

    @Override
    public void sendPart(Bytes part, boolean isLast) throws IOException {
        sendPart(new Unsent.Part(part, false, isLast));
    }

    private void sendPart(Unsent.Part part) throws IOException {
        awaitRoom(false);
        if (!end.send(part)) throw gone();
    }

    private void awaitRoom(boolean isForWhole) throws IOException {
        if (end.isMuchFollowing()) await(end.followed());
        while (end.isFull(isForWhole)) {
            // First: there may be room again by then.
            var next = nextRoom();
            if (next == null) throw gone();
            if (end.isFull(isForWhole)) await(next);
        }
    }

    private void await(CompletableFuture<Boolean> next) throws IOException {
        EventLoop.checkMayWait("sending", "take a WebSocketHandler");
        try {
            var _ = Awaiting.result(List.of(end.loop()), "room for " + this, next);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for room");
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /// Null if there will be none: nothing is sent any more.
    private synchronized @Nullable CompletableFuture<Boolean> nextRoom() {
        if (isClosed) return null;
        if (room == null) room = new CompletableFuture<>();
        return room;
    }

    private synchronized WebSocketClosed gone() {
        return isClosed
                ? new WebSocketClosed(end.closeCode(), end.closeReason())
                : new WebSocketClosed(CloseCode.NORMAL, "");
    }

    @Override
    public SocketEnd end() {
        return end;
    }

    @Override
    public String toString() {
        return "a message of a WebSocket with " + remote();
    }
}
