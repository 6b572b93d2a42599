package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;

/// The head of a message (RFC 9112 section 2.1): a first line, which requests and responses have each of their
/// own kind, then fields, and what these say of the body and the connection. Reused for one after the other.
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

    /// From the next byte on, another message is parsed.
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

    /// Parses what is in `bytes` from `from` to `to`, and goes on where it stopped when it is called again with
    /// more.
    ///
    /// @return how long the head is, with what may stand in front of it; or [#INCOMPLETE]
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

    /// The message is over: the next call parses another, or says that it is the same [#again].
    void done() {
        isDone = true;
    }

    /// What was parsed last stands in the same array once more.
    void again(int from) {
        start = from;
        isDone = false;
    }

    /// Parses the first line.
    ///
    /// @return where the fields begin, or [#INCOMPLETE]
    abstract int parseFirstLine(int to) throws Refusal;

    /// What needs the whole head.
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

    /// Says of each name in a `Connection` field that it is a [#connectionOption].
    abstract void connection(int line) throws Refusal;

    abstract void transferEncoding(int line) throws Refusal;

    void connectionOption(int from, int length) {
        wantsClose |= Syntax.isWord(bytes, from, length, "close");
        wantsKeepAlive |= Syntax.isWord(bytes, from, length, "keep-alive");
    }

    /// Of the body, if it may have one: in bytes, [#CHUNKED], or [StatusHead#UNTIL_END].
    public long contentLength() {
        return contentLength;
    }

    /// Whether the connection may carry another message.
    public boolean keepsAlive() {
        return isOld ? wantsKeepAlive && !wantsClose : !wantsClose;
    }
}
