package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Splits a multipart body into parts (RFC 2046 section 5.1.1) as it arrives, wherever it is cut.
///
/// ```
///   BEGIN ── --boundary ──► DELIMITED ─┬─ CRLF ──► HEAD ── empty line ──► BEGINNING ──► DATA
///                               ▲      └─ -- ────► CLOSED ── CRLF ──► OVER                │
///                               └──────────────────── CRLF--boundary ─────────────────────┘
/// ```
/// It keeps none of the content. Of a boundary that is cut, it remembers only how many bytes have matched: only
/// the first of them is a carriage return, so after a mismatch the next boundary begins after them.
///
/// Belongs to one body; used by one thread at a time.
final class MultipartParser {
    /// What the parser found.
    public enum Event {
        /// A part begins: [#head].
        HEAD,
        /// The next [#dataBytes] of the input are content; read them before the next call.
        DATA,
        /// [#held] is content that came before the input's bytes.
        HELD,
        /// The part is complete.
        PART_END,
        /// The whole input has been read.
        NEEDS_MORE
    }

    private enum State {
        BEGIN,
        DELIMITED,
        HEAD,
        BEGINNING,
        DATA,
        CLOSED,
        OVER
    }

    /// RFC 2046 section 5.1.1.
    private static final Pattern BOUNDARY = Pattern.compile("[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]");

    /// The delimiter's bytes before the boundary's line.
    private static final int LINE_END = 2;

    private final String boundaryLine;
    private final Bytes delimiter;
    private final Multipart.Limits limits;

    private State state = State.BEGIN;

    /// How many bytes of the delimiter have matched. The first delimiter needs no line end before it.
    private int matched = LINE_END;

    /// What is collected whole: a head, or the two bytes after a boundary.
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

    private @Nullable PartHead head;
    private int parts;
    private long arrivedBytes;
    private long partBytes;
    private long dataBytes;
    private Bytes held = Bytes.EMPTY;

    /// @throws HttpError with 400 for an invalid boundary
    MultipartParser(String boundary, Multipart.Limits limits) {
        if (!BOUNDARY.matcher(boundary).matches()) throw new HttpError(400, "an invalid multipart boundary");
        this.boundaryLine = "\r\n--" + boundary;
        this.delimiter = Bytes.utf8(boundaryLine);
        this.limits = limits;
    }

    /// Counts bytes that are new.
    ///
    /// @throws HttpError with 413 when there are too many
    public void arrived(long bytes) {
        arrivedBytes += bytes;
        if (arrivedBytes > limits.totalBytes()) {
            throw new HttpError(413, "a multipart body of more than " + limits.totalBytes() + " bytes");
        }
    }

    /// Goes on to the next event.
    ///
    /// @throws HttpError with 400 for a malformed body, 413 beyond a limit
    public Event next(Input in) {
        while (!in.isEmpty()) {
            var event = step(in);
            if (event != Event.NEEDS_MORE) return event;
        }
        return Event.NEEDS_MORE;
    }

    /// @return [Event#NEEDS_MORE] if there is no event
    private Event step(Input in) {
        return switch (state) {
            case BEGIN -> begin(in);
            case DELIMITED -> delimited(in);
            case HEAD -> readHead(in);
            case BEGINNING -> beginning(in);
            case DATA -> data(in);
            case CLOSED -> closed(in);
            case OVER -> throw new HttpError(400, "a multipart body that goes on after its end");
        };
    }

    private Event begin(Input in) {
        match(in);
        if (!isDelimiter() && !in.isEmpty()) {
            throw new HttpError(400, "a multipart body that does not begin with its boundary");
        }
        if (isDelimiter()) becomes(State.DELIMITED);
        return Event.NEEDS_MORE;
    }

    private Event delimited(Input in) {
        if (!collect(in, 2)) return Event.NEEDS_MORE;
        switch (collected.toString(StandardCharsets.ISO_8859_1)) {
            case "\r\n" -> beginHead();
            case "--" -> becomes(State.CLOSED);
            default -> throw new HttpError(400, "a multipart boundary with something after it");
        }
        return Event.NEEDS_MORE;
    }

    private void beginHead() {
        if (++parts > limits.parts()) {
            throw new HttpError(413, "a multipart body of more than " + limits.parts() + " parts");
        }
        becomes(State.HEAD);
    }

    private Event readHead(Input in) {
        long lineEnd = in.indexOf((byte) '\n');
        long length = lineEnd < 0 ? in.remaining() : lineEnd + 1;
        if (collected.size() + length > limits.headBytes()) {
            throw new HttpError(413, "a part with a head of more than " + limits.headBytes() + " bytes");
        }
        collect(in, collected.size() + (int) length);
        if (lineEnd < 0) return Event.NEEDS_MORE;
        var text = collected.toByteArray();
        if (!endsWithEmptyLine(text)) return Event.NEEDS_MORE;
        checkHasNoBoundary(text);
        head = PartHeads.parse(text, limits.fields());
        partBytes = 0;
        becomes(State.BEGINNING);
        matched = LINE_END;
        return Event.HEAD;
    }

    /// A line of a head must not begin with the boundary: one reader sees a field, another a new part.
    private void checkHasNoBoundary(byte[] text) {
        var lines = "\r\n" + new String(text, StandardCharsets.ISO_8859_1);
        if (lines.contains(boundaryLine)) throw new HttpError(400, "a part whose head contains the boundary");
    }

    private static boolean endsWithEmptyLine(byte[] text) {
        int length = text.length;
        if (length < 2 || text[length - 2] != '\r') return false;
        return length == 2 || (length >= 4 && text[length - 3] == '\n' && text[length - 4] == '\r');
    }

    /// A boundary right after the empty line has no line end of its own: one reader sees content, another the end
    /// of an empty part.
    private Event beginning(Input in) {
        int length = (int) Math.min(in.remaining(), delimiter.length() - matched);
        if (continuesDelimiter(in, length)) {
            in.skip(length);
            matched += length;
            if (isDelimiter()) throw new HttpError(400, "a part whose content begins with the boundary");
            return Event.NEEDS_MORE;
        }
        held = Bytes.copyOf(delimiter.segment().asSlice(LINE_END, matched - LINE_END));
        becomes(State.DATA);
        return held.length() == 0 ? Event.NEEDS_MORE : counted(held.length(), Event.HELD);
    }

    private boolean continuesDelimiter(Input in, int length) {
        for (int i = 0; i < length; i++) {
            if (in.peekByte(i) != delimiter.at(matched + i)) return false;
        }
        return true;
    }

    private Event data(Input in) {
        if (matched == 0) {
            dataBytes = plainBytes(in);
            if (dataBytes > 0) return counted(dataBytes, Event.DATA);
        }
        match(in);
        if (isDelimiter()) {
            becomes(State.DELIMITED);
            return Event.PART_END;
        }
        if (in.isEmpty()) return Event.NEEDS_MORE;
        held = Bytes.copyOf(delimiter.segment().asSlice(0, matched));
        matched = 0;
        return counted(held.length(), Event.HELD);
    }

    /// How many bytes are certainly content: up to a delimiter, or to what may be the beginning of one.
    private long plainBytes(Input in) {
        long at = in.indexOf(delimiter, 0);
        if (at < 0) at = in.indexOf((byte) '\r', Math.max(0, in.remaining() - delimiter.length() + 1));
        return at < 0 ? in.remaining() : at;
    }

    private Event counted(long bytes, Event event) {
        partBytes += bytes;
        if (!head().isFile() && partBytes > limits.valueBytes()) {
            throw new HttpError(413, "a field of more than " + limits.valueBytes() + " bytes");
        }
        return event;
    }

    private Event closed(Input in) {
        if (!collect(in, 2)) return Event.NEEDS_MORE;
        if (!collected.toString(StandardCharsets.ISO_8859_1).equals("\r\n")) {
            throw new HttpError(400, "a multipart body that goes on after its end");
        }
        becomes(State.OVER);
        return Event.NEEDS_MORE;
    }

    private void becomes(State next) {
        state = next;
        matched = 0;
        collected.reset();
    }

    private void match(Input in) {
        while (!in.isEmpty() && !isDelimiter() && in.peekByte(0) == delimiter.at(matched)) {
            in.skip(1);
            matched++;
        }
    }

    private boolean isDelimiter() {
        return matched == delimiter.length();
    }

    /// Whether that many bytes have been collected.
    private boolean collect(Input in, int wanted) {
        var bytes = new byte[(int) Math.min(wanted - collected.size(), in.remaining())];
        in.read(bytes, 0, bytes.length);
        collected.writeBytes(bytes);
        return collected.size() == wanted;
    }

    // What the parser found.

    /// The head of the part that began last.
    public PartHead head() {
        if (head == null) throw new IllegalStateException("no part has begun: wait for HEAD");
        return head;
    }

    public long dataBytes() {
        return dataBytes;
    }

    public Bytes held() {
        return held;
    }

    /// No more bytes will arrive.
    ///
    /// @throws HttpError with 400 if the body is not complete
    public void end() {
        boolean isComplete = state == State.OVER || (state == State.CLOSED && collected.size() == 0);
        if (!isComplete) throw new HttpError(400, "a multipart body without its last boundary");
    }
}
