package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;

/// The head of a response (RFC 9112 section 4), as a client parses it: as strict as [RequestHead], because
/// responses that two readers understand differently can be smuggled. After a [Refusal] the connection cannot be
/// used any more; its status has no meaning.
///
/// ```
///   LINE ── status line ──► FIELDS ── empty line ──► checked, complete
/// ```
public final class StatusHead extends MessageHead {
    /// [#contentLength] of a body that ends with its connection.
    public static final long UNTIL_END = -2;

    private int status;

    public StatusHead(HttpLimits limits) {
        super(limits);
        reset();
    }

    @Override
    public void reset() {
        super.reset();
        contentLength = UNTIL_END;
    }

    @Override
    int parseFirstLine(int to) throws Refusal {
        // Bytes beyond the limit need not be looked at.
        int end = Math.min(to, start + limits.requestLineBytes() + 2);
        int at = start;
        for (int i = 0; i < VERSION.length; i++, at++) {
            if (at == end) return INCOMPLETE;
            if (bytes[at] != VERSION[i]) throw new Refusal(502, "not a status line of HTTP/1");
        }
        if (end - at < 6) return incomplete(to);
        if (bytes[at] != '0' && bytes[at] != '1') throw new Refusal(502, "an HTTP version other than 1.0 and 1.1");
        isOld = bytes[at] == '0';
        if (bytes[at + 1] != ' ') throw new Refusal(502, "not a status line of HTTP/1");
        status = 0;
        for (int i = at + 2; i < at + 5; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') throw new Refusal(502, "a status that is not a number");
            status = 10 * status + bytes[i] - '0';
        }
        if (status < 100 || status > 599) throw new Refusal(502, "status " + status);
        // The phrase may be empty, and some servers leave out the blank before it then.
        if (bytes[at + 5] != ' ' && bytes[at + 5] != '\r') throw new Refusal(502, "a status of more than three digits");
        at = Syntax.endOfValue(bytes, at + 5, end);
        if (at + 1 >= end && (at == end || bytes[at] == '\r')) return incomplete(to);
        if (bytes[at] != '\r' || bytes[at + 1] != '\n') throw new Refusal(502, "a control character in a phrase");
        return at + 2;
    }

    private int incomplete(int to) throws Refusal {
        if (to - start >= limits.requestLineBytes() + 2) throw new Refusal(502, "a status line without an end");
        return INCOMPLETE;
    }

    @Override
    void connection(int line) {
        int from = value(line);
        int end = from + valueLength(line);
        for (int at = from; at <= end; at++) {
            if (at < end && bytes[at] != ',') continue;
            int last = at;
            while (from < last && isBlank(bytes[from])) from++;
            while (last > from && isBlank(bytes[last - 1])) last--;
            connectionOption(from, last - from);
            from = at + 1;
        }
    }

    @Override
    void transferEncoding(int line) throws Refusal {
        boolean isFine = !isChunked && !isOld && isValue(line, "chunked");
        if (!isFine) throw new Refusal(502, "a Transfer-Encoding other than one chunked");
        isChunked = true;
    }

    // What was found.

    /// 100 to 599.
    public int status() {
        return status;
    }

    @Override
    public boolean keepsAlive() {
        boolean endsWithConnection = contentLength == UNTIL_END && mayHaveBody();
        return !endsWithConnection && super.keepsAlive();
    }

    /// Whether a response of this status has a body, unless it answers HEAD.
    public boolean mayHaveBody() {
        return status >= 200 && status != 204 && status != 304;
    }
}
