package io.millrace.http.h2;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.PipedBytes;
import io.millrace.loop.Departing;
import io.millrace.loop.Departures;
import io.millrace.loop.Expendable;
import io.millrace.loop.StreamCalls;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A server's connection: each stream is a request and its response.
///
/// ```
///   preface ─► OPEN ─ drain ─► GOAWAY, and what has begun is served ─ the last stream is over ─► closed
/// ```
final class ServerConnection extends Http2Connection<ServerSideStream> implements Expendable, Departing {
    /// Streams that may be open at a time: a slot is free when the peer has closed its stream and the handler has
    /// ended.
    static final int MOST_STREAMS = 100;

    private static final int WINDOW_BYTES = 1 << 20;

    /// What all requests that are open may count for, with their heads.
    private static final long MOST_HEADS_BYTES = 512 << 10;

    /// What a request counts for besides its head: the objects of its stream and its exchange.
    private static final long REQUEST_BYTES = 1536;

    /// How long the peer's answer to a PING may take, before the last stream is the last that has arrived.
    private static final Duration LONGEST_WAY = Duration.ofSeconds(1);

    private static final long DRAIN_PING = 0x6d696c6c72616365L;

    /// A shorter body is written into the same array as its head.
    private static final int TEXT_BYTES = 1024;

    final Http2Serving serving;
    final StreamCalls calls;
    private final Runnable closed;
    final ResponseBlocks responses = new ResponseBlocks(this);
    final PipedBytes piped = new PipedBytes(this::queuedBytes);
    private final RequestHeads heads;
    private final Http2Timeouts timeouts;
    private boolean hasPreface;

    /// Made when a body first waits for a window.
    private @Nullable WindowWatch windows;

    /// GOAWAY was sent without a last stream: what the peer has sent by then is still served.
    private boolean isDraining;

    /// GOAWAY was sent with the last stream.
    private boolean isGone;

    /// The highest number of a stream that came behind it, which was dropped.
    private int droppedId;

    private boolean hasPeerEnded;

    /// It sends nothing more.
    private boolean isSilent;

    /// The server is stopping.
    private boolean isStopping;

    /// Made when a client first says how urgent a stream is that it has not opened.
    private @Nullable EarlyPriorities early;

    private long headsBytes;
    private int lingering;

    /// Have arrived while nothing more should begin. Made on first use.
    private @Nullable ArrayDeque<ServerSideStream> held;

    /// More of their bodies has arrived in this call. Made on first use.
    private @Nullable List<ServerSideStream> due;

    ServerConnection(Http2Serving serving, TcpConnection connection, StreamCalls calls, Runnable closed) {
        super(connection, serving.scratch(), serving.mostBlockBytes(), WINDOW_BYTES);
        this.serving = serving;
        this.calls = calls;
        this.closed = closed;
        this.heads = new RequestHeads(serving.limits());
        this.timeouts = new Http2Timeouts(this);
        timeouts.head();
        call(() -> open(
                Http2Codes.MOST_STREAMS,
                MOST_STREAMS,
                Http2Codes.HEADER_LIST_SIZE,
                FieldCollector.mostBytes(serving.limits()),
                Http2Codes.ENABLE_CONNECT,
                1,
                Http2Codes.NO_OLD_PRIORITIES,
                1));
    }

    @Override
    void read(LoopInput in) throws Http2Error {
        if (!hasPreface && !readPreface(in)) return;
        super.read(in);
        callDue();
    }

    private boolean readPreface(LoopInput in) throws Http2Error {
        int length = Http2Codes.PREFACE.length();
        long there = Math.min(length, in.remaining());
        for (int i = 0; i < there; i++)
            if (in.peekByte(i) != Http2Codes.PREFACE.charAt(i)) throw Http2Error.protocol("no preface of HTTP/2");
        if (there < length) return false;
        in.skip(length);
        hasPreface = true;
        return true;
    }

    private void callDue() {
        var all = due;
        if (all == null) return;
        for (int i = 0; i < all.size(); i++) {
            var stream = all.get(i);
            stream.isNoted = false;
            stream.due();
        }
        all.clear();
    }

    /// Its exchange is called at the end of this call: what arrives together is passed on together.
    void dueAtEnd(ServerSideStream stream) {
        if (stream.isNoted || stream.isHeld) return;
        stream.isNoted = true;
        if (due == null) due = new ArrayList<>();
        due.add(stream);
    }

    // Requests.

    @Override
    boolean isIdle(int id) {
        return (id & 1) == 0 || id > lastOpenedId();
    }

    /// By the peer, whether it is served or not.
    private int lastOpenedId() {
        return Math.max(lastPeerId, droppedId);
    }

    /// RFC 9113 section 6.1.
    @Override
    void closedDataReceived(int id) {
        writer.reset(id, Http2Codes.STREAM_CLOSED);
    }

    @Override
    void headers(int id, boolean endsStream, boolean dependsOnItself) throws Http2Error, StreamError {
        if ((id & 1) == 0) throw Http2Error.protocol("a client's stream with an even number");
        var known = openStream(id);
        if (known != null) {
            trailers(known, endsStream);
            return;
        }
        if (id <= lastPeerId) {
            // Trailers may have been on their way when it was reset; a request never is.
            if (scratch.fields.hasPseudo())
                throw new Http2Error(Http2Codes.STREAM_CLOSED, "HEADERS for a stream that is closed");
            spend(WorkBudget.FRAME, "trailers for a stream that is closed");
            return;
        }
        if (isGone) {
            dropped(id, endsStream);
            return;
        }
        lastPeerId = id;
        if (dependsOnItself) throw StreamError.malformed("a stream that depends on itself");
        if (streams.count() >= MOST_STREAMS) resetLingering();
        if (streams.count() >= MOST_STREAMS) {
            bodyMayFollow(endsStream);
            HttpGuards.HTTP2_STREAMS.acted(connection.remote(), "more than " + MOST_STREAMS + " streams at a time");
            throw new StreamError(Http2Codes.REFUSED_STREAM, "too many streams");
        }
        if (isHeadTooMuch()) resetLingering();
        if (isHeadTooMuch()) {
            bodyMayFollow(endsStream);
            HttpGuards.HTTP2_HEADS.acted(connection.remote(), "heads of more than " + MOST_HEADS_BYTES + " bytes");
            throw new StreamError(Http2Codes.REFUSED_STREAM, "heads of open requests that are too long");
        }
        open(id, endsStream);
    }

    private boolean isHeadTooMuch() {
        return headsBytes + REQUEST_BYTES + scratch.fields.heldBytes() > MOST_HEADS_BYTES;
    }

    /// The peer did not know of our goodbye: the rest of what it has sent on this stream may follow (RFC 9113 section
    /// 6.8).
    private void dropped(int id, boolean endsStream) throws Http2Error {
        spend(WorkBudget.FRAME, "requests behind our goodbye");
        droppedId = Math.max(droppedId, id);
        bodyMayFollow(endsStream);
    }

    /// The peer has sent it before it learns that its request is not served (RFC 9113 section 5.4.2).
    private void bodyMayFollow(boolean endsStream) {
        if (!endsStream) frames.mayBeUnderWay(Http2Codes.USUAL_WINDOW);
    }

    private void trailers(ServerSideStream stream, boolean endsStream) throws StreamError {
        if (stream.hasPeerEnded()) throw new StreamError(Http2Codes.STREAM_CLOSED, "HEADERS after the end of a stream");
        var fields = scratch.fields;
        if (stream.isTunnel()) throw StreamError.malformed("HEADERS in a tunnel");
        if (!endsStream) throw StreamError.malformed("HEADERS in the middle of a stream");
        if (fields.hasPseudo()) throw StreamError.malformed("a pseudo-field in trailers");
        if (fields.fault() != null) throw StreamError.malformed(String.valueOf(fields.fault()));
        var refusal = fields.refusal();
        if (refusal != null) throw tooLarge(refusal);
        stream.trailersArrived(fields.takeTrailers());
    }

    /// The request has perhaps been answered: nothing else can be said.
    private StreamError tooLarge(Refusal trailers) {
        var why = "trailers: " + trailers.getMessage();
        var guard = trailers.guard();
        if (guard != null) guard.acted(connection.remote(), why);
        return new StreamError(Http2Codes.ENHANCE_YOUR_CALM, why);
    }

    private void open(int id, boolean endsStream) throws StreamError {
        var fields = scratch.fields;
        var fault = fields.fault();
        if (fault == null) fault = RequestHeads.fault(fields);
        if (fault != null && fields.refusal() == null) throw StreamError.malformed(fault);
        var refusal = fields.refusal();
        Target target = Target.server("");
        long length = endsStream ? 0 : Body.UNKNOWN;
        boolean awaitsContinue = false;
        try {
            if (refusal == null) {
                length = RequestHeads.length(fields, endsStream);
                target = heads.target(fields);
                awaitsContinue = RequestHeads.awaitsContinue(fields) && !endsStream;
            }
        } catch (Refusal e) {
            refusal = e;
        }
        boolean isChange = fields.protocol != null;
        var request = new Http2Request(
                this,
                RequestHeads.method(fields),
                target,
                refusal == null ? received(fields) : fields.takeContentType(),
                isChange || fields.path == null ? 0 : length);
        var stream = new ServerSideStream(this, id, calls, request, isChange, length, awaitsContinue, refusal);
        stream.headBytes = REQUEST_BYTES + fields.heldBytes();
        headsBytes += stream.headBytes;
        if (endsStream) stream.peerEnds();
        prioritize(stream, fields.priority);
        streams.put(stream);
        if (connection.isLast()) drain();
        if (beginsNothing()) hold(stream);
        else if (endsStream) stream.due();
        else dueAtEnd(stream);
    }

    /// A frame ahead of the stream counts more than the field of its head.
    private void prioritize(ServerSideStream stream, @Nullable HpackField named) {
        var said = early == null ? null : early.take(stream.id);
        if (said == null && named != null) said = Priority.of(named.value);
        if (said != null) stream.prioritize(said);
    }

    @Override
    void prioritized(int id, Priority priority) throws Http2Error {
        var stream = openStream(id);
        if (stream != null) {
            unschedule(stream);
            stream.prioritize(priority);
            schedule(stream);
        } else if (isIdle(id)) {
            if (early == null) early = new EarlyPriorities();
            early.put(id, priority, lastOpenedId());
        }
    }

    private static ReceivedFields received(FieldCollector fields) {
        var taken = fields.take();
        return fields.protocol == null ? taken : ExtendedConnect.request(taken);
    }

    // Streams that wait for the peer.

    private void hold(ServerSideStream stream) {
        if (held == null) held = new ArrayDeque<>();
        stream.isHeld = true;
        held.add(stream);
    }

    @Override
    boolean beginMore() {
        boolean hasBegun = false;
        while (held != null && !held.isEmpty() && !beginsNothing()) {
            var stream = held.poll();
            stream.isHeld = false;
            stream.due();
            hasBegun = true;
        }
        return hasBegun;
    }

    // For streams.

    /// A stream is back from its call.
    void returned(ServerSideStream stream) {
        call(stream, ServerSideStream::isBack);
    }

    void remove(ServerSideStream stream) {
        if (stream.headBytes < 0) return;
        unschedule(stream);
        if (stream.isHeld && held != null) held.remove(stream);
        streams.remove(stream.id);
        headsBytes -= stream.headBytes;
        stream.headBytes = -1;
        stream.leaves();
        if (stream.isLingering()) lingering--;
        if (!stream.isCut()) budget.complete();
    }

    /// The rest of their bodies is not wanted, and the peer has not ended them.
    private void resetLingering() {
        if (lingering == 0) return;
        for (var stream : streams.all()) if (stream.isLingering()) resets(stream, Http2Codes.NO_ERROR);
        for (var stream : streams.all()) if (stream.isDone()) remove(stream);
    }

    /// How many are complete but for the rest of the peer's body.
    void lingers(int change) {
        lingering += change;
    }

    /// Whether no request is being served.
    boolean isIdle() {
        return streams.count() == lingering;
    }

    @Override
    void sent(Http2Stream stream) {
        if (!(stream instanceof ServerSideStream mine)) return;
        mine.sentSome();
        if (mine.isDone()) remove(mine);
    }

    /// Writes a whole body behind its head, if nothing keeps it from being sent now.
    boolean writesAtOnce(ServerSideStream stream, Bytes body) {
        int length = body.length();
        if (length > peersFrame() || !stream.takesAtOnce(length) || !takesAtOnce(length)) return false;
        var text = writer.data(stream.id, length, true);
        if (length <= TEXT_BYTES) {
            text.put(body);
        } else {
            writer.flush();
            ((LoopOutput) connection.output()).write(body);
        }
        stream.sentAtOnce(length);
        sentAtOnce(length);
        stream.endsWithHead();
        budget.moved(length);
        return true;
    }

    /// Streams on which the peer may and should send more of a body: none while bodies that nobody reads fill the
    /// connection's window.
    int incompleteBodies() {
        if (frames.isWindowShut()) return 0;
        int count = 0;
        for (var stream : streams.all())
            if (!stream.hasPeerEnded() && !stream.isTunnel() && !stream.isWindowShut()) count++;
        return count;
    }

    @Override
    long unreadLimitBytes() {
        return Math.clamp(connection.inputLimitBytes(), LEAST_UNREAD_LIMIT, MOST_STREAM_WINDOW);
    }

    Overflow overflow(long unsentBytes, long limitBytes) {
        var why = unsentBytes + " bytes are unsent on a stream, the limit is " + limitBytes
                + " (http.stream.unsent): stop while it is full, or raise Listen.outputLimit";
        HttpGuards.HTTP2_UNSENT.acted(connection.remote(), why);
        return new Overflow(why);
    }

    // The end.

    /// Serves what has begun, and no more. In two steps: what the peer has sent before it knows is served, too
    /// (RFC 9113 section 6.8).
    void drain() {
        if (isDraining || isOver()) return;
        isDraining = true;
        writer.goAway(Http2Codes.MOST_ID, Http2Codes.NO_ERROR);
        writer.ping(DRAIN_PING, false);
        var _ = loop.after(LONGEST_WAY, this::goesAway);
    }

    @Override
    void pingAnswered(long data) {
        if (data == DRAIN_PING) goesAway();
    }

    private void goesAway() {
        if (!isDraining || isGone || isOver()) return;
        isGone = true;
        call(() -> writer.goAway(lastPeerId, Http2Codes.NO_ERROR));
    }

    /// Resets it, so that its response is not complete.
    void giveUp(ServerSideStream stream, String why) {
        call(() -> {
            resets(stream, Http2Codes.CANCEL);
            stream.isReset(Resets.ofOurs(why));
        });
    }

    @Override
    void peerGoesAway(int lastId, int code) {
        hasPeerEnded = true;
    }

    /// Its tunnels do.
    @Override
    public void departs(Departures all) {
        for (var stream : streams.all()) stream.departs(all);
    }

    @Override
    public void onDrain(Connection draining) {
        isStopping = true;
        call(() -> {
            drain();
            for (var stream : streams.all()) endIfNobodyReads(stream);
        });
    }

    /// Event streams go on for ever, but not when the peer has ended or the server is stopping.
    void endIfNobodyReads(ServerSideStream stream) {
        if ((isStopping || isSilent) && stream.isEndless()) giveUp(stream, "streams of events end with the connection");
    }

    @Override
    public void onEnd(Connection ended) {
        hasPeerEnded = true;
        isSilent = true;
        call(this::cutOff);
    }

    private void cutOff() {
        for (var stream : streams.all()) {
            endIfNobodyReads(stream);
            if (stream.hasPeerEnded()) continue;
            stream.cut();
            stream.isReset(Resets.ofOurs("the peer has ended the connection"));
        }
    }

    /// A peer that says nothing more does not open a window either.
    private void giveUpStuck() {
        for (var stream : streams.all()) {
            if (stream.isCut() || !waitsForWindow(stream)) continue;
            giveUp(stream, "the peer has ended the connection, and takes no more of the response");
        }
    }

    @Override
    void callEnds() {
        if (isOver()) return;
        if (isSilent) giveUpStuck();
        boolean isDone = isIdle() && (isGone || hasPeerEnded);
        if (isDone) closeWith(Http2Codes.NO_ERROR);
        else timeouts.update();
        watchWindows();
    }

    private void watchWindows() {
        if (queuedBytes() > 0) {
            if (windows == null) windows = new WindowWatch(this, serving.writeNanos());
            windows.watch();
        } else if (windows != null) {
            windows.rest();
        }
    }

    @Override
    public boolean isExpendable() {
        return streams.count() == 0;
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        timeouts.end();
        if (windows != null) windows.end();
        held = null;
        super.onClose(cause);
        closed.run();
    }
}
