package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientExchange;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.Deadline;
import io.millrace.loop.EventLoop;
import io.millrace.loop.StreamCalls;
import io.millrace.memory.SlabSource;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A client's stream, with one exchange. What arrives is noted, and told to the exchange in calls that never overlap.
///
/// ```
///   HEADERS, DATA ─► notes ─ due ─► interim*, head, body*, ended
///   RST_STREAM, GOAWAY, the connection's end ─ due ─► closed, or refused
///   send; or head, data*, end ─► HEADERS, queue ─► DATA
/// ```
final class ClientSideStream extends Http2Stream {
    /// For the rest of a request whose response is complete, if no timeout is set.
    private static final long REST_NANOS = 60_000_000_000L;

    private final ClientSideConnection connection;
    private final Deadline deadline;
    private final RequestStream request;
    private final ClientExchange exchange;
    private final boolean isHead;

    /// A change of protocol is asked for (RFC 8441).
    private final boolean isChange;

    /// Whether the server may have closed the connection before it read the request.
    private final boolean isOnUsed;

    // What has arrived.

    private final ArrayDeque<Arrived> arrived = new ArrayDeque<>(1);
    private @Nullable Refusal refusal;
    private Headers peersTrailers = Headers.EMPTY;
    private boolean hasHead;
    private boolean mayHaveBody;
    private boolean opensTunnel;
    private boolean hasHeard;
    private final long beganNanos;
    private long movedNanos;

    /// Announced, or [Body#UNKNOWN].
    private long length = Body.UNKNOWN;

    // What the exchange was told, and has said.

    private boolean isHeadTold;
    private boolean isPaused;
    private boolean isOpen;
    private boolean isExchangeOver;
    private boolean hasLeft;
    private boolean isWoken;

    private @Nullable StreamEnd tunnel;

    // Its early end.

    private boolean isEnding;
    private boolean isRefused;
    private boolean fallsBack;
    private boolean isUnread;
    private @Nullable IOException cause;

    private record Arrived(int status, Headers fields) {}

    ClientSideStream(ClientSideConnection connection, int id, OutgoingRequest asked, boolean isOnUsed) {
        super(connection, id, StreamCalls.onLoop());
        this.connection = connection;
        this.isHead = asked.isHead();
        this.isChange = !asked.head().upgrade().isEmpty();
        this.isOnUsed = isOnUsed;
        this.deadline = new Expiry(connection.loop);
        this.request = new RequestStream(this, connection);
        this.exchange = new ClientExchange(request, connection.timeouts(), deadline);
        this.beganNanos = connection.loop.nowNanos();
        this.movedNanos = beganNanos;
    }

    private final class Expiry extends Deadline {
        Expiry(EventLoop loop) {
            super(loop);
        }

        @Override
        protected void expired() {
            if (isExchangeOver) restIsLate();
            else exchange.expired();
        }
    }

    // For the connection.

    void begin(Caller caller) {
        exchange.begin(caller);
    }

    /// Fails with this cause, and is not repeated.
    void drop(IOException why) {
        exchange.drop(why);
    }

    void fieldsArrived(FieldCollector fields, boolean endsStream) throws StreamError {
        if (isCut()) return;
        hasHeard = true;
        movedNanos = connection.loop.nowNanos();
        if (hasPeerEnded()) throw new StreamError(Http2Codes.STREAM_CLOSED, "HEADERS after the end of a stream");
        refusal = fields.refusal();
        if (refusal == null) {
            var fault = fields.fault();
            if (fault != null) throw StreamError.malformed(fault);
            if (opensTunnel) throw StreamError.malformed("HEADERS in a tunnel");
            if (hasHead) trailers(fields, endsStream);
            else head(fields, endsStream);
        }
        due();
    }

    private void trailers(FieldCollector fields, boolean endsStream) throws StreamError {
        if (!endsStream) throw StreamError.malformed("HEADERS in the middle of a stream");
        if (fields.hasPseudo()) throw StreamError.malformed("a pseudo-field in trailers");
        peersTrailers = fields.takeTrailers();
        peerEnds();
        checkLength();
    }

    private void head(FieldCollector fields, boolean endsStream) throws StreamError {
        int status = fields.onlyStatus();
        if (status < 200) {
            if (status == 101) throw StreamError.malformed("101, which is not part of HTTP/2");
            if (endsStream) throw StreamError.malformed("an interim response as the end of a stream");
        } else {
            hasHead = true;
            opensTunnel = isChange && status < 300;
            mayHaveBody = opensTunnel || (!isHead && status != 204 && status != 304);
            // Without a body, too: whoever passes the head on reads it.
            long announced = opensTunnel ? Body.UNKNOWN : fields.announcedLength();
            if (mayHaveBody) length = announced;
            if (isChange && !opensTunnel) endsRequest();
            if (endsStream) peerEnds();
            checkLength();
        }
        arrived.add(new Arrived(status, fields.take()));
    }

    /// Nothing follows a request for a tunnel that is refused.
    private void endsRequest() {
        enqueueEnd(Headers.EMPTY);
        sendEnd();
    }

    @Override
    void bodyArrived() throws StreamError {
        hasHeard = true;
        movedNanos = connection.loop.nowNanos();
        if (!hasHead) throw StreamError.malformed("DATA without a response");
        checkLength();
        if (tunnel != null) tunnel.arrived();
        else due();
    }

    private void checkLength() throws StreamError {
        if (!mayHaveBody && arrivedBytes() > 0) throw StreamError.malformed("a body of a response that has none");
        checkLength(length);
    }

    /// A response that is complete counts, though the server does not want the rest of the request (RFC 9113
    /// section 8.1).
    @Override
    boolean outlastsReset(int code) {
        if (!hasPeerEnded() || isExchangeOver || (opensTunnel && code != Http2Codes.NO_ERROR)) return false;
        stopSending();
        exchange.stopSending();
        request.cut();
        if (tunnel != null) tunnel.outlastsReset();
        return true;
    }

    @Override
    void isResetByPeer(int code) {
        if (code == Http2Codes.HTTP_1_1_REQUIRED && !hasHead) {
            requiresHttp1();
            return;
        }
        isRefused = code == Http2Codes.REFUSED_STREAM && !hasHead;
        isReset(Resets.of(code));
    }

    private void requiresHttp1() {
        if (isEnding || isExchangeOver) return;
        var why = connection.remote() + " requires HTTP/1.1 for " + exchange.request() + " ("
                + Resets.name(Http2Codes.HTTP_1_1_REQUIRED) + ")";
        fallsBack = connection.fallsBack(isChange);
        isReset(
                fallsBack
                        ? new Reset(why + ": sent again, it goes there in HTTP/1.1", Http2Codes.HTTP_1_1_REQUIRED)
                        : new ProtocolError(why + ", but nothing else than HTTP/2 may be spoken there"));
    }

    @Override
    void isReset(@Nullable IOException why) {
        if (isEnding) return;
        isEnding = true;
        cause = why;
        if (tunnel != null) tunnel.closed(why);
        else due();
    }

    /// The server has not processed it, and will not.
    ///
    /// @param code why not, as its GOAWAY says
    void refused(int code, IOException why) {
        connection.unschedule(this);
        cut();
        if (code == Http2Codes.HTTP_1_1_REQUIRED) requiresHttp1();
        isRefused = !isEnding;
        isReset(why);
    }

    /// The connection ends: if nothing of a response has arrived, the server may not have read the request.
    void mayBeUnread() {
        isUnread = isOnUsed && !hasHeard;
    }

    void endsUnheard(IOException why) {
        mayBeUnread();
        cut();
        isReset(why);
    }

    boolean hasHeard() {
        return hasHeard;
    }

    boolean isExchangeOver() {
        return isExchangeOver;
    }

    void leaveIfDone() {
        if (isDone()) connection.remove(this);
    }

    @Override
    boolean isAnswered() {
        return hasPeerEnded();
    }

    /// Whether nothing is left to do for it.
    boolean isDone() {
        return isExchangeOver && (isCut() || (hasEnded() && hasPeerEnded()));
    }

    /// It leaves the connection.
    ///
    /// @return whether it had not left before
    boolean leavesOnce() {
        boolean isFirst = !hasLeft;
        hasLeft = true;
        deadline.stop();
        return isFirst;
    }

    /// Some of what waited was sent.
    void wasSent() {
        movedNanos = connection.loop.nowNanos();
        request.wasSent();
        if (tunnel != null) tunnel.sentSome();
        if (isExchangeOver && waitsForWindow()) connection.cancel(this);
    }

    /// Whether what waits needs a window that the server has not opened.
    boolean waitsForWindow() {
        return connection.waitsForWindow(this);
    }

    @Override
    void hasRoom() {
        if (tunnel != null) tunnel.hasRoom();
        else request.hasRoom();
    }

    // Calls.

    @Override
    protected boolean prepare() {
        if (hasLeft || tunnel != null) return false;
        if (!isPaused) takeArriving();
        return true;
    }

    @Override
    protected void call(SlabSource from) {
        if (isEnding) {
            tellEnd();
            return;
        }
        if (isWoken && !isExchangeOver) {
            isWoken = false;
            exchange.goOn();
        }
        if (refusal != null) exchange.broke(refusal);
        while (!arrived.isEmpty() && exchange.isUnderWay()) tellHead(arrived.remove());
        tellBody(from);
    }

    private void tellHead(Arrived next) {
        if (opensTunnel && next.status >= 200) {
            opensTunnel(next.fields);
            return;
        }
        if (next.status >= 200) {
            isHeadTold = true;
            boolean isEnd = hasPeerEnded() && arrivedBytes() == 0;
            exchange.head(next.status, next.fields, mayHaveBody && !isEnd);
            return;
        }
        try {
            exchange.interim(next.status, next.status == 100 ? Headers.EMPTY : next.fields);
            exchange.heard(false);
        } catch (Refusal e) {
            exchange.broke(e);
        }
    }

    private void opensTunnel(Headers fields) {
        try {
            var agreed = ExtendedConnect.agreed(exchange.request().head().fields(), fields);
            exchange.checkUpgrade(agreed);
            var opened = new StreamEnd(this, Http2Codes.CANCEL);
            tunnel = opened;
            exchange.upgrade(new Upgraded(101, agreed, opened, (_, _) -> exchange.tunnelEnded()));
        } catch (Refusal e) {
            exchange.broke(e);
        }
    }

    @Override
    void tunnelClosed() {
        isExchangeOver = true;
        exchange.tunnelEnded();
        connection.returned(this);
    }

    private void tellBody(SlabSource from) {
        try {
            boolean hasRead = true;
            while (hasRead && takesBody()) hasRead = offer(from);
            if (!takesBody() || !hasPeerEnded() || arrivingBytes() > 0) return;
            if (input != null && input.size() > 0)
                throw new IllegalStateException(
                        "the end of a response's body was left unread: read all of it, or skip it");
            exchange.ended(peersTrailers);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    private boolean takesBody() {
        return isHeadTold && !isPaused && !isEnding && exchange.isUnderWay();
    }

    /// @return whether some of it was read
    private boolean offer(SlabSource from) throws Exception {
        var in = input;
        long before = in == null ? 0 : in.size();
        if (in == null || before == 0) return false;
        in.lend(from);
        try {
            exchange.body(in);
        } finally {
            in.endLoan(from);
            consumed(before - in.size());
        }
        boolean hasRead = in.size() < before;
        if (hasRead || !takesBody() || hasPeerEnded()) return hasRead;
        checkUnread(before);
        waits();
        return false;
    }

    private void tellEnd() {
        releaseInput();
        request.cut();
        if (isExchangeOver) return;
        isExchangeOver = true;
        var why = cause;
        if (fallsBack && why != null) exchange.fallsBack(why);
        else if (isRefused && why != null) exchange.refused(why);
        else exchange.closed(why, isUnread);
    }

    @Override
    protected void failed(Throwable thrown) {
        exchange.broke(thrown);
    }

    @Override
    protected void finish() {
        connection.returned(this);
    }

    @Override
    protected void loopIsGone() {}

    // For the exchange.

    void writeHead(OutgoingHead head, boolean isAll) {
        isOpen = true;
        boolean isEnd = isAll && !isChange;
        connection.writeHead(id, head, isEnd);
        if (isEnd) endsWithHead();
    }

    /// Whether the server may know of it, and expects more of it, or we do.
    boolean isOpen() {
        return isOpen && !(hasEnded() && hasPeerEnded());
    }

    void pause() {
        isPaused = true;
    }

    void resume() {
        isPaused = false;
        due();
    }

    /// There is room, or more of the request's body.
    @Override
    void woken() {
        isWoken = true;
        due();
    }

    void exchangeIsOver(boolean isSent) {
        isExchangeOver = true;
        if (!isSent || waitsForWindow()) connection.cancel(this);
        connection.returned(this);
        if (!hasLeft) deadline.after(restNanos());
    }

    private long restNanos() {
        long progress = connection.timeouts().progressNanos();
        return progress > 0 ? progress : REST_NANOS;
    }

    /// The response is there, and the rest of the request has to go: nobody else waits for that.
    private void restIsLate() {
        long left = movedNanos + restNanos() - connection.loop.nowNanos();
        if (left > 0) {
            deadline.after(left);
            return;
        }
        connection.cancel(this);
        connection.returned(this);
    }

    void giveUp(IOException why) {
        if (isEnding) return;
        connection.cancel(this);
        isReset(why);
    }

    long beganNanos() {
        return beganNanos;
    }

    long movedNanos() {
        return movedNanos;
    }
}
