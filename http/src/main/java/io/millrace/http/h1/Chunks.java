package io.millrace.http.h1;

import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.http.grammar.Syntax;

/// The framing of chunks that are sent (RFC 9112 section 7.1).
final class Chunks {
    private static final byte[] LAST = Syntax.latin1("0\r\n\r\n");
    private static final int USUAL_TRAILERS = 128;
    private static final int CRLF = '\r' << 8 | '\n';

    private Chunks() {}

    /// Before a chunk of `length` bytes, 1 or more.
    static void begin(Output out, long length) {
        var mark = Syntax.latin1(Long.toHexString(length) + "\r\n");
        out.write(mark, 0, mark.length);
    }

    /// After a chunk.
    static void end(Output out) {
        out.writeShort(CRLF);
    }

    /// After the last chunk, without trailers.
    static void last(Output out) {
        out.write(LAST, 0, LAST.length);
    }

    /// After the last chunk, with trailers, if there are any.
    static void last(Output out, Headers trailers) {
        if (trailers.size() == 0) {
            last(out);
            return;
        }
        var text = new WireText(USUAL_TRAILERS).put("0").end();
        trailers.forEach(text::line);
        text.end().flush(out);
    }
}
