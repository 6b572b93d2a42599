package io.millrace.http.h1;

import io.millrace.http.HttpLimits;

/// The head of a response (RFC 9112 section 4), as a client reads it: as strict as [RequestHead], because what
/// two readers understand differently is how responses are smuggled. A [Refusal] means that the connection is of
/// no use any more; its status has no meaning.
///
/// ```
///   LINE ── status line ──► FIELDS ── empty line ──► checked, complete
/// ```
public final class StatusHead extends Fields {
    /// [#contentLength] of a body in chunks.
    public static final long CHUNKED = -1;

    /// [#contentLength] of a body that ends with its connection.
    public static final long UNTIL_END = -2;

    private static final byte[] VERSION = Syntax.latin1("HTTP/1.");

    private final HttpLimits limits;
    private boolean hasLine;
    private int status;
    private boolean isOld;
    private boolean isChunked;
    private long contentLength;
    private boolean wantsClose;
    private boolean wantsKeepAlive;

    public StatusHead(HttpLimits limits) {
        this.limits = limits;
        reset();
    }

    /// From the next byte on, another response is parsed.
    @Override
    public void reset() {
        super.reset();
        hasLine = false;
        isChunked = false;
        contentLength = UNTIL_END;
        wantsClose = false;
        wantsKeepAlive = false;
    }

    /// Parses what is in `bytes` from `from` to `to`, and goes on where it stopped when it is called again with
    /// more.
    ///
    /// @return how long the head is, or a negative number when it is not complete
    public int parse(byte[] bytes, int from, int to) throws Refusal {
        this.bytes = bytes;
        this.start = from;
        if (!hasLine && !parseStatusLine(to)) return INCOMPLETE;
        int length = parseLines(to, limits);
        if (length != INCOMPLETE && isChunked) {
            if (contentLength != UNTIL_END) throw new Refusal(502, "both Transfer-Encoding and Content-Length");
            contentLength = CHUNKED;
        }
        return length;
    }

    private boolean parseStatusLine(int to) throws Refusal {
        int at = start;
        for (int i = 0; i < VERSION.length; i++, at++) {
            if (at == to) return false;
            if (bytes[at] != VERSION[i]) throw new Refusal(502, "no status line of HTTP/1");
        }
        if (to - at < 6) return isIncomplete(to);
        if (bytes[at] != '0' && bytes[at] != '1') throw new Refusal(502, "an HTTP version other than 1.0 and 1.1");
        isOld = bytes[at] == '0';
        if (bytes[at + 1] != ' ') throw new Refusal(502, "no status line of HTTP/1");
        status = 0;
        for (int i = at + 2; i < at + 5; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') throw new Refusal(502, "a status that is no number");
            status = 10 * status + bytes[i] - '0';
        }
        if (status < 100 || status > 599) throw new Refusal(502, "status " + status);
        // The phrase may be empty, and some leave out the blank in front of it then.
        if (bytes[at + 5] != ' ' && bytes[at + 5] != '\r') throw new Refusal(502, "a status of more than three digits");
        int end = Syntax.endOfValue(bytes, at + 5, to);
        if (end + 1 >= to && (end == to || bytes[end] == '\r')) return isIncomplete(to);
        if (bytes[end] != '\r' || bytes[end + 1] != '\n') throw new Refusal(502, "a control character in a phrase");
        this.at = end + 2 - start;
        hasLine = true;
        return true;
    }

    private boolean isIncomplete(int to) throws Refusal {
        if (to - start > limits.requestLineBytes()) throw new Refusal(502, "a status line without an end");
        return false;
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

    private void connection(int line) {
        for (var option : valueText(line).split(",", -1)) {
            wantsClose |= option.strip().equalsIgnoreCase("close");
            wantsKeepAlive |= option.strip().equalsIgnoreCase("keep-alive");
        }
    }

    private void contentLength(int line) throws Refusal {
        if (contentLength != UNTIL_END) throw new Refusal(502, "two Content-Length fields");
        contentLength = length(line);
    }

    private void transferEncoding(int line) throws Refusal {
        boolean isFine = !isChunked && !isOld && Syntax.isWord(bytes, value(line), valueLength(line), "chunked");
        if (!isFine) throw new Refusal(502, "a Transfer-Encoding other than one chunked");
        isChunked = true;
    }

    // What was found.

    /// 100 to 599.
    public int status() {
        return status;
    }

    /// Of the body in bytes, or [#CHUNKED], or [#UNTIL_END]; of a response that may have one.
    public long contentLength() {
        return contentLength;
    }

    /// Whether the connection may be used again.
    public boolean keepsAlive() {
        if (contentLength == UNTIL_END && mayHaveBody()) return false;
        return isOld ? wantsKeepAlive && !wantsClose : !wantsClose;
    }

    /// Whether a response of this status has a body, unless it answers HEAD.
    public boolean mayHaveBody() {
        return status >= 200 && status != 204 && status != 304;
    }
}
