package io.millrace.http.h2;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.http.exchange.ServerExchange.Demand;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.ErrorLog;
import io.millrace.loop.EventLoop;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A server's stream, with one exchange. What the exchange decides in a call is noted here, and sent when the stream
/// is back on the loop.
///
/// ```
///   loop     HEADERS ─► due ─ prepare ─►                        ─ finish ─► HEADERS, DATA, RST_STREAM, windows
///   call                        begin, body…, goOn, reset ─► notes
/// ```
final class ServerSideStream extends Http2Stream implements ServerStream {
    /// What may wait here before the exchange stops writing, and how little before it goes on.
    private static final long HIGH_BYTES = 64 << 10;

    private static final long LOW_BYTES = 32 << 10;

    /// The rest of a request's body that is dropped when the response is complete; of a longer one the stream is reset.
    private static final long MOST_DROPPED_BYTES = 64 << 10;

    private final ServerConnection connection;
    private final ServerExchange exchange;
    private final Http2Request request;
    private final boolean isHead;

    /// What follows its head is for a tunnel, not a body.
    private final boolean isConnect;

    private final boolean awaitsContinue;

    /// Why it is refused before it reaches a handler.
    private final @Nullable Refusal refusal;

    /// Announced, or [Body#UNKNOWN].
    private final long length;

    private Headers peersTrailers = Headers.EMPTY;

    // For the next call; the loop's.

    private boolean isWoken;
    private boolean isResetNext;

    // The call's.

    private boolean isBegun;
    private boolean goesOn;
    private boolean isResetNow;
    private @Nullable IOException cause;
    private boolean hasAllArrived;
    private boolean wasToldEnd;

    private @Nullable LoopInput input;
    private @Nullable LoopOutput output;
    private SlabSource source;

    // What a call has decided.

    private @Nullable List<Interim> interims;
    private @Nullable BuiltResponse head;
    private long headLength;
    private boolean hasBody;
    private @Nullable Bytes whole;
    private boolean isEndDue;
    private Headers trailers = Headers.EMPTY;
    private boolean isBodyLeft;
    private boolean isOver;
    private boolean isDropped;
    private boolean isLast;
    private @Nullable Upgraded upgraded;
    private long consumed;
    private @Nullable QueueWatches watches;

    /// The exchange was told that it is full. Written by the thread that has the stream, or on the loop.
    private volatile boolean wasToldFull;

    private volatile boolean isWakeSent;

    // The loop's.

    /// What its head counts for; negative once the stream has left the connection.
    long headBytes;

    /// Called at the end of the connection's call.
    boolean isNoted;

    /// Waits until the peer takes what waits for it.
    boolean isHeld;

    private boolean isLingering;
    private boolean isHeadWritten;
    private boolean isExchangeOver;
    private @Nullable StreamTunnel tunnel;

    private record Interim(int status, Headers fields) {}

    ServerSideStream(
            ServerConnection connection,
            int id,
            StreamCalls calls,
            Http2Request request,
            long length,
            boolean awaitsContinue,
            @Nullable Refusal refusal) {
        super(connection, id, calls);
        this.connection = connection;
        this.request = request;
        this.length = length;
        this.isHead = request.method().equals("HEAD");
        this.isConnect = request.method().equals("CONNECT");
        this.awaitsContinue = awaitsContinue;
        this.refusal = refusal;
        this.source = connection.loop.pool();
        this.exchange = new ServerExchange(this, connection.serving.exchanges());
        request.carriedBy(this);
    }

    // For the connection; on the loop.

    @Override
    void bodyArrived() throws StreamError {
        long arrived = arrivedBytes();
        if (length != Body.UNKNOWN && (arrived > length || (hasPeerEnded() && arrived < length)))
            throw StreamError.malformed("a body of " + arrived + " bytes, and " + length + " were announced");
        if (tunnel != null) {
            passToTunnel(tunnel);
        } else if (!isLingering) {
            connection.dueAtEnd(this);
        } else if (hasPeerEnded() || isWindowShut()) {
            if (!hasPeerEnded()) connection.resets(this, Frames.NO_ERROR);
            connection.returned(this);
        }
    }

    /// The peer's trailers have arrived, which are the end.
    void trailersArrived(Headers fields) throws StreamError {
        peersTrailers = fields;
        peerEnds();
        bodyArrived();
    }

    @Override
    void hasRoom() {
        if (!wasToldFull || isFullNow()) return;
        wasToldFull = false;
        isWoken = true;
        due();
    }

    @Override
    void isReset(@Nullable IOException why) {
        if (tunnel != null) tunnel.abort();
        if (tunnel != null || isResetNext) return;
        isResetNext = true;
        cause = why;
        due();
    }

    /// Whether nothing is left to do for it.
    boolean isDone() {
        boolean isSent = isCut() || (hasEnded() && hasPeerEnded());
        return isSent && isExchangeOver && isAtRest();
    }

    boolean isExchangeOver() {
        return isExchangeOver;
    }

    // Calls.

    @Override
    protected boolean prepare() {
        if (isExchangeOver || tunnel != null) return false;
        if (arrivingBytes() > 0) {
            if (input == null) input = new LoopInput(connection.loop.pool());
            takeArriving(input);
        }
        hasAllArrived = hasPeerEnded() && !isCut();
        isResetNow = isResetNext;
        goesOn = isWoken;
        isWoken = false;
        return true;
    }

    @Override
    protected void call(SlabSource from) {
        source = from;
        if (output != null) output.drawFrom(from);
        if (isResetNow) {
            if (isBegun) exchange.reset(cause);
            isOver = true;
            return;
        }
        boolean isHere = isBegun ? goOn() : beginExchange();
        if (isHere) offer();
    }

    private boolean goOn() {
        return !goesOn || exchange.goOn();
    }

    /// @return false when the handler has left the call
    private boolean beginExchange() {
        isBegun = true;
        exchange.begin(request);
        if (refusal != null) {
            exchange.refuse(refusal, "");
            return true;
        }
        boolean isEmpty = hasAllArrived && (input == null || input.size() == 0) && peersTrailers.size() == 0;
        boolean hasBodyToCome = !isConnect && !isEmpty;
        if (!hasBodyToCome) {
            exchange.handle();
            return true;
        }
        if (!exchange.announce(length, awaitsContinue && input == null)) return false;
        if (isOver || isDropped) return true;
        if (isWholeHere() && exchange.takesWhole()) {
            wasToldEnd = true;
            withInput(exchange::whole);
        } else {
            exchange.follow();
        }
        return true;
    }

    private boolean isWholeHere() {
        boolean isAll = hasAllArrived && length != Body.UNKNOWN && input != null && input.size() == length;
        return isAll && peersTrailers.size() == 0;
    }

    /// Offers what has arrived of the body, while it is wanted.
    private void offer() {
        try {
            while (!isOver && exchange.demand() == Demand.WANTED) {
                long before = input == null ? 0 : input.size();
                if (before == 0) break;
                withInput(exchange::body);
                if (input == null || input.size() == before) {
                    if (hasAllArrived) throw new IllegalStateException("the end of a request's body was left unread:"
                            + " read all of it, or skip it");
                    break;
                }
            }
            if (isOver || wasToldEnd || exchange.demand() != Demand.WANTED) return;
            if (hasAllArrived && (input == null || input.size() == 0)) {
                wasToldEnd = true;
                exchange.bodyEnded(peersTrailers);
            } else {
                exchange.bodyGoesOn();
            }
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    private interface Reading<E extends Exception> {
        void read(LoopInput in) throws E;
    }

    private <E extends Exception> void withInput(Reading<E> reading) throws E {
        var in = input;
        if (in == null) return;
        long before = in.size();
        in.lend(source);
        try {
            reading.read(in);
        } finally {
            consumed += before - in.size();
            in.endLoan(source);
        }
    }

    @Override
    protected void loopIsGone() {
        if (isBegun && !isOver) exchange.reset(cause);
    }

    // Back on the loop.

    @Override
    protected void finish() {
        connection.returned(this);
    }

    /// Sends what the call has decided.
    void apply() {
        source = connection.loop.pool();
        if (output != null) output.drawFrom(source);
        long read = consumed;
        consumed = 0;
        consumed(read);
        if (isOver || isDropped) isExchangeOver = true;
        if (isLast) connection.drain();
        if (isCut()) {
            releaseInput();
            if (output != null) output.release();
            if (watches != null) watches.cut();
            return;
        }
        writeHead();
        if (upgraded != null) becomesTunnel(upgraded);
        if (output != null && output.size() > 0) enqueue(output);
        if (isEndDue) {
            isEndDue = false;
            enqueueEnd(trailers);
        }
        if (isBodyLeft || isExchangeOver) {
            releaseInput();
            dropArriving();
        }
        if (isDropped) {
            connection.resets(this, Frames.INTERNAL_ERROR);
            return;
        }
        sendEnd();
        connection.schedule(this);
        if (watches != null) watches.passed(sentBytes(), queuedBytes());
        leavePeer();
        if (wasToldFull && !isFullNow()) onLoopLater(this::hasRoom);
    }

    /// The exchange is over, and the peer has not ended. It may: what it sends is dropped, up to the end of the
    /// window (RFC 9113 section 8.1).
    private void leavePeer() {
        if (!isExchangeOver || !hasEnded() || hasPeerEnded() || isLingering) return;
        if (isWindowShut() || length - arrivedBytes() > MOST_DROPPED_BYTES) {
            connection.resets(this, Frames.NO_ERROR);
            return;
        }
        isLingering = true;
        connection.lingers(1);
    }

    boolean isLingering() {
        return isLingering;
    }

    /// Some of what waited was sent.
    void wasSent() {
        if (tunnel != null && queuedBytes() <= LOW_BYTES) tunnel.hasRoom();
        if (watches != null) watches.passed(sentBytes(), queuedBytes());
        leavePeer();
        if (wasToldFull && !isFullNow()) onLoopLater(this::hasRoom);
    }

    // A tunnel.

    private void becomesTunnel(Upgraded to) {
        upgraded = null;
        connection.responses.tunnel(id);
        var opened = new StreamTunnel(this, connection, to);
        tunnel = opened;
        opened.open();
        passToTunnel(opened);
    }

    private void passToTunnel(StreamTunnel to) {
        if (arrivingBytes() > 0) {
            if (input == null) input = new LoopInput(connection.loop.pool());
            takeArriving(input);
        }
        if (input != null) to.pass(input);
        if (hasPeerEnded() && !isCut()) to.peerEnded();
    }

    /// The upstream has taken some of what arrived.
    void consumedByTunnel(long length) {
        boolean isOuter = connection.begin();
        consumed(length);
        connection.end(isOuter);
    }

    /// The upstream has ended its side.
    void ends() {
        enqueueEnd(Headers.EMPTY);
        sendEnd();
        connection.schedule(this);
    }

    /// The upstream's connection has closed.
    void tunnelEnded(long received, long sent, @Nullable IOException why) {
        tunnel = null;
        isExchangeOver = true;
        exchange.tunnelEnded(received, sent, why);
        if (!isCut() && why == null && !hasEnded()) ends();
        else if (!isCut() && why != null) connection.resets(this, Frames.CONNECT_ERROR);
        connection.returned(this);
    }

    private void writeHead() {
        if (interims != null) {
            for (var interim : interims) connection.responses.interim(id, interim.status(), interim.fields());
            interims = null;
        }
        var response = head;
        if (response == null || isHeadWritten) return;
        isHeadWritten = true;
        head = null;
        var bytes = whole;
        whole = null;
        boolean isAll = !hasBody || (bytes != null && bytes.length() == 0);
        connection.responses.whole(id, response, headLength, isAll);
        if (isAll) {
            endsWithHead();
            isEndDue = false;
        } else if (bytes != null) {
            if (!connection.writesAtOnce(this, bytes)) {
                out().write(bytes);
                isEndDue = true;
            }
        }
    }

    private void releaseInput() {
        var left = input;
        if (left == null) return;
        consumed(left.size());
        left.endLoan(connection.loop.pool());
        left.release();
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
    public void upgrade(Upgraded to) {
        upgraded = to;
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
    public void reset(boolean takesNothing) {
        isDropped = true;
    }

    @Override
    public void leaveBody() {
        isBodyLeft = true;
    }

    // Room.

    @Override
    public boolean isOpen() {
        return !isCut() && connection.connection.takesFrames();
    }

    @Override
    public long unsentBytes() {
        return queuedBytes() + (output == null ? 0 : output.size());
    }

    @Override
    public long unsentLimitBytes() {
        return connection.connection.outputLimitBytes();
    }

    @Override
    public boolean isFull() {
        if (!isFullNow()) return false;
        wasToldFull = true;
        // Another thread may be told too late to notice that there is room.
        if (!isInCall()) onLoopLater(this::hasRoom);
        return true;
    }

    private boolean isFullNow() {
        return unsentBytes() > (wasToldFull ? LOW_BYTES : HIGH_BYTES) || connection.isFull();
    }

    @Override
    public void whenSent(Runnable task) {
        if (watches == null) watches = new QueueWatches(connection.connection);
        watches.add(task);
    }

    @Override
    public void wake() {
        if (isWakeSent) return;
        isWakeSent = true;
        onLoopLater(this::woken);
    }

    private void woken() {
        isWakeSent = false;
        isWoken = true;
        due();
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
    public boolean mayLeaveCall() {
        return connection.serving.mayLeaveCall();
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
