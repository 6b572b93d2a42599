package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;

/// The head of a message (RFC 9112 section 2.1): a first line, which differs between requests and responses, then
/// fields, and what these say of body and connection. Reused for one message after the other.
///
/// ```
///   LINE ── first line ──► FIELDS ── empty line ──► checked, complete
/// ```
public abstract class MessageHead extends FieldLines {
    /// [#contentLength] of a body in chunks.
    public static final long CHUNKED = -1;

    static final byte[] VERSION = Syntax.latin1("HTTP/1.");

    final HttpLimits limits;

    /// Whether it is HTTP/1.0.
    boolean isOld;

    /// Whether there is a valid `Transfer-Encoding`.
    boolean isChunked;

    long contentLength;

    private boolean isDone;
    private boolean hasLine;
    private boolean hasLength;
    private boolean wantsClose;
    private boolean wantsKeepAlive;

    MessageHead(HttpLimits limits) {
        this.limits = limits;
    }

    /// The next byte begins another message.
    @Override
    public void reset() {
        super.reset();
        isDone = false;
        hasLine = false;
        isChunked = false;
        hasLength = false;
        wantsClose = false;
        wantsKeepAlive = false;
    }

    /// Parses the bytes between `from` and `to`, and goes on where it stopped when it is called again with more.
    ///
    /// @return the length of the head, with empty lines in front of it; or [#INCOMPLETE]
    /// @throws Refusal with the status to answer with
    public final int parse(byte[] bytes, int from, int to) throws Refusal {
        if (isDone) reset();
        this.bytes = bytes;
        this.start = from;
        if (!hasLine) {
            int fields = parseFirstLine(to);
            if (fields == INCOMPLETE) return INCOMPLETE;
            at = fields - start;
            hasLine = true;
        }
        int length = parseLines(to, limits);
        if (length != INCOMPLETE) check();
        return length;
    }

    /// The message is over: the next call parses another, or [#again] reuses it.
    void done() {
        isDone = true;
    }

    /// The same bytes as those parsed last are in the array once more.
    void again(int from) {
        start = from;
        isDone = false;
    }

    /// Parses the first line.
    ///
    /// @return where the fields begin, or [#INCOMPLETE]
    abstract int parseFirstLine(int to) throws Refusal;

    /// Checks that need the whole head.
    void check() throws Refusal {
        if (!isChunked) return;
        if (hasLength) throw new Refusal(400, "both Transfer-Encoding and Content-Length");
        contentLength = CHUNKED;
    }

    @Override
    void noted(int line) throws Refusal {
        switch (nameLength(line)) {
            case 10 -> {
                if (isNamed(line, "connection")) connection(line);
            }
            case 14 -> {
                if (isNamed(line, "content-length")) contentLength(line);
            }
            case 17 -> {
                if (isNamed(line, "transfer-encoding")) transferEncoding(line);
            }
            default -> {}
        }
    }

    private void contentLength(int line) throws Refusal {
        if (hasLength) throw new Refusal(400, "two Content-Length fields");
        contentLength = length(line);
        hasLength = true;
    }

    /// Calls [#connectionOption] for each name in a `Connection` field.
    abstract void connection(int line) throws Refusal;

    abstract void transferEncoding(int line) throws Refusal;

    void connectionOption(int from, int length) {
        wantsClose |= Syntax.isWord(bytes, from, length, "close");
        wantsKeepAlive |= Syntax.isWord(bytes, from, length, "keep-alive");
    }

    /// The body's length, if it may have one: in bytes, [#CHUNKED], or [StatusHead#UNTIL_END].
    public long contentLength() {
        return contentLength;
    }

    /// Whether the connection may carry another message.
    public boolean keepsAlive() {
        return isOld ? wantsKeepAlive && !wantsClose : !wantsClose;
    }
}
