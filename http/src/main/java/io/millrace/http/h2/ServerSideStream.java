package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.http.exchange.ServerExchange.Demand;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.Takeover;
import io.millrace.loop.Departures;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A server's stream, with one exchange. What the exchange decides in a call is noted here, and sent when the
/// stream is back on the loop.
///
/// ```
///   loop     HEADERS ─► due ─ prepare ─►                        ─ finish ─► HEADERS, DATA, RST_STREAM, windows
///   call                        begin, body…, goOn, reset ─► notes
/// ```
final class ServerSideStream extends Http2Stream {
    /// The rest of a request's body that is dropped when the response is complete; of a longer one the stream is
    /// reset.
    private static final long MOST_DROPPED_BYTES = 64 << 10;

    private final ServerConnection connection;
    private final StreamNotes notes;
    private final ServerExchange exchange;
    private final Http2Request request;

    /// A change of protocol is asked for (RFC 8441).
    private final boolean isChange;

    /// What follows its head is for a tunnel, not a body.
    private final boolean isTunnel;

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

    private SlabSource source;
    private long consumed;

    /// The reader has taken nothing of what is there, and waits for more.
    private boolean isWaiting;

    // The loop's.

    /// What its head counts for; negative once the stream has left the connection.
    long headBytes;

    /// Called at the end of the connection's call.
    boolean isNoted;

    /// Waits until the peer takes what waits for it.
    boolean isHeld;

    private boolean isLingering;
    private boolean isExchangeOver;
    private @Nullable StreamEnd tunnel;

    ServerSideStream(
            ServerConnection connection,
            int id,
            StreamCalls calls,
            Http2Request request,
            boolean isChange,
            long length,
            boolean awaitsContinue,
            @Nullable Refusal refusal) {
        super(connection, id, calls);
        this.connection = connection;
        this.request = request;
        this.length = length;
        this.isChange = isChange;
        this.isTunnel = isChange || request.method().equals("CONNECT");
        this.awaitsContinue = awaitsContinue;
        this.refusal = refusal;
        this.source = connection.loop.pool();
        this.notes = new StreamNotes(this, connection, request.method().equals("HEAD"));
        this.exchange = new ServerExchange(notes, connection.serving.exchanges());
        request.carriedBy(notes);
    }

    // For the connection; on the loop.

    @Override
    void bodyArrived() throws StreamError {
        checkLength(length);
        if (tunnel != null) {
            tunnel.arrived();
        } else if (!isLingering) {
            connection.dueAtEnd(this);
        } else if (hasPeerEnded() || isWindowShut()) {
            if (!hasPeerEnded()) connection.resets(this, Http2Codes.NO_ERROR);
            connection.returned(this);
        }
    }

    /// A tunnel whose peer has ended, and wants nothing more: what has arrived is read, as behind the end of a
    /// connection.
    @Override
    boolean outlastsReset(int code) {
        if (tunnel == null || !hasPeerEnded() || code != Http2Codes.NO_ERROR) return false;
        stopSending();
        tunnel.outlastsReset();
        return true;
    }

    /// The peer's trailers have arrived, which are the end.
    void trailersArrived(Headers fields) throws StreamError {
        peersTrailers = fields;
        peerEnds();
        bodyArrived();
    }

    @Override
    void hasRoom() {
        if (tunnel != null) tunnel.hasRoom();
        if (!notes.noticesRoom()) return;
        isWoken = true;
        due();
    }

    @Override
    void isReset(@Nullable IOException why) {
        if (tunnel != null) {
            tunnel.closed(why);
            return;
        }
        // Nobody needs to be told when only what was written is lost.
        if (isExchangeOver) connection.returned(this);
        if (isExchangeOver || isResetNext) return;
        isResetNext = true;
        cause = why;
        due();
    }

    @Override
    void woken() {
        isWoken = true;
        due();
    }

    @Override
    boolean isAnswered() {
        return hasEnded();
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
        takeArriving();
        if (!connection.serving.isOnLoop()) lendInput();
        hasAllArrived = hasPeerEnded() && !isCut();
        isResetNow = isResetNext;
        goesOn = isWoken;
        isWoken = false;
        return true;
    }

    @Override
    protected void call(SlabSource from) {
        source = from;
        notes.drawFrom(from);
        if (isResetNow) {
            if (isBegun) exchange.reset(cause);
            notes.over();
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
        boolean hasBodyToCome = !isTunnel && !isEmpty;
        if (!hasBodyToCome) {
            exchange.handle();
            return true;
        }
        if (!exchange.announce(length, awaitsContinue && input == null)) return false;
        if (notes.isOver()) return true;
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
            while (!notes.isOver() && exchange.demand() == Demand.WANTED) {
                long before = input == null ? 0 : input.size();
                if (before == 0) break;
                withInput(exchange::body);
                if (input == null || input.size() == before) {
                    if (hasAllArrived)
                        throw new IllegalStateException(
                                "the end of a request's body was left unread: read all of it, or skip it");
                    checkUnread(before);
                    isWaiting = true;
                    break;
                }
            }
            if (notes.isOver() || wasToldEnd || exchange.demand() != Demand.WANTED) return;
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
    protected void failed(Throwable thrown) {
        if (notes.isOver()) return;
        if (!isResetNow) {
            exchange.threw(thrown);
            return;
        }
        notes.over();
        // What follows the callback that threw.
        exchange.reset(cause);
    }

    @Override
    protected void loopIsGone() {
        if (isBegun && !notes.isOver()) exchange.reset(cause);
    }

    // Back on the loop.

    @Override
    protected void finish() {
        connection.returned(this);
    }

    /// Sends what the call has decided, and leaves if that was all.
    void isBack() {
        if (headBytes < 0) return;
        apply();
        if (isDone()) connection.remove(this);
    }

    private void apply() {
        source = connection.loop.pool();
        notes.drawFrom(source);
        inputReturns();
        long read = consumed;
        consumed = 0;
        consumed(read);
        if (isWaiting) waits();
        isWaiting = false;
        if (notes.isOver()) exchangeIsOver();
        if (notes.isLast()) connection.drain();
        if (isCut()) {
            releaseInput();
            notes.release();
            return;
        }
        notes.send();
        // A tunnel may have closed as it opened.
        if (headBytes < 0) return;
        if (notes.isBodyLeft() || isExchangeOver) {
            releaseInput();
            dropArriving();
        }
        if (notes.isDropped()) {
            connection.resets(this, notes.resetCode());
            notes.release();
            return;
        }
        sendEnd();
        connection.schedule(this);
        sentSome();
        connection.endIfNobodyReads(this);
    }

    private void exchangeIsOver() {
        isExchangeOver = true;
        exchange.close();
    }

    /// Whether its response goes on for ever, unless somebody ends it. While a call has it, that is not known yet.
    boolean isEndless() {
        return !isCut() && isAtRest() && exchange.isEndless();
    }

    /// Some of what waited may have been sent.
    void sentSome() {
        if (tunnel != null) tunnel.sentSome();
        // A call may add to them; it is followed by this.
        if (isAtRest()) notes.passed();
        leavePeer();
        if (notes.isRoomNews()) later(this::hasRoom);
    }

    /// The exchange is over, and the peer has not ended. It may: what it sends is dropped, up to the end of the
    /// window (RFC 9113 section 8.1).
    private void leavePeer() {
        // A tunnel that has closed just now may have been reset, and have left.
        if (!isExchangeOver || !hasEnded() || hasPeerEnded() || isCut() || isLingering) return;
        if (isWindowShut() || length - arrivedBytes() > MOST_DROPPED_BYTES) {
            connection.resets(this, Http2Codes.NO_ERROR);
            return;
        }
        isLingering = true;
        connection.lingers(1);
    }

    boolean isLingering() {
        return isLingering;
    }

    // A tunnel.

    boolean isTunnel() {
        return isTunnel;
    }

    void becomesTunnel(Takeover to) {
        connection.responses.tunnel(id, ExtendedConnect.response(to.headers()));
        var opened = new StreamEnd(this, isChange ? Http2Codes.CANCEL : Http2Codes.CONNECT_ERROR);
        tunnel = opened;
        try {
            to.begin(new Takeover.Peer(opened, connection.calls, exchange.tunnelBegins()));
        } catch (RuntimeException | Error e) {
            // Nothing else knows of it any more.
            to.abort();
            throw e;
        }
    }

    /// A drain has begun.
    void departs(Departures all) {
        if (tunnel != null) tunnel.departs(all);
    }

    @Override
    void tunnelClosed() {
        isExchangeOver = true;
        connection.returned(this);
    }
}
