package io.millrace.http.h2;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.PipedBytes;
import io.millrace.http.message.Takeover;
import io.millrace.loop.ErrorLog;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What an exchange sees of its stream: what it decides in a call is noted here, and sent when the stream is back on
/// the loop.
final class StreamNotes implements ServerStream {
    /// What may wait before the exchange stops writing, and how little before it goes on.
    static final long HIGH_BYTES = 48 << 10;

    static final long LOW_BYTES = 32 << 10;

    private final ServerSideStream stream;
    private final ServerConnection connection;
    private final boolean isHead;
    private final StreamRoom room;

    private SlabSource source;
    private @Nullable LoopOutput output;

    private @Nullable List<Interim> interims;
    private @Nullable BuiltResponse head;
    private long headLength;
    private boolean hasBody;
    private @Nullable Bytes whole;
    private boolean isEndDue;
    private Headers trailers = Headers.EMPTY;
    private @Nullable Takeover takeover;
    private @Nullable QueueWatches watches;
    private boolean isBodyLeft;
    private boolean isOver;
    private boolean isDropped;
    private int resetCode;
    private boolean isLast;

    private record Interim(int status, Headers fields) {}

    StreamNotes(ServerSideStream stream, ServerConnection connection, boolean isHead) {
        this.stream = stream;
        this.connection = connection;
        this.isHead = isHead;
        this.room = new StreamRoom(stream, HIGH_BYTES, LOW_BYTES);
        this.source = connection.loop.pool();
    }

    // For the stream.

    /// The calling thread has the stream from now on.
    void drawFrom(SlabSource from) {
        source = from;
        if (output != null) output.drawFrom(from);
    }

    /// Whether the exchange is over, complete or not.
    boolean isOver() {
        return isOver || isDropped;
    }

    boolean isDropped() {
        return isDropped;
    }

    /// With which it is, if it is dropped.
    int resetCode() {
        return resetCode;
    }

    boolean isBodyLeft() {
        return isBodyLeft;
    }

    /// Whether the connection should serve no further requests.
    boolean isLast() {
        return isLast;
    }

    /// Sends what was noted, or queues it. On the loop.
    void send() {
        if (interims != null) {
            for (var interim : interims) connection.responses.interim(stream.id, interim.status(), interim.fields());
            interims = null;
        }
        sendHead();
        var taking = takeover;
        // What takes over may come back here.
        takeover = null;
        if (taking != null) stream.becomesTunnel(taking);
        if (output != null && output.size() > 0) stream.enqueue(output);
        if (isEndDue) {
            isEndDue = false;
            stream.enqueueEnd(trailers);
        }
    }

    private void sendHead() {
        var response = head;
        if (response == null) return;
        head = null;
        var bytes = whole;
        whole = null;
        boolean isAll = !hasBody || (bytes != null && bytes.length() == 0);
        connection.responses.whole(stream.id, response, headLength, isAll);
        if (isAll) {
            stream.endsWithHead();
            isEndDue = false;
        } else if (bytes != null && !connection.writesAtOnce(stream, bytes)) {
            out().write(bytes);
            isEndDue = true;
        }
    }

    /// Some of what was queued has gone. On the loop.
    void passed() {
        if (watches != null) watches.passed(stream.sentBytes(), stream.queuedBytes());
    }

    /// Nothing more is sent. On the loop.
    void release() {
        if (output != null) output.release();
        if (watches != null) watches.cut();
    }

    /// Whether the exchange was told that it is full, and there is room.
    boolean isRoomNews() {
        return room.isNews(unsentBytes());
    }

    /// The same, and the exchange is told. On the loop.
    boolean noticesRoom() {
        return room.takeNews(unsentBytes());
    }

    // The response.

    @Override
    public void interim(int status, Headers fields) {
        if (interims == null) interims = new ArrayList<>(1);
        interims.add(new Interim(status, fields));
    }

    @Override
    public void answer(BuiltResponse response, Bytes body, boolean bodyIsSent) {
        head = response;
        headLength = body.length();
        hasBody = bodyIsSent;
        whole = bodyIsSent ? body : Bytes.EMPTY;
    }

    @Override
    public void head(BuiltResponse response, long bodyLength, boolean bodyFollows) {
        head = response;
        headLength = bodyLength;
        hasBody = bodyFollows;
    }

    @Override
    public void data(LoopOutput part) {
        out().appendAll(part.chain());
        long limit = unsentLimitBytes();
        if (unsentBytes() > limit) throw connection.overflow(unsentBytes(), limit);
    }

    private LoopOutput out() {
        if (output == null) output = LoopOutput.aside(source);
        return output;
    }

    @Override
    public void end(Headers trailerFields) {
        isEndDue = true;
        trailers = trailerFields;
    }

    @Override
    public void upgrade(Takeover to) {
        takeover = to;
    }

    @Override
    public void endKeepAlive() {
        isLast = true;
    }

    @Override
    public void refuses() {}

    @Override
    public void over() {
        isOver = true;
    }

    @Override
    public void reset(boolean takesNothing, @Nullable IOException cause) {
        isDropped = true;
        resetCode = Resets.codeFor(cause);
    }

    @Override
    public void leaveBody() {
        isBodyLeft = true;
    }

    // Room.

    @Override
    public boolean isOpen() {
        return !stream.isCut() && connection.connection.takesFrames();
    }

    @Override
    public long unsentBytes() {
        return stream.queuedBytes() + (output == null ? 0 : output.size());
    }

    @Override
    public long unsentLimitBytes() {
        return connection.connection.outputLimitBytes();
    }

    @Override
    public boolean isFull() {
        return room.isFull(unsentBytes(), !stream.isInCall());
    }

    @Override
    public void whenSent(Runnable task) {
        if (watches == null) watches = new QueueWatches(connection.connection);
        watches.add(task);
    }

    @Override
    public void wake() {
        stream.wake();
    }

    // Threads.

    @Override
    public boolean mayWait() {
        return !connection.serving.isOnLoop();
    }

    @Override
    public boolean sendMeanwhile() {
        return false;
    }

    @Override
    public boolean isInCall() {
        return stream.isInCall();
    }

    @Override
    public long bodyBytesOfAll() {
        return connection.frames.bodyBytes();
    }

    @Override
    public PipedBytes pipedBytes() {
        return connection.piped;
    }

    @Override
    public int incompleteBodies() {
        return connection.incompleteBodies();
    }

    @Override
    public boolean isReceiving() {
        return connection.connection.isReceiving();
    }

    @Override
    public boolean isLent() {
        return stream.isLent();
    }

    @Override
    public void leaveCall() {
        stream.leaveCall();
    }

    @Override
    public boolean mayLeaveCall() {
        return connection.serving.mayLeaveCall();
    }

    @Override
    public boolean asksTunnel() {
        return stream.isTunnel();
    }

    // What it belongs to.

    @Override
    public String protocol() {
        return "HTTP/2.0";
    }

    @Override
    public boolean isHead() {
        return isHead;
    }

    @Override
    public ErrorLog errors() {
        return connection.connection.errors();
    }

    @Override
    public EventLoop loop() {
        return connection.loop;
    }

    @Override
    public SocketAddress remote() {
        return connection.connection.remote();
    }

    @Override
    public SlabSource source() {
        return source;
    }
}
