package io.millrace.http.h2;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.grammar.Authority;
import io.millrace.http.grammar.DateField;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.HopByHop;
import io.millrace.loop.Expendable;
import io.millrace.loop.StreamCalls;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Connection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A server's connection: each stream is a request and its response.
///
/// ```
///   preface ─► OPEN ─ drain ─► GOAWAY, and what has begun is served ─ the last stream is over ─► closed
/// ```
final class ServerConnection extends Http2Connection<ServerSideStream> implements Expendable {
    /// Streams that may be open at a time: a slot is free when the peer has closed its stream and the handler has
    /// ended.
    static final int MOST_STREAMS = 100;

    /// What the heads of all requests that are open may count for.
    private static final long MOST_HEADS_BYTES = 512 << 10;

    /// A shorter body is written into the same array as its head.
    private static final int TEXT_BYTES = 1024;

    final Http2Serving serving;
    private final StreamCalls calls;
    private final Runnable closed;
    private final Http2Timeouts timeouts;
    private boolean hasPreface;
    private boolean isDraining;
    private boolean hasPeerEnded;
    private long headsBytes;
    private int lingering;

    /// Have arrived while the peer does not take what waits for it. Made on first use.
    private @Nullable ArrayDeque<ServerSideStream> held;

    /// More of their bodies has arrived in this call.
    private final List<ServerSideStream> due = new ArrayList<>(0);

    ServerConnection(Http2Serving serving, TcpConnection connection, StreamCalls calls, Runnable closed) {
        super(connection, serving.scratch(), serving.mostBlockBytes());
        this.serving = serving;
        this.calls = calls;
        this.closed = closed;
        this.timeouts = new Http2Timeouts(this);
        timeouts.head();
        boolean isOuter = begin();
        open(
                Frames.MOST_STREAMS, MOST_STREAMS,
                Frames.HEADER_LIST_SIZE, FieldCollector.mostBytes(serving.limits()),
                Frames.NO_OLD_PRIORITIES, 1);
        end(isOuter);
    }

    @Override
    void read(LoopInput in) throws Http2Error {
        if (!hasPreface && !readPreface(in)) return;
        super.read(in);
        callDue();
    }

    private boolean readPreface(LoopInput in) throws Http2Error {
        int length = Frames.PREFACE.length();
        long there = Math.min(length, in.remaining());
        for (int i = 0; i < there; i++)
            if (in.peekByte(i) != Frames.PREFACE.charAt(i)) throw Http2Error.protocol("no preface of HTTP/2");
        if (there < length) return false;
        in.skip(length);
        hasPreface = true;
        return true;
    }

    private void callDue() {
        for (int i = 0; i < due.size(); i++) {
            var stream = due.get(i);
            stream.isNoted = false;
            stream.due();
        }
        due.clear();
    }

    /// Its exchange is called at the end of this call: what arrives together is passed on together.
    void dueAtEnd(ServerSideStream stream) {
        if (stream.isNoted || stream.isHeld) return;
        stream.isNoted = true;
        due.add(stream);
    }

    // Requests.

    @Override
    boolean isIdle(int id) {
        return (id & 1) == 0 || id > lastPeerId;
    }

    @Override
    void headers(int id, boolean endsStream, boolean dependsOnItself) throws Http2Error, StreamError {
        if ((id & 1) == 0) throw Http2Error.protocol("a client's stream with an even number");
        var known = streams.get(id);
        if (known != null) {
            trailers(known, endsStream);
            return;
        }
        if (id <= lastPeerId) {
            if (streams.isReset(id)) return;
            throw new Http2Error(Frames.STREAM_CLOSED, "HEADERS for a stream that is closed");
        }
        if (isGone()) return;
        lastPeerId = id;
        if (dependsOnItself) throw StreamError.malformed("a stream that depends on itself");
        if (streams.count() >= MOST_STREAMS) resetLingering();
        if (streams.count() >= MOST_STREAMS) {
            HttpGuards.HTTP2_STREAMS.acted(connection.remote(), "more than " + MOST_STREAMS + " streams at a time");
            throw new StreamError(Frames.REFUSED_STREAM, "too many streams");
        }
        if (headsBytes + scratch.fields.bytes() > MOST_HEADS_BYTES) {
            HttpGuards.HTTP2_HEADS.acted(connection.remote(), "heads of more than " + MOST_HEADS_BYTES + " bytes");
            throw new StreamError(Frames.REFUSED_STREAM, "heads of open requests that are too long");
        }
        open(id, endsStream);
    }

    private void trailers(ServerSideStream stream, boolean endsStream) throws StreamError {
        if (stream.isCut() && streams.isReset(stream.id)) return;
        if (stream.hasPeerEnded()) throw new StreamError(Frames.STREAM_CLOSED, "HEADERS after the end of a stream");
        var fields = scratch.fields;
        if (!endsStream) throw StreamError.malformed("HEADERS in the middle of a stream");
        if (fields.hasPseudo()) throw StreamError.malformed("a pseudo-field in trailers");
        if (fields.fault() != null) throw StreamError.malformed(String.valueOf(fields.fault()));
        stream.trailersArrived(fields.refusal() == null ? fields.take() : Headers.EMPTY);
    }

    private void open(int id, boolean endsStream) throws StreamError {
        var fields = scratch.fields;
        var fault = fields.fault();
        if (fault == null) fault = missing(fields);
        if (fault != null && fields.refusal() == null) throw StreamError.malformed(fault);
        var refusal = fields.refusal();
        Target target = Target.server("");
        long length = endsStream ? 0 : Body.UNKNOWN;
        boolean awaitsContinue = false;
        try {
            if (refusal == null) {
                length = length(fields, endsStream);
                target = target(fields);
                awaitsContinue = awaitsContinue(fields) && !endsStream;
            }
        } catch (Refusal e) {
            refusal = e;
        }
        var method = fields.method;
        var request = new Http2Request(
                this, method == null ? "" : method.value, target, refusal == null ? fields.take() : NO_FIELDS, length);
        var stream = new ServerSideStream(this, id, calls, request, length, awaitsContinue, refusal);
        stream.headBytes = fields.bytes();
        headsBytes += stream.headBytes;
        if (endsStream) stream.peerEnds();
        if (fields.priority != null) stream.prioritize(Priority.of(fields.priority.value));
        streams.put(stream);
        if (connection.isLast()) drain();
        if (isFull()) hold(stream);
        else if (endsStream) stream.due();
        else dueAtEnd(stream);
    }

    private static final ReceivedFields NO_FIELDS = new ReceivedFields(new HpackField[0]);

    private static @Nullable String missing(FieldCollector fields) {
        var method = fields.method;
        if (fields.status != null) return "a status in a request";
        if (method == null || !isMethod(method.value)) return "no method";
        if (method.value.equals("CONNECT")) {
            boolean isFine = fields.scheme == null && fields.path == null && fields.authority != null;
            return isFine ? null : "a target of CONNECT that is not an authority";
        }
        if (fields.scheme == null || fields.scheme.value.isEmpty()) return "no scheme";
        if (fields.path == null || fields.path.value.isEmpty()) return "no path";
        return null;
    }

    private static boolean isMethod(String method) {
        for (int i = 0; i < method.length(); i++)
            if (method.charAt(i) > 0x7f || !Syntax.isToken((byte) method.charAt(i))) return false;
        return !method.isEmpty() && method.length() <= Syntax.MOST_METHOD;
    }

    /// The body's length: announced, 0, or unknown.
    private static long length(FieldCollector fields, boolean endsStream) throws StreamError {
        if (fields.length == null) return endsStream ? 0 : Body.UNKNOWN;
        long length = fields.announcedLength();
        if (endsStream && length != 0) throw StreamError.malformed("a content-length without a body");
        return length;
    }

    private static boolean awaitsContinue(FieldCollector fields) throws Refusal {
        var field = fields.expect;
        if (field == null) return false;
        if (!field.value.equalsIgnoreCase("100-continue"))
            throw new Refusal(417, "an expectation other than 100-continue");
        return true;
    }

    // Targets.

    private @Nullable HpackField lastPath;
    private @Nullable String lastHost;
    private @Nullable Target lastTarget;

    /// Peers often ask for the same again, and the table then has the same objects.
    @SuppressWarnings("ReferenceEquality") // the object itself
    private Target target(FieldCollector fields) throws Refusal {
        var host = host(fields);
        var path = fields.path;
        if (path == null) {
            var bytes = Syntax.latin1(host);
            return Target.authority(bytes, 0, bytes.length);
        }
        var known = lastTarget;
        if (known != null && lastPath == path && host.equals(lastHost)) return known;
        var found = target(fields, path.value, host);
        lastPath = path;
        lastHost = host;
        lastTarget = found;
        return found;
    }

    private Target target(FieldCollector fields, String path, String host) throws Refusal {
        if (path.length() > serving.limits().requestLineBytes())
            throw new Refusal(
                    414, "a path of more than " + serving.limits().requestLineBytes(), HttpGuards.REQUEST_LINE);
        var method = fields.method;
        if (path.equals("*") && method != null && method.value.equals("OPTIONS")) return Target.server("");
        if (path.charAt(0) != '/') throw new Refusal(400, "a path that does not begin with a slash");
        var bytes = Syntax.latin1(path);
        return Target.origin(bytes, 0, bytes.length, serving.formBits(host));
    }

    /// The host, which a request names once, or twice alike (RFC 9113 section 8.3.1).
    private static String host(FieldCollector fields) throws Refusal {
        var authority = fields.authority;
        var host = fields.host;
        if (authority == null && host == null) throw new Refusal(400, "no authority, and no Host field");
        var named = authority != null ? authority.value : host == null ? "" : host.value;
        var bytes = Syntax.latin1(named);
        Authority.check(bytes, 0, bytes.length);
        if (authority != null && host != null) {
            var scheme = fields.scheme == null ? "https" : fields.scheme.value;
            if (!Authority.normalised(host.value, scheme).equals(Authority.normalised(named, scheme)))
                throw new Refusal(400, "an authority that differs from the Host field");
        }
        return named;
    }

    // Streams that wait for the peer.

    private void hold(ServerSideStream stream) {
        if (held == null) held = new ArrayDeque<>();
        stream.isHeld = true;
        held.add(stream);
    }

    @Override
    void beginMore() {
        while (held != null && !held.isEmpty() && !isFull()) {
            var stream = held.poll();
            stream.isHeld = false;
            stream.due();
        }
    }

    // For streams.

    /// A stream is back from its call.
    void returned(ServerSideStream stream) {
        boolean isOuter = begin();
        if (stream.headBytes >= 0) {
            stream.apply();
            if (stream.isDone()) remove(stream);
        }
        end(isOuter);
    }

    private void remove(ServerSideStream stream) {
        unschedule(stream);
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
        for (var stream : streams.all()) if (stream.isLingering()) resets(stream, Frames.NO_ERROR);
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
        mine.wasSent();
        if (mine.isDone()) remove(mine);
    }

    /// Ends a stream early.
    void resets(ServerSideStream stream, int code) {
        writer.reset(stream.id, code);
        streams.wasReset(stream.id);
        unschedule(stream);
        stream.cut();
    }

    void writeInterim(int id, int status, Headers fields) {
        var text = writer.headers(id, false);
        int start = writer.blockStart();
        encoder.begin(text);
        encoder.status(status, text);
        fields(fields, text);
        writer.endHeaders(id, start, peersFrame());
    }

    /// @param isAll whether no body follows
    void writeHead(int id, BuiltResponse response, long length, boolean isAll) {
        var text = writer.headers(id, isAll);
        int start = writer.blockStart();
        encoder.begin(text);
        int status = response.status();
        encoder.status(status, text);
        var headers = response.headers();
        fields(response.isReceived() ? HopByHop.endToEnd(headers) : headers, text);
        if (length != Body.UNKNOWN && status != 204 && status != 304)
            encoder.field("content-length", decimal(length), text);
        if (!response.isDated()) encoder.field("date", DateField.now(), text);
        writer.endHeaders(id, start, peersFrame());
    }

    private void fields(Headers fields, HpackBlock text) {
        for (int i = 0; i < fields.size(); i++) {
            var name = fields.name(i);
            if (!isOfConnection(name)) encoder.field(name, fields.value(i), text);
        }
    }

    /// RFC 9113 section 8.2.2.
    private static boolean isOfConnection(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("te");
            case 7 -> name.equalsIgnoreCase("upgrade");
            case 10 -> name.equalsIgnoreCase("connection") || name.equalsIgnoreCase("keep-alive");
            case 16 -> name.equalsIgnoreCase("proxy-connection");
            case 17 -> name.equalsIgnoreCase("transfer-encoding");
            default -> false;
        };
    }

    private static final String[] LENGTHS = new String[1024];

    private static String decimal(long length) {
        if (length >= LENGTHS.length) return Long.toString(length);
        var known = LENGTHS[(int) length];
        if (known == null) LENGTHS[(int) length] = known = Long.toString(length);
        return known;
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

    Overflow overflow(long unsentBytes, long limitBytes) {
        var why = unsentBytes + " bytes are unsent on a stream, the limit is " + limitBytes
                + " (http.stream.unsent): stop while it is full, or raise Listen.outputLimit";
        HttpGuards.HTTP2_UNSENT.acted(connection.remote(), why);
        return new Overflow(why);
    }

    // The end.

    /// Serves what has begun, and no more.
    void drain() {
        if (isDraining || isOver()) return;
        isDraining = true;
        writer.goAway(lastPeerId, Frames.NO_ERROR);
    }

    private boolean isGone() {
        return isDraining;
    }

    @Override
    void peerGoesAway(int lastId, int code) {
        hasPeerEnded = true;
    }

    @Override
    public void onDrain(Connection draining) {
        boolean isOuter = begin();
        drain();
        end(isOuter);
    }

    @Override
    public void onEnd(Connection ended) {
        boolean isOuter = begin();
        hasPeerEnded = true;
        for (var stream : streams.all()) {
            if (stream.hasPeerEnded()) continue;
            stream.cut();
            stream.isReset(Resets.ofOurs("the peer has ended the connection"));
        }
        end(isOuter);
    }

    @Override
    void callEnds() {
        if (isOver()) return;
        boolean isDone = isIdle() && (isDraining || hasPeerEnded);
        if (isDone) closeWith(Frames.NO_ERROR);
        else timeouts.update();
    }

    @Override
    public boolean isExpendable() {
        return streams.count() == 0;
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        timeouts.end();
        held = null;
        super.onClose(cause);
        closed.run();
    }
}
