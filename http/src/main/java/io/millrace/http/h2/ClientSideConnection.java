package io.millrace.http.h2;

import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.exchange.ConnectionOwner;
import io.millrace.http.exchange.PooledConnection;
import io.millrace.http.message.OutgoingHead;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A client's connection: each stream is a request and its response.
///
/// ```
///   preface ─► OPEN ─ GOAWAY, the server's end, or ours ─► WITHDRAWN ─ the last stream is over ─► closed
/// ```
/// Streams that the server has not processed, as its GOAWAY or a reset says, go back to the owner. A stream that is
/// complete stays here while its request is being sent.
final class ClientSideConnection extends Http2Connection<ClientSideStream> implements PooledConnection {
    /// Streams at a time, if the server permits as many.
    static final int MOST_STREAMS = 256;

    /// What windows of streams may grow by, all together.
    private static final int MOST_GROWN_BYTES = 8 << 20;

    /// Enough for all streams, so that callers who do not read keep no others from reading.
    private static final int WINDOW_BYTES = (MOST_STREAMS << 16) + MOST_GROWN_BYTES;

    /// Before the server says how many it permits (RFC 9113 section 6.5.2).
    private static final int ASSUMED_STREAMS = 100;

    private final Http2Calling calling;
    private final ConnectionOwner owner;
    private final Http2Liveness liveness;
    private final String scheme;
    private int mostStreams = ASSUMED_STREAMS;

    /// Ask for a change of protocol, and wait for the server's settings. Made on first use.
    private @Nullable ArrayDeque<Caller> changes;

    /// The server takes extended CONNECT (RFC 8441).
    private boolean takesChanges;

    private int nextId = 1;
    private boolean isWithdrawn;
    private boolean hasServed;

    /// What windows of streams have grown by.
    private long grownBytes;

    ClientSideConnection(Http2Calling calling, TcpConnection connection, ConnectionOwner owner) {
        super(connection, calling.scratch(), FieldCollector.mostBlockBytes(calling.limits()), WINDOW_BYTES);
        this.calling = calling;
        this.owner = owner;
        this.scheme = connection.security().isPresent() ? "https" : "http";
        this.liveness = new Http2Liveness(this, calling.limits().idleTimeout().toNanos());
        call(() -> {
            writer.preface();
            open(Http2Codes.ENABLE_PUSH, 0, Http2Codes.HEADER_LIST_SIZE, FieldCollector.mostBytes(calling.limits()));
        });
    }

    // For the owner.

    @Override
    public boolean hasRoom() {
        return !isWithdrawn && streams.count() + waitingChanges() < mostStreams;
    }

    @Override
    public boolean permitsNone() {
        return !isWithdrawn && mostStreams == 0;
    }

    @Override
    public boolean isIdle() {
        return !isOver() && streams.count() + waitingChanges() == 0;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean hasLasting(long nanos) {
        long latest = loop.nowNanos() - nanos;
        for (var stream : streams.all()) if (stream.beganNanos() - latest <= 0) return true;
        return false;
    }

    /// A response names its stream.
    @Override
    public boolean isHearing() {
        return true;
    }

    @Override
    public void send(Caller next) {
        boolean isChange = !next.request().head().upgrade().isEmpty();
        if (isChange && !hasSettings) {
            if (changes == null) changes = new ArrayDeque<>(1);
            changes.add(next);
            // It may be dead.
            liveness.update();
            return;
        }
        if (isChange && !takesChanges) {
            owner.needsHttp1(next);
            return;
        }
        call(() -> begin(next));
    }

    private void begin(Caller next) {
        var stream = new ClientSideStream(this, nextId, next.request(), hasServed);
        nextId += 2;
        if (nextId == Http2Codes.MOST_ID) withdraw();
        streams.put(stream);
        stream.begin(next);
    }

    private int waitingChanges() {
        return changes == null ? 0 : changes.size();
    }

    /// The server has sent its settings.
    private void sendChanges() {
        var waiting = changes;
        changes = null;
        if (waiting == null) return;
        for (var next : waiting) {
            if (next.isOver()) continue;
            if (hasRoom()) send(next);
            else owner.again(next);
        }
    }

    @Override
    public void rest() {
        hasServed = true;
        owner.idle(this);
    }

    @Override
    public void end() {
        call(this::withdraw);
    }

    @Override
    public void drop(IOException cause) {
        withdraw();
        for (var stream : streams.all()) stream.drop(cause);
        connection.fail(cause);
    }

    /// No more exchanges begin.
    @Override
    void withdraw() {
        if (isWithdrawn) return;
        isWithdrawn = true;
        owner.withdraw(this);
    }

    // The server's frames.

    @Override
    void read(LoopInput in) throws Http2Error {
        liveness.heard();
        super.read(in);
    }

    @Override
    boolean isIdle(int id) {
        return (id & 1) == 0 || id >= nextId;
    }

    @Override
    void headers(int id, boolean endsStream, boolean dependsOnItself) throws Http2Error, StreamError {
        if (isIdle(id)) throw Http2Error.protocol("HEADERS for a stream that is idle");
        var stream = openStream(id);
        if (stream != null) stream.fieldsArrived(scratch.fields, endsStream);
        else spend(WorkBudget.FRAME, "HEADERS for a stream that is closed");
    }

    @Override
    void prioritized(int id, Priority priority) throws Http2Error {
        throw Http2Error.protocol("PRIORITY_UPDATE of a server");
    }

    /// A server that takes resets for attacks should not hear of it.
    @Override
    void closedDataReceived(int id) {}

    @Override
    void settingsTaken(PeerSettings settings) throws Http2Error {
        if (settings.push == 1) throw Http2Error.protocol("ENABLE_PUSH of a server");
        if (settings.streams != PeerSettings.UNSET) mostStreams = Math.min(MOST_STREAMS, settings.streams);
        else if (!hasSettings) mostStreams = MOST_STREAMS;
        if (takesChanges && settings.connect == 0) throw Http2Error.protocol("ENABLE_CONNECT_PROTOCOL taken back");
        if (settings.connect == 1) takesChanges = true;
        hasSettings = true;
        sendChanges();
        if (hasRoom()) owner.idle(this);
    }

    @Override
    void peerGoesAway(int lastId, int code) {
        // First, so that what waits does not ask for HTTP/2 again.
        if (code == Http2Codes.HTTP_1_1_REQUIRED) fallsBack(false);
        withdraw();
        for (var stream : streams.all())
            if (stream.id > lastId)
                stream.refused(
                        code,
                        new Reset(connection.remote() + " has gone away before it took the request: "
                                + Resets.name(code)));
    }

    /// The server has ended the connection: what it has sent is read.
    @Override
    public void onEnd(Connection ended) {
        call(this::cutOff);
    }

    /// What has arrived whole is still read, while nothing more is sent: it would meet a socket that is gone, and its
    /// reset would take what waits here.
    private void cutOff() {
        withdraw();
        liveness.stop();
        failChanges(new Reset(connection.remote() + " ended the connection without a response"));
        for (var stream : streams.all()) {
            if (stream.hasPeerEnded() && !stream.isExchangeOver()) continue;
            unschedule(stream);
            stream.endsUnheard(new Reset(connection.remote() + " ended the connection "
                    + (stream.hasHeard() ? "in" : "without") + " a response"));
        }
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        liveness.stop();
        withdraw();
        for (var stream : streams.all()) stream.mayBeUnread();
        super.onClose(cause);
        owner.closed(this, null);
    }

    @Override
    void cutAll(@Nullable IOException cause) {
        super.cutAll(cause);
        failChanges(cause);
    }

    private void failChanges(@Nullable IOException cause) {
        var waiting = changes;
        changes = null;
        if (waiting == null) return;
        var why = cause != null ? cause : new Reset(connection.remote() + " closed the connection");
        for (var next : waiting) if (!next.isOver()) next.failed(why);
    }

    @Override
    IOException broke(String why) {
        return new ProtocolError(connection.remote() + " broke HTTP/2: " + why);
    }

    @Override
    void callEnds() {
        if (isOver()) return;
        if (isWithdrawn && streams.count() + waitingChanges() == 0) closeWith(Http2Codes.NO_ERROR);
        else if (!connection.hasPeerEnded()) liveness.update();
    }

    @Override
    boolean beginMore() {
        return false;
    }

    // For streams.

    ClientTimeouts timeouts() {
        return calling.timeouts();
    }

    void writeHead(int id, OutgoingHead head, boolean isAll) {
        Http2RequestHead.write(head, scheme, encoder, beginBlock(id, isAll));
        endBlock();
    }

    /// Ends a stream early, if it is open.
    void cancel(ClientSideStream stream) {
        call(() -> {
            if (!stream.isCut() && stream.isOpen()) {
                resets(stream, Http2Codes.CANCEL);
            } else {
                unschedule(stream);
                stream.cut();
            }
        });
    }

    /// A stream's exchange may be over.
    void returned(ClientSideStream stream) {
        call(stream, ClientSideStream::leaveIfDone);
    }

    void remove(ClientSideStream stream) {
        if (!stream.leavesOnce()) return;
        hasServed = true;
        unschedule(stream);
        streams.remove(stream.id);
        stream.leaves();
        if (!stream.isCut()) budget.complete();
        if (hasRoom()) owner.idle(this);
    }

    /// The server requires HTTP/1.1.
    ///
    /// @return whether that is what it gets
    boolean fallsBack(boolean isChange) {
        return owner.fallsBack(isChange);
    }

    SocketAddress remote() {
        return connection.remote();
    }

    /// A stream has ended early.
    void gone(ClientSideStream stream, @Nullable Caller unread) {
        returned(stream);
        if (unread != null) owner.again(unread);
    }

    @Override
    void sent(Http2Stream stream) {
        if (!(stream instanceof ClientSideStream mine)) return;
        mine.wasSent();
        if (mine.isDone()) remove(mine);
    }

    @Override
    boolean mayGrow(long more) {
        return grownBytes + more <= MOST_GROWN_BYTES;
    }

    @Override
    void grew(long more) {
        grownBytes += more;
    }

    void ping() {
        call(() -> writer.ping(loop.nowNanos(), false));
    }

    @Override
    public String toString() {
        return "HTTP/2 " + connection;
    }
}
