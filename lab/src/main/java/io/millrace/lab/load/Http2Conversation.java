package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.h2.HpackDecoder;
import io.millrace.http.h2.Http2Codes;
import io.millrace.http.h2.Resets;

/// Requests and responses of HTTP/2 on one connection (RFC 9113), each request in a stream of its own. A response is
/// read to the end of its stream, and judged as [HttpConversation] does.
///
/// ```
///   one stream ── SETTINGS ──► as many as both sides want ── GOAWAY ──► no more ── the last response ──► ended
/// ```
/// A request's body is written to its end before the next request begins, as the windows allow. The server may send
/// as much as it likes: windows are the largest there are, and are filled up again when half of them is used.
final class Http2Conversation implements Conversation, Http2Events {
    private static final byte[] OPENING = Http2Wire.opening();
    private static final byte[] NOTHING = {};

    /// Beyond that, a connection has no more ids.
    private static final int MOST_STREAMS = 1 << 30;

    /// A response under way is its status and, below these bits, the bytes of its body.
    private static final int BODY_BITS = 52;

    private static final long BODY_MASK = (1L << BODY_BITS) - 1;
    private static final int FIRST_FINAL_STATUS = 200;

    private final Http2Protocol protocol;
    private final RequestFrames requests;
    private final int connection;
    private final ResponseFrames frames;

    /// What the server is owed.
    private byte[] owed = OPENING;

    // Streams, by their index: 0 has the id 1, 1 has the id 3.

    private final InFlight responses = new InFlight(1);
    private int begun;
    private int open;

    /// The number of the message in the first stream.
    private long first;

    /// Before the server has told its limit, that may be any.
    private int mostOpen = 1;

    private boolean hasSettings;

    private boolean isGoingAway;

    /// The frame of the next request.
    private byte[] next;

    // How much of bodies the server takes: on the connection, and in the last stream that has begun.

    private long window = Http2Codes.USUAL_WINDOW;
    private long streamWindow;
    private int streamWindowAtFirst = Http2Codes.USUAL_WINDOW;

    /// Of the last request's body.
    private int unsentBytes;

    /// DATA of all streams.
    private long receivedBytes;

    /// Of responses on the wire, since the last answer.
    private long wireBytes;

    private boolean isAnswered;
    private MeasuredAnswer answer = new MeasuredAnswer();

    Http2Conversation(Http2Protocol protocol, int connection) {
        this.protocol = protocol;
        this.requests = protocol.frames();
        this.connection = connection;
        this.frames = new ResponseFrames(protocol.fields(), this);
        this.next = requests.first();
    }

    private void owe(byte[] frame) {
        owed = Http2Wire.joined(owed, frame);
    }

    @Override
    public void reply(Output to) {
        if (owed.length == 0) return;
        to.write(owed, 0, owed.length);
        owed = NOTHING;
    }

    @Override
    public String named() {
        return "connection " + connection;
    }

    @Override
    public boolean hasBegun() {
        return hasSettings;
    }

    // Requests.

    /// The longest head that a request may have, and the body.
    @Override
    public int sizeBytes() {
        return requests.mostBytes() + protocol.body().length;
    }

    @Override
    public boolean hasRoom() {
        return open < mostOpen && !isGoingAway;
    }

    @Override
    public int write(Output to, long number, int from) {
        return from == 0 ? writeHead(to, number) : writeBody(to, sizeBytes() - from);
    }

    private int writeHead(Output to, long number) {
        if (begun == 0) first = number;
        var frame = next;
        putId(frame, id(begun));
        to.write(frame, 0, frame.length);
        next = isPlain() ? requests.plain() : requests.again();
        responses.begin(begun, 0);
        begun++;
        open++;
        isGoingAway |= begun == MOST_STREAMS;
        streamWindow = streamWindowAtFirst;
        unsentBytes = protocol.body().length;
        return requests.mostBytes();
    }

    @SuppressWarnings("ReferenceEquality") // the array itself
    private boolean isPlain() {
        return next == requests.shrunk() || next == requests.plain();
    }

    private static int id(int index) {
        return 2 * index + 1;
    }

    private static void putId(byte[] frame, int id) {
        for (int i = 0; i < 4; i++) frame[RequestFrames.ID_AT + i] = (byte) (id >>> (24 - 8 * i));
    }

    /// The rest of a body that the server does not want any more is not written.
    private int writeBody(Output to, int left) {
        if (responses.get(begun - 1, begun) == InFlight.NONE) return left;
        int length = (int) Math.min(Math.min(left, Http2Codes.MOST_BYTES), Math.min(window, streamWindow));
        if (length <= 0) return 0;
        var body = protocol.body();
        to.writeInt(length << 8 | Http2Codes.DATA);
        to.writeByte(length == left ? Http2Codes.END_STREAM : 0);
        to.writeInt(id(begun - 1));
        to.write(body, body.length - left, length);
        window -= length;
        streamWindow -= length;
        unsentBytes = left - length;
        return length;
    }

    // Responses.

    @Override
    public boolean read(Input in, long oldest, MeasuredAnswer into) throws BadAnswer {
        answer = into;
        isAnswered = false;
        boolean hasMore = true;
        while (hasMore && !isAnswered) hasMore = frames.next(in);
        return isAnswered;
    }

    @Override
    public void fields(int id, int status, boolean endsStream, int bytes) throws BadAnswer {
        int index = index(id);
        wireBytes += bytes;
        long known = responses.get(index, begun);
        if (known == InFlight.NONE) return;
        boolean isFinal = known == 0 && status >= FIRST_FINAL_STATUS;
        if (isFinal) responses.set(index, (long) status << BODY_BITS);
        if (endsStream) ends(id);
    }

    @Override
    public void dataBegins(int id, int length) throws BadAnswer {
        index(id);
        wireBytes += Http2Codes.HEADER_BYTES + length;
        receivedBytes += length;
        if (Http2Wire.isUsed(receivedBytes, length))
            owe(Http2Wire.frame(Http2Codes.WINDOW_UPDATE, 0, 0, Http2Wire.PART));
    }

    @Override
    public int body(int id, Input in, int bytes) throws BadAnswer {
        in.skip(bytes);
        int index = index(id);
        long known = responses.get(index, begun);
        if (known == InFlight.NONE) return bytes;
        responses.set(index, known + bytes);
        boolean isUsed = Http2Wire.isUsed((known & BODY_MASK) + bytes, bytes);
        if (isUsed) owe(Http2Wire.frame(Http2Codes.WINDOW_UPDATE, 0, id, Http2Wire.PART));
        return bytes;
    }

    @Override
    public void ends(int id) throws BadAnswer {
        int index = index(id);
        long known = responses.get(index, begun);
        if (known == InFlight.NONE) return;
        int status = (int) (known >>> BODY_BITS);
        if (status == 0) throw new BadAnswer(responseOf(index) + "has no status");
        answered(index, status / 100, protocol.expected().complaint(status, known & BODY_MASK));
        boolean isCut = index == begun - 1 && unsentBytes > 0;
        if (isCut) owe(Http2Wire.frame(Http2Codes.RST_STREAM, 0, id, Http2Codes.CANCEL));
    }

    @Override
    public void reset(int id, int code) throws BadAnswer {
        int index = index(id);
        if (responses.get(index, begun) != InFlight.NONE) answered(index, 0, "was reset: " + Resets.name(code));
    }

    private void answered(int index, int statusClass, String complaint) {
        responses.end(index);
        open--;
        var words = complaint.isEmpty() ? "" : responseOf(index) + complaint;
        answer.is(first + index, wireBytes, statusClass, hasEnded(), words);
        wireBytes = 0;
        isAnswered = true;
    }

    private int index(int id) throws BadAnswer {
        int index = id >>> 1;
        boolean isOurs = (id & 1) == 1 && index < begun;
        if (!isOurs) throw new BadAnswer(named() + " got something of stream " + id + ", which it had not begun");
        return index;
    }

    private String responseOf(int index) {
        return "response " + (first + index) + " on " + named() + " ";
    }

    @Override
    public boolean end(long oldest, MeasuredAnswer into) {
        return false;
    }

    // The connection.

    @Override
    public void settings() {
        if (!hasSettings) mostOpen = MOST_STREAMS;
        hasSettings = true;
        owe(Http2Wire.frame(Http2Codes.SETTINGS, Http2Codes.ACK, 0));
    }

    @Override
    public void set(int setting, int value) {
        switch (setting) {
            case Http2Codes.MOST_STREAMS -> mostOpen = value < 0 ? MOST_STREAMS : value;
            case Http2Codes.WINDOW -> {
                streamWindow += value - streamWindowAtFirst;
                streamWindowAtFirst = value;
            }
            case Http2Codes.TABLE_SIZE -> {
                boolean isSmaller = Integer.compareUnsigned(value, HpackDecoder.DEFAULT_TABLE_BYTES) < 0;
                if (isSmaller && !isPlain()) next = requests.shrunk();
            }
            default -> {}
        }
    }

    @Override
    public void pinged(int high, int low) {
        owe(Http2Wire.frame(Http2Codes.PING, Http2Codes.ACK, 0, high, low));
    }

    @Override
    public void windowGrows(int id, int more) {
        if (id == 0) window += more;
        else if (id == id(begun - 1)) streamWindow += more;
    }

    /// What the server has not processed is sent again on another connection.
    @Override
    public void goesAway(int lastId, int code) throws BadAnswer {
        if (code != Http2Codes.NO_ERROR)
            throw new BadAnswer("the server ended " + named() + " with " + Resets.name(code));
        isGoingAway = true;
        for (int index = (lastId + 1) >>> 1; index < begun; index++) {
            if (responses.get(index, begun) == InFlight.NONE) continue;
            responses.end(index);
            open--;
        }
    }

    @Override
    public boolean hasEnded() {
        return isGoingAway && open == 0;
    }
}
