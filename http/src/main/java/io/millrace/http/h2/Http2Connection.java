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
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection that speaks HTTP/2 (RFC 9113), the same for both sides: frames, windows, settings, blocks of
/// fields, and errors. It stays on the loop; what its streams call, they call where [io.millrace.loop.StreamCalls]
/// says.
///
/// ```
///   input ─► FrameReader ─► one method for each frame ─► stream ─► exchange
///   exchange ─► stream ─► SendOrder ─► FrameWriter ─► output
/// ```
abstract class Http2Connection<S extends Http2Stream> implements Handler {
    static final int MOST_STREAM_WINDOW = 512 << 10;

    /// As much as over HTTP/1.1 by default.
    static final int LEAST_UNREAD_LIMIT = 64 << 10;

    static final String WINDOW_TOO_LARGE = "a window of more than 2^31-1 bytes";

    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// What may wait to be sent on all streams before each gets by with little.
    private static final long HIGH_BYTES = 256 << 10;

    private static final long LITTLE_BYTES = 2 << 10;

    /// How long the rest of a window is left, until it grows.
    private static final Duration REST_LEFT = Duration.ofMillis(200);

    /// Frames that one call reads.
    private static final int MOST_FRAMES = 1024;

    final TcpConnection connection;
    final EventLoop loop;
    final FrameWriter writer;
    final Http2Frames<S> frames;
    final FrameReader reader;
    final HpackEncoder encoder = new HpackEncoder();
    final HpackDecoder decoder = new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES);
    final StreamTable<S> streams = new StreamTable<>();
    final WorkBudget budget;
    final LoopScratch scratch;
    final WaitingSlabs waiting = new WaitingSlabs();

    private final SendOrder order = new SendOrder();

    /// The highest number of a stream that the peer has opened.
    int lastPeerId;

    // What the peer takes.

    private final SendWindow sendWindow = new SendWindow(Http2Codes.USUAL_WINDOW);
    private int peersWindow = Http2Codes.USUAL_WINDOW;
    private int peersFrame = Http2Codes.MOST_BYTES;

    /// Waits to be sent on all streams; other threads look at it.
    private volatile long queued;

    private long sentBytes;

    /// The socket has taken nothing since streams were told that there is room; what another thread writes here is
    /// written again on the loop.
    private boolean wasFull;

    /// The rest of a window will be used soon.
    private boolean isRestDue;

    /// The peer has sent its settings, with which it begins.
    boolean hasSettings;

    private boolean isBusy;
    private boolean isOver;
    private boolean hasUnread;

    Http2Connection(TcpConnection connection, LoopScratch scratch, int mostBlockBytes, int windowBytes) {
        this.connection = connection;
        this.loop = EventLoop.of(connection.loop());
        this.scratch = scratch;
        this.frames = new Http2Frames<>(this, mostBlockBytes, windowBytes);
        this.reader = new FrameReader(frames);
        this.writer = new FrameWriter(connection, scratch);
        this.budget = new WorkBudget(loop.nowNanos());
        connection.inputLimit(2L * (Http2Codes.HEADER_BYTES + Http2Codes.MOST_BYTES));
    }

    // For each side.

    /// A block of fields is complete and decoded, in [LoopScratch#fields].
    abstract void headers(int id, boolean endsStream, boolean dependsOnItself) throws Http2Error, StreamError;

    /// The peer wants no further streams.
    abstract void peerGoesAway(int lastId, int code);

    /// Begins what waited for the peer to take something.
    ///
    /// @return whether there was anything
    abstract boolean beginMore();

    /// What the connection does at the end of each call: timeouts, and its own end.
    abstract void callEnds();

    /// Our preface, before anything else.
    final void open(int... settings) {
        writer.settings(settings);
        frames.open();
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
        if (!hasSettings && in.remaining() >= Http2Codes.HEADER_BYTES && !isSettings(in))
            throw Http2Error.protocol("something other than the SETTINGS with which HTTP/2 begins");
        int count = 0;
        while (!isOver && count < MOST_FRAMES && reader.next(in)) count++;
        if (count < MOST_FRAMES) return;
        // Others get their turn.
        connection.pause();
        connection.resume();
    }

    /// Whether a frame brings settings; not if it says that ours were taken.
    private static boolean isSettings(LoopInput in) {
        return in.peekByte(3) == Http2Codes.SETTINGS && (in.peekByte(4) & Http2Codes.ACK) == 0;
    }

    @Override
    public void onWritable() {
        end(begin());
    }

    /// Begins a call.
    ///
    /// @return whether this is the outermost call, which sends at its end
    private boolean begin() {
        if (isBusy) return false;
        isBusy = true;
        return true;
    }

    private void end(boolean isOuter) {
        if (!isOuter) return;
        try {
            sendAll();
            isBusy = false;
        } catch (RuntimeException | Error e) {
            broken(true);
            throw e;
        }
    }

    /// Makes a call, at whose end is sent what it has led to. What it throws goes on, and ends the connection.
    final void call(Runnable inside) {
        call(inside, Runnable::run);
    }

    final <A> void call(A with, Consumer<A> inside) {
        boolean isOuter = begin();
        try {
            inside.accept(with);
        } catch (RuntimeException | Error e) {
            broken(isOuter);
            throw e;
        }
        end(isOuter);
    }

    private void sendAll() {
        if (!isOver) {
            beginMore();
            do send();
            while (hasRoomAgain() || beginMore());
            if (queued + frames.unreadBytes() > 0) waiting.pack(streams);
        }
        callEnds();
        writer.flush();
    }

    /// Within a call something was thrown that was not expected, as when there is no memory for frames. Half a frame
    /// may be written, behind which nothing can follow. What was thrown goes on.
    private void broken(boolean isOuter) {
        if (!isOuter) return;
        isBusy = false;
        connection.abort();
    }

    /// Streams may have stopped because the socket took nothing, and nobody else tells them that it does.
    private boolean hasRoomAgain() {
        if (!wasFull || connection.isFull() || isOver) return false;
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

    // For frames.

    /// A stream that is neither closed nor about to be.
    final @Nullable S openStream(int id) {
        var stream = streams.get(id);
        return stream == null || stream.isCut() ? null : stream;
    }

    /// Whether the peer has not opened this stream yet.
    abstract boolean isIdle(int id);

    /// The peer says how urgent a stream is, which may be idle or closed (RFC 9218 section 7.1).
    abstract void prioritized(int id, Priority priority) throws Http2Error;

    /// DATA for a stream that is closed, and dropped.
    abstract void closedDataReceived(int id);

    /// Settings that matter to one side only.
    void settingsTaken(PeerSettings settings) throws Http2Error {}

    /// The peer has answered our PING.
    void pingAnswered(long data) {}

    final void spend(int units, String on) throws Http2Error {
        budget.spend(units, loop.nowNanos(), on);
    }

    // Errors.

    final void streamError(int id, StreamError error) throws Http2Error {
        LOG.log(Level.DEBUG, () -> "stream " + id + " of " + connection.remote() + ": " + error.getMessage());
        // RST_STREAM would be an error of ours (RFC 9113 section 6.4), and the stream may still be opened.
        if (isIdle(id)) throw new Http2Error(error.code, String.valueOf(error.getMessage()));
        var stream = streams.get(id);
        spend(WorkBudget.RESET, String.valueOf(error.getMessage()));
        writer.reset(id, error.code);
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

    /// Nothing more comes of what is under way.
    void cutAll(@Nullable IOException cause) {
        for (var stream : streams.all()) cut(stream, cause);
    }

    /// The others are told, whatever comes of one.
    private void cut(S stream, @Nullable IOException cause) {
        try {
            stream.cut();
            stream.isReset(cause);
        } catch (RuntimeException | Error e) {
            connection
                    .errors()
                    .log(LOG, Level.WARNING, "stream", () -> "the end of stream " + stream.id + " failed", e);
        }
    }

    // For streams.

    /// An output to move bytes through.
    final LoopOutput moving() {
        return loop.callRoom().output();
    }

    final int peersWindow() {
        return peersWindow;
    }

    /// Bytes of the connection's window are free again.
    final void consumed(long length) {
        frames.consumed(length);
    }

    /// How much of a body its reader may leave unread, and wait for more: a stream's window never need be larger.
    long unreadLimitBytes() {
        return LEAST_UNREAD_LIMIT;
    }

    /// Whether the window of a stream may grow by so much, because it is read quickly.
    boolean mayGrow(long more) {
        return true;
    }

    /// Whether no other body can go on: those whose readers wait for more fill the window of the connection.
    @SuppressWarnings("ReferenceEquality") // the stream itself
    final boolean isCrowdedBut(ReceivingStream one) {
        if (!frames.isWindowShut()) return false;
        for (var stream : streams.all()) if (stream != one && stream.maySoonRead()) return false;
        return true;
    }

    /// The window of a stream has grown by so much; less than 0 as the stream leaves.
    void grew(long more) {}

    final void queued(long length) {
        queue(length);
        waiting.begins();
    }

    final void dequeued(long length) {
        queue(-length);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the loop alone
    private void queue(long more) {
        queued += more;
    }

    /// Whether the peer's window for all streams is used up.
    final boolean isWindowShut() {
        return sendWindow.sendable(Long.MAX_VALUE) <= 0;
    }

    /// Whether what waits there needs a window that the peer has not opened.
    final boolean waitsForWindow(Http2Stream stream) {
        return stream.isStuck() || (stream.queuedBytes() > 0 && isWindowShut());
    }

    /// Bytes of bodies that have waited and were sent.
    final long sentBytes() {
        return sentBytes;
    }

    /// Any thread.
    final long queuedBytes() {
        return queued;
    }

    /// Whether the socket takes nothing more now.
    final boolean isFull() {
        boolean isFull = connection.isFull();
        if (isFull) wasFull = true;
        return isFull;
    }

    /// Whether a stream should stop, of which so many bytes wait. Where much waits on other streams, or the socket
    /// takes nothing, it gets by with little, and has its turn with the others.
    final boolean isFullFor(long unsentBytes) {
        return unsentBytes > LITTLE_BYTES && (queued > HIGH_BYTES || isFull());
    }

    /// Whether nothing more should begin: the socket takes nothing, or as much waits for windows as one response
    /// may.
    final boolean beginsNothing() {
        return isFull() || queued > connection.outputLimitBytes();
    }

    /// Something waits to be sent, or its window has grown.
    final void schedule(Http2Stream stream) {
        if (stream.isCut()) return;
        if (stream.sendable() > 0) order.add(stream);
        else if (stream.leavesSome()) useRestSoon();
    }

    private void useRestSoon() {
        if (isRestDue) return;
        isRestDue = true;
        var _ = loop.after(REST_LEFT, () -> call(this::useRest));
    }

    /// The peer's windows have not grown meanwhile, or by a few bytes.
    private void useRest() {
        isRestDue = false;
        if (isOver) return;
        sendWindow.useRest();
        for (var stream : streams.all()) {
            if (!stream.leavesSome()) continue;
            stream.sendWindow().useRest();
            schedule(stream);
        }
    }

    /// Ends a stream early, without the peer's fault.
    final void resets(Http2Stream stream, int code) {
        if (!stream.hasPeerEnded()) frames.mayBeUnderWay(stream.receiveWindow());
        writer.reset(stream.id, code);
        order.remove(stream);
        stream.cut();
    }

    final void unschedule(Http2Stream stream) {
        order.remove(stream);
    }

    /// Whether so many bytes may be sent at once.
    final boolean takesAtOnce(long length) {
        return sendWindow.takes(length) && order.isEmpty();
    }

    final void sentAtOnce(long length) {
        sendWindow.take(length);
    }

    final int peersFrame() {
        return peersFrame;
    }

    final void peersFrame(int bytes) {
        peersFrame = Math.min(Http2Codes.MOST_BYTES, bytes);
    }

    /// The peer has set the window that streams begin with, which changes those that are open, too.
    final void peersWindow(int bytes) throws Http2Error {
        long more = (long) bytes - peersWindow;
        peersWindow = bytes;
        for (var stream : streams.all()) {
            if (!stream.sendWindow().resize(more))
                throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, WINDOW_TOO_LARGE);
            order.remove(stream);
            schedule(stream);
        }
    }

    /// The peer takes more on all streams together.
    final void growWindow(int more) throws Http2Error {
        if (!sendWindow.grow(more)) throw new Http2Error(Http2Codes.FLOW_CONTROL_ERROR, WINDOW_TOO_LARGE);
    }

    // Blocks of fields.

    /// The fields of a stream follow in the array that this returns, and [#endBlock].
    final HpackBlock beginBlock(int id, boolean endsStream) {
        var text = writer.headers(id, endsStream);
        encoder.begin(text);
        return text;
    }

    final void endBlock() {
        writer.endHeaders(peersFrame);
    }

    final void writeTrailers(int id, Headers trailers) {
        var text = beginBlock(id, true);
        for (int i = 0; i < trailers.size(); i++) encoder.field(trailers, i, text);
        endBlock();
    }

    /// Sends what the windows and the output take.
    private void send() {
        while (!connection.isFull()) {
            var stream = order.first();
            if (stream == null) return;
            long wanted = stream.sendable();
            if (wanted <= 0) {
                leaveOrder(stream);
                continue;
            }
            long length = Math.min(sendWindow.sendable(wanted), peersFrame);
            if (length <= 0) {
                if (sendWindow.leavesSome(wanted)) useRestSoon();
                return;
            }
            sendWindow.take(length);
            dequeued(length);
            stream.send(length);
            budget.moved(length);
            if (stream.queuedBytes() == 0 || length >= WorkBudget.LEAST_FRAME) budget.sentOne();
            sentBytes += length;
            if (stream.sendable() > 0) order.turn(stream);
            else leaveOrder(stream);
            sent(stream);
        }
    }

    private void leaveOrder(Http2Stream stream) {
        order.remove(stream);
        if (stream.leavesSome()) useRestSoon();
    }

    /// Some of what waited was sent.
    abstract void sent(Http2Stream stream);
}
