package io.millrace.http.h2;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Handler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// A connection that speaks HTTP/2 (RFC 9113), the same for both sides: frames, windows, settings, blocks of fields,
/// and errors. It stays on the loop; what its streams call, they call where [io.millrace.loop.StreamCalls] says.
///
/// ```
///   input ─► FrameReader ─► one method for each frame ─► stream ─► exchange
///   exchange ─► stream ─► SendOrder ─► FrameWriter ─► output
/// ```
abstract class Http2Connection<S extends Http2Stream> implements Handler {
    static final int MOST_STREAM_WINDOW = 512 << 10;

    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// What may wait to be sent on all streams before the next exchange begins.
    private static final long HIGH_BYTES = 256 << 10;

    /// Frames that one call reads.
    private static final int MOST_FRAMES = 1024;

    final TcpConnection connection;
    final EventLoop loop;
    final FrameWriter writer;
    final FrameReader reader = new FrameReader(this);
    final HpackEncoder encoder = new HpackEncoder();
    final HpackDecoder decoder = new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES);
    final StreamTable<S> streams = new StreamTable<>();
    final WorkBudget budget;
    final LoopScratch scratch;

    private final SendOrder order = new SendOrder();
    private final int mostBlockBytes;

    /// What may have arrived on all streams without having been read.
    private final int windowBytes;

    /// The highest number of a stream that the peer has opened.
    int lastPeerId;

    // Windows.

    private long sendWindow = Http2Codes.USUAL_WINDOW;
    private long receiveWindow = Http2Codes.USUAL_WINDOW;
    private long unreturned;

    /// Of streams that were reset: see [#mayBeUnderWay].
    private long underWayBytes;
    private int peersWindow = Http2Codes.USUAL_WINDOW;
    private int peersFrame = Http2Codes.MOST_BYTES;

    /// Waits to be sent on all streams.
    private long queued;

    private long sentBytes;

    /// Goes on in the next frame.
    private @Nullable HeaderBlock block;

    /// Too much has waited since streams were told that there is room; what another thread writes here is written again
    /// on the loop.
    private boolean wasFull;

    private boolean isBusy;
    private boolean isOver;
    private boolean hasUnread;

    Http2Connection(TcpConnection connection, LoopScratch scratch, int mostBlockBytes, int windowBytes) {
        this.connection = connection;
        this.loop = EventLoop.of(connection.loop());
        this.scratch = scratch;
        this.mostBlockBytes = mostBlockBytes;
        this.windowBytes = windowBytes;
        this.writer = new FrameWriter((LoopOutput) connection.output(), scratch);
        this.budget = new WorkBudget(loop.nowNanos());
        connection.inputLimit(2L * (Http2Codes.HEADER_BYTES + Http2Codes.MOST_BYTES));
    }

    // For each side.

    /// A block of fields is complete and decoded, in [LoopScratch#fields].
    abstract void headers(int id, boolean endsStream, boolean dependsOnItself) throws Http2Error, StreamError;

    /// The peer wants no further streams.
    abstract void peerGoesAway(int lastId, int code);

    /// Begins what waited for the peer to take something.
    abstract void beginMore();

    /// What the connection does at the end of each call: timeouts, and its own end.
    abstract void callEnds();

    /// Our preface, before anything else.
    final void open(int... settings) {
        writer.settings(settings);
        writer.window(0, windowBytes - Http2Codes.USUAL_WINDOW);
        receiveWindow = windowBytes;
    }

    // Calls.

    @Override
    public final void onInput(Input input) {
        var in = (LoopInput) input;
        boolean isOuter = begin();
        try {
            read(in);
        } catch (Http2Error e) {
            fail(e);
        }
        if (isOver) in.skip(in.remaining());
        hasUnread = reader.isInFrame(in);
        end(isOuter);
    }

    /// Reads what has arrived.
    void read(LoopInput in) throws Http2Error {
        int frames = 0;
        while (!isOver && frames < MOST_FRAMES && reader.next(in)) frames++;
        if (frames < MOST_FRAMES) return;
        // Others get their turn.
        connection.pause();
        connection.resume();
    }

    @Override
    public void onWritable() {
        end(begin());
    }

    /// Begins a call.
    ///
    /// @return whether this is the outermost call, which sends at its end
    final boolean begin() {
        if (isBusy) return false;
        isBusy = true;
        return true;
    }

    final void end(boolean isOuter) {
        if (!isOuter) return;
        if (!isOver) {
            do {
                beginMore();
                send();
            } while (hasRoomAgain());
        }
        callEnds();
        writer.flush();
        isBusy = false;
    }

    /// Streams may have stopped for what others had queued, and nobody else tells them that this was sent.
    private boolean hasRoomAgain() {
        if (!wasFull || isFullNow() || isOver) return false;
        wasFull = false;
        for (var stream : streams.all()) stream.hasRoom();
        return true;
    }

    /// Whether a frame has arrived in part.
    final boolean isInFrame() {
        return hasUnread;
    }

    final boolean isOver() {
        return isOver;
    }

    // Frames.

    final void headersReceived(
            LoopInput in, int length, int id, boolean endsStream, boolean isWhole, boolean dependsOnItself)
            throws Http2Error {
        if (isWhole) {
            var bytes = scratch.bytes(length);
            in.read(bytes, 0, length);
            decode(bytes, length, id, endsStream, dependsOnItself);
            return;
        }
        var begun = new HeaderBlock(id, endsStream, dependsOnItself, mostBlockBytes);
        block = begun;
        append(begun, in, length);
    }

    final void continuationReceived(LoopInput in, int length, boolean isLast) throws Http2Error {
        spend(WorkBudget.FRAME, "CONTINUATION");
        var begun = block;
        if (begun == null) throw Http2Error.protocol("CONTINUATION without HEADERS");
        append(begun, in, length);
        if (!isLast) return;
        block = null;
        decode(begun.bytes(), begun.length(), begun.id, begun.endsStream, begun.dependsOnItself);
    }

    private void append(HeaderBlock begun, LoopInput in, int length) throws Http2Error {
        if (begun.append(in, length)) return;
        HttpGuards.HEAD.acted(
                connection.remote(),
                "a block of fields of more than " + mostBlockBytes + " bytes, or " + HeaderBlock.MOST_FRAMES
                        + " frames");
        throw new Http2Error(Http2Codes.ENHANCE_YOUR_CALM, "a block of fields that is too long");
    }

    private void decode(byte[] bytes, int length, int id, boolean endsStream, boolean dependsOnItself)
            throws Http2Error {
        scratch.fields.begin();
        try {
            decoder.decode(bytes, 0, length, scratch.hpack, scratch.fields);
        } catch (HpackError e) {
            throw new Http2Error(Http2Codes.COMPRESSION_ERROR, String.valueOf(e.getMessage()));
        }
        try {
            headers(id, endsStream, dependsOnItself);
        } catch (StreamError e) {
            streamError(id, e);
        }
    }

    final void dataBegins(int id, int length, int padding, boolean isEmpty) throws Http2Error {
        if (isIdle(id)) throw Http2Error.protocol("DATA for a stream that is idle");
        if (length > receiveWindow)
            throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, "more bytes than the window of the connection");
        receiveWindow -= length;
        if (isEmpty) spend(WorkBudget.FRAME, "DATA without bytes");
        var stream = streams.get(id);
        try {
            if (stream == null || stream.isCut()) dropped(id, length);
            else begin(stream, length, padding);
        } catch (StreamError e) {
            streamError(id, e);
        }
    }

    private void dropped(int id, int length) throws Http2Error, StreamError {
        if (length > 0) unreturned += length;
        if (length > 0 && length <= underWayBytes) {
            underWayBytes -= length;
            return;
        }
        if (!streams.isReset(id)) throw new StreamError(Http2Codes.STREAM_CLOSED, "DATA for a stream that is closed");
        spend(WorkBudget.FRAME, "DATA for a stream that was reset");
    }

    /// Of a stream that is reset without the peer's fault so many bytes may still come, in frames as small as it likes.
    final void mayBeUnderWay(long bytes) {
        underWayBytes = Math.min(windowBytes, underWayBytes + Math.max(0, bytes));
    }

    private void begin(S stream, int length, int padding) throws StreamError {
        if (stream.hasPeerEnded()) {
            unreturned += length;
            throw new StreamError(Http2Codes.STREAM_CLOSED, "DATA after the end of its stream");
        }
        try {
            stream.takeWindow(length);
        } catch (StreamError e) {
            unreturned += length;
            throw e;
        }
        stream.consumed(padding);
    }

    final void dataReceived(LoopInput in, int id, long length) throws Http2Error {
        var stream = streams.get(id);
        if (stream == null || stream.isCut() || stream.hasPeerEnded()) {
            in.skip(length);
            return;
        }
        budget.moved(length);
        stream.arrive(in, length);
        try {
            stream.bodyArrived();
        } catch (StreamError e) {
            streamError(id, e);
        }
    }

    final void dataEnds(int id, boolean endsStream) throws Http2Error {
        returnWindow();
        var stream = streams.get(id);
        if (!endsStream || stream == null || stream.isCut() || stream.hasPeerEnded()) return;
        stream.peerEnds();
        try {
            stream.bodyArrived();
        } catch (StreamError e) {
            streamError(id, e);
        }
    }

    final void resetReceived(int id, int code) throws Http2Error {
        if (isIdle(id)) throw Http2Error.protocol("RST_STREAM for a stream that is idle");
        spend(WorkBudget.RESET, "RST_STREAM");
        var stream = streams.get(id);
        if (stream == null || stream.outlastsReset(code)) return;
        order.remove(stream);
        stream.peerEnds();
        stream.cut();
        stream.isResetByPeer(code);
    }

    final void settingsReceived(PeerSettings settings, int count) throws Http2Error {
        spend(WorkBudget.FRAME + count / 8, "SETTINGS");
        if (settings.tableBytes != PeerSettings.UNSET) encoder.tableLimit(settings.tableBytes);
        if (settings.frameBytes != PeerSettings.UNSET)
            peersFrame = Math.min(Http2Codes.MOST_BYTES, settings.frameBytes);
        if (settings.windowBytes != PeerSettings.UNSET) resize(settings.windowBytes);
        settingsTaken(settings);
        writer.settingsTaken();
    }

    /// Those that matter to one side only.
    void settingsTaken(PeerSettings settings) throws Http2Error {}

    private void resize(int windowBytes) throws Http2Error {
        long more = (long) windowBytes - peersWindow;
        peersWindow = windowBytes;
        for (var stream : streams.all()) {
            try {
                stream.moreWindow(more);
            } catch (StreamError e) {
                throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, String.valueOf(e.getMessage()));
            }
            schedule(stream);
        }
    }

    /// The peer has taken our settings.
    void settingsAcknowledged() throws Http2Error {
        spend(WorkBudget.FRAME, "SETTINGS");
    }

    final void pingReceived(long data, boolean isAnswer) throws Http2Error {
        spend(WorkBudget.FRAME, "PING");
        if (isAnswer) pingAnswered(data);
        else writer.ping(data, true);
    }

    /// The peer has answered our PING.
    void pingAnswered(long data) {}

    final void goAwayReceived(int lastId, int code) throws Http2Error {
        spend(WorkBudget.FRAME, "GOAWAY");
        peerGoesAway(lastId, code);
    }

    final void windowReceived(int id, int more) throws Http2Error {
        spend(WorkBudget.FRAME, "WINDOW_UPDATE");
        if (id == 0) {
            if (more == 0) throw Http2Error.protocol("a window that grows by nothing");
            sendWindow += more;
            if (sendWindow > Http2Codes.MOST_WINDOW)
                throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
            return;
        }
        if (isIdle(id)) throw Http2Error.protocol("WINDOW_UPDATE for a stream that is idle");
        var stream = streams.get(id);
        try {
            if (more == 0) throw StreamError.malformed("a window that grows by nothing");
            if (stream == null || stream.isCut()) return;
            stream.moreWindow(more);
            schedule(stream);
        } catch (StreamError e) {
            streamError(id, e);
        }
    }

    final void oldPriorityReceived() throws Http2Error {
        spend(WorkBudget.FRAME, "PRIORITY");
    }

    final void priorityReceived(int id, String text) throws Http2Error {
        spend(WorkBudget.FRAME, "PRIORITY_UPDATE");
        var stream = streams.get(id);
        if (stream == null) return;
        order.remove(stream);
        stream.prioritize(Priority.of(text));
        schedule(stream);
    }

    final void unknownReceived(int type) throws Http2Error {
        spend(WorkBudget.FRAME, "frames of type " + type);
    }

    /// Whether the peer has not opened this stream yet.
    abstract boolean isIdle(int id);

    final void spend(int units, String on) throws Http2Error {
        budget.spend(units, loop.nowNanos(), on);
    }

    // Errors.

    final void streamError(int id, StreamError error) throws Http2Error {
        LOG.log(Level.DEBUG, () -> "stream " + id + " of " + connection.remote() + ": " + error.getMessage());
        var stream = streams.get(id);
        spend(WorkBudget.RESET, String.valueOf(error.getMessage()));
        writer.reset(id, error.code);
        streams.wasReset(id);
        if (stream == null || stream.isCut()) return;
        order.remove(stream);
        stream.cut();
        stream.isReset(broke(String.valueOf(error.getMessage())));
    }

    /// What an exchange is told of an error of the peer.
    IOException broke(String why) {
        return Resets.ofOurs(why);
    }

    /// Ends the connection for an error of the peer.
    private void fail(Http2Error error) {
        if (error.code == Http2Codes.ENHANCE_YOUR_CALM)
            HttpGuards.HTTP2_WORK.acted(connection.remote(), String.valueOf(error.getMessage()));
        LOG.log(Level.DEBUG, () -> connection.remote() + " broke HTTP/2: " + error.getMessage());
        closeWith(error.code, broke(String.valueOf(error.getMessage())));
    }

    /// Ends the connection: streams that are open are cut.
    final void closeWith(int code) {
        closeWith(code, Resets.ofOurs("the connection has ended"));
    }

    private void closeWith(int code, IOException cause) {
        if (isOver) return;
        isOver = true;
        withdraw();
        writer.goAway(lastPeerId, code);
        cutAll(cause);
        writer.flush();
        connection.close();
    }

    /// It carries no more exchanges.
    void withdraw() {}

    @Override
    public void onClose(@Nullable IOException cause) {
        isOver = true;
        isBusy = true;
        cutAll(cause);
        isBusy = false;
    }

    private void cutAll(@Nullable IOException cause) {
        for (var stream : streams.all()) {
            stream.cut();
            stream.isReset(cause);
        }
    }

    // For streams.

    /// An output to move bytes through.
    final LoopOutput moving() {
        var moved = scratch.moved(loop.pool());
        moved.drawFrom(loop.pool());
        return moved;
    }

    final int peersWindow() {
        return peersWindow;
    }

    /// Bytes of the connection's window are free again.
    final void consumed(long length) {
        unreturned += length;
        returnWindow();
    }

    private void returnWindow() {
        if (2 * unreturned < windowBytes || isOver) return;
        writer.window(0, (int) unreturned);
        receiveWindow += unreturned;
        unreturned = 0;
    }

    final void queued(long length) {
        queued += length;
        if (queued > HIGH_BYTES) wasFull = true;
    }

    final void dequeued(long length) {
        queued -= length;
    }

    /// Whether the peer's window for all streams is used up.
    final boolean isWindowShut() {
        return sendWindow <= 0;
    }

    /// Bytes of bodies that have waited and were sent.
    final long sentBytes() {
        return sentBytes;
    }

    final long queuedBytes() {
        return queued;
    }

    /// Whether the peer does not take what waits for it, so that nothing more should begin.
    final boolean isFull() {
        boolean isFull = isFullNow();
        if (isFull) wasFull = true;
        return isFull;
    }

    private boolean isFullNow() {
        return queued > HIGH_BYTES || connection.isFull();
    }

    /// Something waits to be sent, or its window has grown.
    final void schedule(Http2Stream stream) {
        if (stream.sendable() > 0 && !stream.isCut()) order.add(stream);
    }

    /// Ends a stream early.
    final void resets(Http2Stream stream, int code) {
        writer.reset(stream.id, code);
        streams.wasReset(stream.id);
        order.remove(stream);
        stream.cut();
    }

    final void unschedule(Http2Stream stream) {
        order.remove(stream);
    }

    /// Whether so many bytes may be sent at once.
    final boolean takesAtOnce(long length) {
        return length <= sendWindow && order.isEmpty();
    }

    final void sentAtOnce(long length) {
        sendWindow -= length;
    }

    final int peersFrame() {
        return peersFrame;
    }

    final void writeTrailers(int id, Headers trailers) {
        var text = writer.headers(id, true);
        int start = writer.blockStart();
        encoder.begin(text);
        for (int i = 0; i < trailers.size(); i++) encoder.field(trailers, i, text);
        writer.endHeaders(id, start, peersFrame);
    }

    /// Sends what the windows and the output take.
    private void send() {
        while (sendWindow > 0 && !connection.isFull()) {
            var stream = order.first();
            if (stream == null) return;
            long length = Math.min(Math.min(stream.sendable(), sendWindow), peersFrame);
            sendWindow -= length;
            dequeued(length);
            stream.send(length);
            budget.moved(length);
            if (stream.queuedBytes() == 0 || length >= WorkBudget.LEAST_FRAME) budget.sentOne();
            sentBytes += length;
            if (stream.sendable() > 0) order.turn(stream);
            else order.remove(stream);
            sent(stream);
        }
    }

    /// Some of what waited was sent.
    abstract void sent(Http2Stream stream);
}
