package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.loop.LentStream;
import io.millrace.loop.LoopLog;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.SlabSource;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// A socket in callback style: its handler is called where the server calls handlers, one call at a time.
///
/// ```
///   loop:     message ─► arrived ─ due ─ prepare ─►                  ◄─ finish: reads on if it had paused
///   call:                                 taken ─► onText, onText, … ─┘
/// ```
/// What has arrived when a handler pauses waits in `taken`, and the peer waits until that is empty.
final class CallbackSocket extends LentStream implements Receiver, WebSocket, EndedBySocket {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// So much may wait for the handler before the peer has to wait.
    private static final long MOST_WAITING_BYTES = 64 << 10;

    private static final int MOST_WAITING = 1024;

    private final SocketEnd end;
    private final WebSocketOpener opener;
    private @Nullable WebSocketHandler handler;

    // The loop's: what waits for the next call.

    private ShortQueue<Object> arrived = new ShortQueue<>();
    private long arrivedBytes;
    private boolean isRoomNews;
    private boolean isClosed;

    // The call's. On the loop it takes what has arrived as it comes.

    private ShortQueue<Object> taken;
    private boolean hasRoomNews;
    private boolean isLastCall;
    private boolean hasFailed;

    CallbackSocket(SocketEnd end, StreamCalls calls, WebSocketOpener opener) {
        super(end.connection(), calls);
        this.end = end;
        this.opener = opener;
        this.taken = calls.areOnLoop() ? arrived : new ShortQueue<>();
    }

    // What arrives.

    @Override
    public void opened() {
        due();
    }

    @Override
    public void message(Object message, long bytes) {
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
    public void closed() {
        isClosed = true;
        due();
    }

    // Calls.

    @Override
    protected boolean prepare() {
        if (isLastCall) return false;
        take();
        hasRoomNews = isRoomNews;
        isRoomNews = false;
        isLastCall = isClosed;
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // the object itself
    private void take() {
        if (taken.size() == 0) {
            var empty = taken;
            taken = arrived;
            arrived = empty;
        } else if (taken != arrived) {
            for (var next = arrived.poll(); next != null; next = arrived.poll()) taken.add(next);
        }
        arrivedBytes = 0;
    }

    @Override
    protected void call(SlabSource source) {
        try {
            if (!hasFailed) call();
        } catch (Exception e) {
            threw(e);
        }
        callEnds();
    }

    private void callEnds() {
        // Also what has arrived since it failed.
        if (hasFailed) taken.clear();
        if (isLastCall) lastCall();
    }

    /// Also of a handler that has failed. There is none if its opener has.
    private void lastCall() {
        var called = handler;
        handler = null;
        if (called == null) return;
        try {
            called.onClose(end.closeCode(), end.closeReason());
        } catch (Exception e) {
            threw(e);
        }
    }

    private void threw(Exception e) {
        LOG.log(Level.WARNING, () -> "the handler of a WebSocket of " + remote() + " threw", e);
        fails();
    }

    private void fails() {
        hasFailed = true;
        end.end(CloseCode.INTERNAL_ERROR, "");
    }

    /// It threw what is no exception.
    @Override
    protected void failed(Throwable thrown) {
        fails();
        callEnds();
    }

    private void call() throws Exception {
        if (handler == null) handler = opener.open(this);
        var called = handler;
        for (var next = next(); next != null; next = next()) pass(called, next);
        if (hasRoomNews) called.onWritable();
    }

    /// At the end also what a handler has paused for.
    private @Nullable Object next() {
        return end.wantsHold() && !isLastCall ? null : taken.poll();
    }

    private void pass(WebSocketHandler called, Object message) throws Exception {
        if (message instanceof String text) called.onText(text);
        else if (message instanceof Bytes bytes) called.onBinary(this, bytes);
        else called.onPart(this, (WebSocketPart) message);
    }

    @Override
    protected void finish() {
        if (taken.size() > 0) end.pause();
        else if (arrivedBytes <= MOST_WAITING_BYTES && arrived.size() < MOST_WAITING) end.resume();
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
    public boolean sendNewest(String key, String text) {
        return end.sendNewest(key, text);
    }

    @Override
    public boolean sendNewest(String key, Bytes bytes) {
        return end.sendNewest(key, bytes);
    }

    @Override
    public boolean sendPart(String part, boolean isLast) {
        return end.send(new Unsent.Part(Bytes.utf8(part), true, isLast));
    }

    @Override
    public boolean sendPart(Bytes part, boolean isLast) {
        return end.send(new Unsent.Part(part, false, isLast));
    }

    @Override
    public void pause() {
        end.hold(true);
    }

    @Override
    public void resume() {
        end.hold(false);
        later(this::goOn);
    }

    private void goOn() {
        if (!isAtRest() || taken.size() > 0) due();
    }

    @Override
    public boolean isFull() {
        return end.isFull(false);
    }

    @Override
    public SocketEnd end() {
        return end;
    }
}
