package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.TrailerFields;

/// Decodes a chunked body (RFC 9112 section 7.1).
///
/// ```
///   SIZE ── line ──► DATA ── all of it ──► DATA_END ── CRLF ──► SIZE
///     └── 0 ──► TRAILERS ── empty line ──► DONE
/// ```
public final class ChunkDecoder {
    /// The body is complete.
    public static final long DONE = -1;

    private static final int MOST_LINE_BYTES = 256;
    private static final int MOST_DIGITS = 8;
    private static final int INCOMPLETE = -1;

    private enum State {
        SIZE,
        DATA,
        DATA_END,
        TRAILERS,
        DONE
    }

    private final HttpLimits limits;
    private final FieldLines trailers = new FieldLines();

    /// For responses: tolerates what is wrong around the data of a good body.
    private final boolean isLenient;

    private byte[] line = new byte[MOST_LINE_BYTES + 2];
    private int lineEnd;
    private State state = State.SIZE;
    private long left;

    /// For requests: a peer that breaks the rules is refused.
    public ChunkDecoder(HttpLimits limits) {
        this(limits, false);
    }

    private ChunkDecoder(HttpLimits limits, boolean isLenient) {
        this.limits = limits;
        this.isLenient = isLenient;
    }

    /// For responses: trailer fields that are not allowed are left out, and extensions may be as long as a head.
    public static ChunkDecoder ofResponse(HttpLimits limits) {
        return new ChunkDecoder(limits, true);
    }

    /// The next byte begins another body.
    public void reset() {
        trailers.reset();
        state = State.SIZE;
    }

    /// Takes the framing in front of the data from the input.
    ///
    /// @return how many bytes at the front of the input are data; 0 when more must arrive; or [#DONE]
    public long next(Input in) throws Refusal {
        while (true) {
            boolean goesOn = switch (state) {
                case SIZE -> readSize(in);
                case DATA -> false;
                case DATA_END -> readDataEnd(in);
                case TRAILERS -> readTrailers(in);
                case DONE -> false;
            };
            if (goesOn) continue;
            if (state == State.DONE) return DONE;
            return state == State.DATA ? Math.min(left, in.remaining()) : 0;
        }
    }

    /// So much of the data that [#next] announced was read.
    public void took(long length) {
        left -= length;
        if (left == 0) state = State.DATA_END;
    }

    private boolean readSize(Input in) throws Refusal {
        lineEnd = (int) Math.min(in.remaining(), line.length);
        in.peek(0, line, 0, lineEnd);
        int length = parseLine();
        if (length == INCOMPLETE) {
            if (lineEnd < line.length) return false;
            int most = isLenient ? limits.headBytes() : MOST_LINE_BYTES;
            if (lineEnd >= most) throw tooLong(most);
            line = new byte[Math.min(2 * line.length, most + 2)];
            return readSize(in);
        }
        in.skip(length);
        state = left == 0 ? State.TRAILERS : State.DATA;
        return left == 0;
    }

    private Refusal tooLong(int most) {
        var what = "a chunk's line of more than " + most + " bytes";
        return isLenient ? new Refusal(400, what, HttpGuards.HEAD) : new Refusal(400, what);
    }

    private boolean readDataEnd(Input in) throws Refusal {
        if (in.isEmpty()) return false;
        if (in.peekByte(0) != '\r') throw new Refusal(400, "a chunk without a line end after its data");
        if (in.remaining() == 1) return false;
        if (in.peekByte(1) != '\n') throw new Refusal(400, "a chunk without a line end after its data");
        in.skip(2);
        state = State.SIZE;
        return true;
    }

    private boolean readTrailers(Input in) throws Refusal {
        // Usually there are no trailers.
        boolean isEnd = in.remaining() >= 2 && in.peekShort(0) == 0x0d0a;
        int length = isEnd && trailers.count() == 0 ? 2 : parseTrailers(in);
        if (length == FieldLines.INCOMPLETE) return false;
        in.skip(length);
        state = State.DONE;
        return false;
    }

    private int parseTrailers(Input in) throws Refusal {
        var bytes = new byte[(int) Math.min(in.remaining(), limits.headBytes() + 1)];
        in.peek(0, bytes, 0, bytes.length);
        trailers.bytes = bytes;
        trailers.start = 0;
        int length = trailers.parseLines(bytes.length, limits);
        for (int i = 0; !isLenient && length != FieldLines.INCOMPLETE && i < trailers.count(); i++) {
            for (var name : TrailerFields.REFUSED) {
                if (trailers.isNamed(i, name)) throw new Refusal(400, "a trailer field that must be a header field");
            }
        }
        return length;
    }

    /// The trailer fields; complete when [#next] has returned [#DONE].
    public Headers trailers() {
        var all = trailers.headers();
        return isLenient && all.size() > 0 ? allowed(all) : all;
    }

    private static Headers allowed(Headers all) {
        var kept = Headers.builder();
        all.forEach((name, value) -> {
            if (TrailerFields.isAllowed(name)) kept.add(name, value);
        });
        return kept.build();
    }

    // The line of a chunk: chunk-size *( BWS ";" BWS name [ BWS "=" BWS value ] ) CRLF

    private int parseLine() throws Refusal {
        int at = 0;
        long size = 0;
        while (at < lineEnd && Syntax.isHex(line[at])) {
            if (at == MOST_DIGITS) throw new Refusal(400, "a chunk size of more than 8 digits");
            size = size << 4 | Character.digit(line[at++], 16);
        }
        if (at == lineEnd) return INCOMPLETE;
        if (at == 0) throw new Refusal(400, "a chunk without a size");
        if (size > Integer.MAX_VALUE) throw new Refusal(400, "a chunk of more than 2 GiB");
        while (true) {
            int mark = skipBlanks(at);
            if (mark == lineEnd) return INCOMPLETE;
            if (line[mark] != ';') {
                if (mark != at) throw new Refusal(400, "blanks after a chunk size");
                left = size;
                return end(at);
            }
            at = extension(mark + 1);
            if (at == INCOMPLETE) return INCOMPLETE;
        }
    }

    private int end(int at) throws Refusal {
        if (line[at] != '\r') throw new Refusal(400, "a chunk's line with an invalid character");
        if (at + 1 == lineEnd) return INCOMPLETE;
        if (line[at + 1] != '\n') throw new Refusal(400, "a chunk's line with a carriage return in it");
        return at + 2;
    }

    private int extension(int from) throws Refusal {
        int at = token(skipBlanks(from));
        if (at == INCOMPLETE) return INCOMPLETE;
        int equals = skipBlanks(at);
        if (equals == lineEnd) return INCOMPLETE;
        if (line[equals] != '=') return at;
        int value = skipBlanks(equals + 1);
        if (value == lineEnd) return INCOMPLETE;
        return line[value] == '"' ? quoted(value + 1) : token(value);
    }

    private int token(int from) throws Refusal {
        int at = from;
        while (at < lineEnd && Syntax.isToken(line[at])) at++;
        if (at == lineEnd) return INCOMPLETE;
        if (at == from) throw new Refusal(400, "a malformed chunk extension");
        return at;
    }

    private int quoted(int from) throws Refusal {
        for (int at = from; at < lineEnd; at++) {
            if (line[at] == '"') return at + 1 == lineEnd ? INCOMPLETE : at + 1;
            if (line[at] == '\\' && ++at == lineEnd) return INCOMPLETE;
            if (Syntax.endOfValue(line, at, at + 1) == at) {
                throw new Refusal(400, "a chunk extension with a control character");
            }
        }
        return INCOMPLETE;
    }

    private int skipBlanks(int at) {
        while (at < lineEnd && FieldLines.isBlank(line[at])) at++;
        return at;
    }
}
