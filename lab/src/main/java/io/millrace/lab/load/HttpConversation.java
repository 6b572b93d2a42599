package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.h1.ChunkDecoder;
import io.millrace.http.h1.FieldLines;
import io.millrace.http.h1.StatusHead;
import org.jspecify.annotations.Nullable;

/// Requests and responses of HTTP/1.1 on one connection (RFC 9112). A response is read to its end, whatever its
/// status; then it is judged by that and by the length of its body.
///
/// ```
///   HEAD ── status 1xx ──► HEAD
///     └──── any other ───► BODY ── so many bytes, the last chunk, or the end of the connection ──► complete, HEAD
/// ```
final class HttpConversation implements Conversation {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int FIRST_FINAL_STATUS = 200;

    private final HttpProtocol protocol;
    private final int connection;

    /// Requests below this number were sent, or are being sent.
    private long asked;

    private boolean isInBody;
    private int status;
    private boolean isLast;

    /// Of the body, as [StatusHead#contentLength] tells it.
    private long leftBytes;

    private long bodyBytes;

    /// Of the response on the wire, so far.
    private long wireBytes;

    /// Made for the first body in chunks.
    private @Nullable ChunkDecoder decoder;

    HttpConversation(HttpProtocol protocol, int connection) {
        this.protocol = protocol;
        this.connection = connection;
    }

    // Requests.

    @Override
    public int sizeBytes() {
        return protocol.requestBytes();
    }

    @Override
    public boolean hasRoom() {
        return !protocol.isClosing() || asked == 0;
    }

    @Override
    public int write(Output to, long number, int from) {
        asked = number + 1;
        int length = Math.min(PIECE_BYTES, sizeBytes() - from);
        to.write(protocol.request(number), from, length);
        return length;
    }

    // Responses.

    @Override
    public boolean read(Input in, long number, MeasuredAnswer answer) throws BadAnswer {
        if (number >= asked) {
            throw new BadAnswer("connection " + connection + " got a response that it had not asked for");
        }
        long before = in.remaining();
        try {
            boolean isComplete = (isInBody || readHead(in)) && readBody(in);
            wireBytes += before - in.remaining();
            if (isComplete) judge(number, answer);
            return isComplete;
        } catch (Refusal e) {
            throw new BadAnswer(named(number) + "cannot be read: " + e.getMessage());
        }
    }

    private boolean readHead(Input in) throws Refusal {
        var heads = protocol.heads();
        do {
            int length = heads.find(in);
            if (length == FieldLines.INCOMPLETE) return false;
            in.skip(length);
        } while (heads.status() < FIRST_FINAL_STATUS);
        isInBody = true;
        status = heads.status();
        isLast = protocol.isClosing() || !heads.keepsAlive();
        leftBytes = protocol.hasBodies() && heads.mayHaveBody() ? heads.contentLength() : 0;
        if (leftBytes == StatusHead.CHUNKED) beginChunks();
        return true;
    }

    private void beginChunks() {
        if (decoder == null) decoder = new ChunkDecoder(ResponseHeads.LIMITS);
        else decoder.reset();
    }

    private boolean readBody(Input in) throws Refusal {
        if (leftBytes == StatusHead.CHUNKED) return decoder != null && readChunks(in, decoder);
        long length = leftBytes == StatusHead.UNTIL_END ? in.remaining() : Math.min(leftBytes, in.remaining());
        in.skip(length);
        bodyBytes += length;
        if (leftBytes == StatusHead.UNTIL_END) return false;
        leftBytes -= length;
        return leftBytes == 0;
    }

    private boolean readChunks(Input in, ChunkDecoder chunks) throws Refusal {
        while (true) {
            long length = chunks.next(in);
            if (length == ChunkDecoder.DONE) return true;
            if (length == 0) return false;
            in.skip(length);
            chunks.took(length);
            bodyBytes += length;
        }
    }

    @Override
    public boolean end(long number, MeasuredAnswer answer) {
        if (!isInBody || leftBytes != StatusHead.UNTIL_END) return false;
        judge(number, answer);
        return true;
    }

    private void judge(long number, MeasuredAnswer answer) {
        var complaint = protocol.expected().complaint(status, bodyBytes);
        answer.is(number, wireBytes, status / 100, isLast, complaint.isEmpty() ? "" : named(number) + complaint);
        isInBody = false;
        bodyBytes = 0;
        wireBytes = 0;
    }

    private String named(long number) {
        return "response " + number + " on connection " + connection + " ";
    }
}
