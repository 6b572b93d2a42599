package io.millrace.http.h2;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.memory.LoopInput;
import org.jspecify.annotations.Nullable;

/// What the peer's frames do (RFC 9113 section 6): one method for each type, which [FrameReader] calls. Bodies go to
/// their streams, within the windows that the peer was given; blocks of fields are decoded in their order, also those
/// of streams that are closed, because the table follows.
///
/// A stream that is neither open nor idle is closed, whatever closed it: its frames may have been on their way when
/// it was reset, so they are dropped, but not for nothing ([WorkBudget]).
final class Http2Frames<S extends Http2Stream> {
    private final Http2Connection<S> connection;
    private final int mostBlockBytes;

    /// What may have arrived on all streams without having been read.
    private final int windowBytes;

    /// What the peer may still send, and what was read since it was told.
    private long receiveWindow = Http2Codes.USUAL_WINDOW;

    private long unreturned;

    /// What may still come for streams that were reset without the peer's fault.
    private long underWayBytes;

    /// Of open streams, so far.
    private volatile long bodyBytes;

    /// Goes on in the next frame.
    private @Nullable HeaderBlock block;

    Http2Frames(Http2Connection<S> connection, int mostBlockBytes, int windowBytes) {
        this.connection = connection;
        this.mostBlockBytes = mostBlockBytes;
        this.windowBytes = windowBytes;
    }

    // Windows.

    /// Opens the window; before anything else but the settings.
    void open() {
        connection.writer.window(0, windowBytes - Http2Codes.USUAL_WINDOW);
        receiveWindow = windowBytes;
    }

    /// Bytes of the connection's window are free again.
    void consumed(long length) {
        unreturned += length;
        returnWindow();
    }

    /// What is free and the peer does not know of is no more than it has: however much is unread, it gets a part of the
    /// rest.
    private void returnWindow() {
        if (unreturned <= receiveWindow || connection.isOver() || connection.connection.hasPeerEnded()) return;
        connection.writer.window(0, (int) unreturned);
        receiveWindow += unreturned;
        unreturned = 0;
    }

    /// Bytes of bodies that have arrived, and were not read.
    long unreadBytes() {
        return windowBytes - receiveWindow - unreturned;
    }

    /// Whether the peer may send nothing worth a frame, on any stream.
    boolean isWindowShut() {
        return receiveWindow < WorkBudget.LEAST_FRAME;
    }

    // Blocks of fields.

    void headersReceived(LoopInput in, int length, int id, boolean endsStream, boolean isWhole, boolean dependsOnItself)
            throws Http2Error {
        if (isWhole) {
            var bytes = connection.scratch.bytes(length);
            in.read(bytes, 0, length);
            decode(bytes, length, id, endsStream, dependsOnItself);
            return;
        }
        var begun = new HeaderBlock(id, endsStream, dependsOnItself, mostBlockBytes);
        block = begun;
        append(begun, in, length);
    }

    void continuationReceived(LoopInput in, int length, boolean isLast) throws Http2Error {
        connection.spend(WorkBudget.FRAME, "CONTINUATION");
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
                connection.connection.remote(),
                "a block of fields of more than " + mostBlockBytes + " bytes, or " + HeaderBlock.MOST_FRAMES
                        + " frames");
        throw new Http2Error(Http2Codes.ENHANCE_YOUR_CALM, "a block of fields that is too long");
    }

    private void decode(byte[] bytes, int length, int id, boolean endsStream, boolean dependsOnItself)
            throws Http2Error {
        var scratch = connection.scratch;
        scratch.fields.begin();
        try {
            connection.decoder.decode(bytes, 0, length, scratch.hpack, scratch.fields);
        } catch (HpackError e) {
            throw new Http2Error(Http2Codes.COMPRESSION_ERROR, String.valueOf(e.getMessage()));
        }
        try {
            connection.headers(id, endsStream, dependsOnItself);
        } catch (StreamError e) {
            connection.streamError(id, e);
        }
    }

    // Bodies.

    void dataBegins(int id, int length, int padding, boolean isEmpty) throws Http2Error {
        if (connection.isIdle(id)) throw Http2Error.protocol("DATA for a stream that is idle");
        if (length > receiveWindow)
            throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, "more bytes than the window of the connection");
        receiveWindow -= length;
        if (isEmpty) connection.spend(WorkBudget.FRAME, "DATA without bytes");
        var stream = connection.openStream(id);
        if (stream == null) {
            unreturned += length;
            if (isUnderWay(length)) return;
            connection.spend(WorkBudget.FRAME, "DATA for a stream that is closed");
            connection.closedDataReceived(id);
            return;
        }
        try {
            begin(stream, length, padding);
        } catch (StreamError e) {
            unreturned += length;
            connection.streamError(id, e);
        }
    }

    /// A stream is reset without the peer's fault: so many bytes may still come, in frames as small as it likes.
    void mayBeUnderWay(long bytes) {
        underWayBytes = Math.min(windowBytes, underWayBytes + Math.max(0, bytes));
    }

    private boolean isUnderWay(int length) {
        if (underWayBytes == 0 || length > underWayBytes) return false;
        underWayBytes -= length;
        return true;
    }

    private static void begin(Http2Stream stream, int length, int padding) throws StreamError {
        if (stream.hasPeerEnded()) throw new StreamError(Http2Codes.STREAM_CLOSED, "DATA after the end of its stream");
        stream.takeWindow(length);
        stream.consumed(padding);
    }

    void dataReceived(LoopInput in, int id, long length) throws Http2Error {
        var stream = connection.openStream(id);
        if (stream == null || stream.hasPeerEnded()) {
            in.skip(length);
            return;
        }
        count(length);
        stream.arrive(in, length);
        arrived(stream);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the loop alone
    private void count(long length) {
        connection.budget.moved(length);
        bodyBytes += length;
    }

    /// Bytes of bodies that have arrived for open streams so far. Any thread.
    long bodyBytes() {
        return bodyBytes;
    }

    void dataEnds(int id, boolean endsStream) throws Http2Error {
        returnWindow();
        var stream = connection.openStream(id);
        if (!endsStream || stream == null || stream.hasPeerEnded()) return;
        stream.peerEnds();
        arrived(stream);
    }

    private void arrived(S stream) throws Http2Error {
        try {
            stream.bodyArrived();
        } catch (StreamError e) {
            connection.streamError(stream.id, e);
        }
    }

    // The others.

    void resetReceived(int id, int code) throws Http2Error {
        if (connection.isIdle(id)) throw Http2Error.protocol("RST_STREAM for a stream that is idle");
        var stream = connection.openStream(id);
        // Behind a complete response it says that the rest of the request does not follow.
        boolean isAnswered = stream != null && stream.isAnswered();
        connection.spend(stream == null || isAnswered ? WorkBudget.FRAME : WorkBudget.RESET, "RST_STREAM");
        if (stream == null || stream.outlastsReset(code)) return;
        connection.unschedule(stream);
        if (isAnswered) connection.budget.complete();
        stream.peerEnds();
        stream.cut();
        stream.isResetByPeer(code);
    }

    void settingsReceived(PeerSettings settings, int count) throws Http2Error {
        connection.spend(WorkBudget.FRAME + count / 8, "SETTINGS");
        if (settings.tableBytes != PeerSettings.UNSET) {
            connection.encoder.tableLimit(settings.leastTableBytes);
            connection.encoder.tableLimit(settings.tableBytes);
        }
        if (settings.frameBytes != PeerSettings.UNSET) connection.peersFrame(settings.frameBytes);
        if (settings.windowBytes != PeerSettings.UNSET) connection.peersWindow(settings.windowBytes);
        connection.settingsTaken(settings);
        connection.hasSettings = true;
        connection.writer.settingsTaken();
    }

    /// The peer has taken our settings.
    void settingsAcknowledged() throws Http2Error {
        connection.spend(WorkBudget.FRAME, "SETTINGS");
    }

    void pingReceived(long data, boolean isAnswer) throws Http2Error {
        if (isAnswer || !connection.budget.isDueAnswer()) connection.spend(WorkBudget.FRAME, "PING");
        if (isAnswer) connection.pingAnswered(data);
        else connection.writer.ping(data, true);
    }

    void goAwayReceived(int lastId, int code) throws Http2Error {
        connection.spend(WorkBudget.FRAME, "GOAWAY");
        connection.peerGoesAway(lastId, code);
    }

    void windowReceived(int id, int more) throws Http2Error {
        if (!connection.budget.isDueAnswer()) connection.spend(WorkBudget.FRAME, "WINDOW_UPDATE");
        if (id == 0) {
            if (more == 0) throw Http2Error.protocol("a window that grows by nothing");
            connection.growWindow(more);
            return;
        }
        if (connection.isIdle(id)) throw Http2Error.protocol("WINDOW_UPDATE for a stream that is idle");
        var stream = connection.openStream(id);
        try {
            if (more == 0) throw StreamError.malformed("a window that grows by nothing");
            if (stream == null) return;
            if (!stream.sendWindow().grow(more))
                throw new StreamError(Http2Codes.FLOW_CONTROL_ERROR, Http2Connection.WINDOW_TOO_LARGE);
            connection.schedule(stream);
        } catch (StreamError e) {
            connection.streamError(id, e);
        }
    }

    /// Of before RFC 9113, which deprecates it.
    void oldPriorityReceived(int id, int length, int dependsOn) throws Http2Error {
        if (length != 5)
            connection.streamError(id, new StreamError(Http2Codes.FRAME_SIZE_ERROR, "the wrong length of PRIORITY"));
        else if (dependsOn == id) connection.streamError(id, StreamError.malformed("a stream that depends on itself"));
        else connection.spend(WorkBudget.FRAME, "PRIORITY");
    }

    void priorityReceived(int id, String text) throws Http2Error {
        if (id == 0) throw Http2Error.protocol("PRIORITY_UPDATE for the connection");
        connection.spend(WorkBudget.FRAME, "PRIORITY_UPDATE");
        connection.prioritized(id, Priority.of(text));
    }

    void unknownReceived(int type) throws Http2Error {
        connection.spend(WorkBudget.FRAME, "frames of type " + type);
    }
}
