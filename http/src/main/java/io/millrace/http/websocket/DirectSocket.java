package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.exchange.News;
import io.millrace.loop.Awaiting;
import io.millrace.loop.LoopLog;
import io.millrace.net.ProtocolError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A socket in direct style: a session on a virtual thread of its own.
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
    private final WebSocketSession session;
    private final News news;

    // Guarded by this.

    private final ArrayDeque<WebSocketMessage> waiting = new ArrayDeque<>(2);
    private long waitingBytes;
    private boolean isPaused;
    private boolean isClosed;
    private int closeCode;
    private String closeReason = "";

    /// Completed when there is room; several threads may wait for it.
    private @Nullable CompletableFuture<Boolean> room;

    DirectSocket(SocketEnd end, WebSocketSession session) {
        this.end = end;
        this.session = session;
        this.news = new News(end.loop(), "a message of " + end.remote());
    }

    // The loop's.

    @Override
    public void opened() {
        var _ = end.loop().blocking(() -> {
            run();
            return true;
        });
    }

    @Override
    public void message(WebSocketMessage message, long bytes) {
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
    public void closed(int code, String reason) {
        synchronized (this) {
            isClosed = true;
            closeCode = code;
            closeReason = reason;
        }
        news.tell();
        writable();
    }

    // The session's.

    private void run() {
        try {
            session.run(this);
            end.end(CloseCode.NORMAL, "");
        } catch (WebSocketClosed e) {
            LOG.log(Level.DEBUG, () -> "a session with " + remote() + " ended: " + e.getMessage());
        } catch (Throwable e) {
            LOG.log(Level.WARNING, () -> "the session of a WebSocket of " + remote() + " threw", e);
            end.end(CloseCode.INTERNAL_ERROR, "");
        }
    }

    @Override
    public @Nullable String receive() throws IOException {
        return switch (receiveAny()) {
            case null -> null;
            case WebSocketMessage.Text(var text) -> text;
            case WebSocketMessage.Binary _ -> {
                close(CloseCode.UNSUPPORTED, "text is expected");
                throw new ProtocolError("a message of bytes where text is expected: use receiveAny()");
            }
        };
    }

    @Override
    public @Nullable WebSocketMessage receiveAny() throws IOException {
        while (true) {
            news.expect();
            var next = poll();
            if (next != null) return next;
            if (hasEnded()) return null;
            news.await();
        }
    }

    private @Nullable WebSocketMessage poll() {
        boolean goesOn;
        WebSocketMessage next;
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
        boolean isInOrder = closeCode == CloseCode.NORMAL || closeCode == CloseCode.GOING_AWAY;
        if (isInOrder || closeCode == CloseCode.NONE) return true;
        throw new WebSocketClosed(closeCode, closeReason);
    }

    @Override
    public void send(String text) throws IOException {
        sendAny(text);
    }

    @Override
    public void send(Bytes bytes) throws IOException {
        sendAny(bytes);
    }

    private void sendAny(Object message) throws IOException {
        awaitRoom();
        if (!end.send(message)) throw gone();
    }

    private void awaitRoom() throws IOException {
        if (end.isMuchFollowing()) await(end.followed());
        for (var next = nextRoom(); end.isFull(); next = nextRoom()) await(next);
    }

    private void await(CompletableFuture<Boolean> next) throws IOException {
        try {
            var _ = Awaiting.result(List.of(end.loop()), "room for a message to " + remote(), next);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for room");
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private synchronized CompletableFuture<Boolean> nextRoom() {
        if (room == null) room = isClosed ? CompletableFuture.completedFuture(true) : new CompletableFuture<>();
        return room;
    }

    private synchronized WebSocketClosed gone() {
        return isClosed ? new WebSocketClosed(closeCode, closeReason) : new WebSocketClosed(CloseCode.NORMAL, "");
    }

    @Override
    public SocketEnd end() {
        return end;
    }
}
