package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.loop.LentStream;
import io.millrace.loop.LoopLog;
import io.millrace.memory.SlabSource;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A socket in callback style: its handler is called where the server calls handlers, one call at a time.
///
/// ```
///   loop:     message ─► arrived ─ due ─ prepare ─►                  ◄─ finish: reads on if it had paused
///   call:                                 taken ─► onText, onText, … ─┘
/// ```
final class CallbackSocket extends LentStream implements Receiver, WebSocket, EndedBySocket {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// So much may wait for the handler before the peer has to wait.
    private static final long MOST_WAITING_BYTES = 64 << 10;

    private static final int MOST_WAITING = 1024;

    private final SocketEnd end;
    private final WebSocketOpener opener;
    private @Nullable WebSocketHandler handler;

    // The loop's: what waits for the next call.

    private ArrayDeque<WebSocketMessage> arrived = new ArrayDeque<>(2);
    private long arrivedBytes;
    private boolean isRoomNews;
    private boolean isClosed;
    private int closeCode;
    private String closeReason = "";

    // The call's.

    private ArrayDeque<WebSocketMessage> taken = new ArrayDeque<>(0);
    private boolean hasRoomNews;
    private boolean isLastCall;
    private boolean hasFailed;

    CallbackSocket(SocketEnd end, WebSocketOpener opener) {
        super(end.peer().end().connection(), end.peer().calls());
        this.end = end;
        this.opener = opener;
    }

    // What arrives.

    @Override
    public void opened() {
        due();
    }

    @Override
    public void message(WebSocketMessage message, long bytes) {
        arrived.add(message);
        arrivedBytes += bytes;
        due();
        if (arrivedBytes > MOST_WAITING_BYTES || arrived.size() >= MOST_WAITING) end.pause();
    }

    @Override
    public void writable() {
        isRoomNews = true;
        due();
    }

    @Override
    public void closed(int code, String reason) {
        isClosed = true;
        closeCode = code;
        closeReason = reason;
        due();
    }

    // Calls.

    @Override
    protected boolean prepare() {
        var empty = taken;
        taken = arrived;
        arrived = empty;
        arrivedBytes = 0;
        hasRoomNews = isRoomNews;
        isRoomNews = false;
        isLastCall = isClosed;
        return true;
    }

    @Override
    protected void call(SlabSource source) {
        try {
            if (!hasFailed) call();
        } catch (Exception e) {
            hasFailed = true;
            LOG.log(Level.WARNING, () -> "the handler of a WebSocket of " + remote() + " threw", e);
            end.end(CloseCode.INTERNAL_ERROR, "");
        } finally {
            taken.clear();
        }
    }

    private void call() throws Exception {
        if (handler == null) handler = opener.open(this);
        var called = handler;
        for (var next = taken.poll(); next != null; next = taken.poll()) pass(called, next);
        if (hasRoomNews) called.onWritable();
        if (isLastCall) called.onClose(closeCode, closeReason);
    }

    private void pass(WebSocketHandler called, WebSocketMessage message) throws Exception {
        switch (message) {
            case WebSocketMessage.Text(var text) -> called.onText(text);
            case WebSocketMessage.Binary(var bytes) -> called.onBinary(this, bytes);
        }
    }

    @Override
    protected void finish() {
        if (arrivedBytes <= MOST_WAITING_BYTES && arrived.size() < MOST_WAITING) end.resume();
    }

    @Override
    protected void loopIsGone() {}

    // The socket.

    @Override
    public boolean send(String text) {
        return end.send(text);
    }

    @Override
    public boolean send(Bytes bytes) {
        return end.send(bytes);
    }

    @Override
    public boolean isFull() {
        return end.isFull();
    }

    @Override
    public SocketEnd end() {
        return end;
    }
}
