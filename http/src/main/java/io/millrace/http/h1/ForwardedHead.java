package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.grammar.StrippedFields;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.RewrittenRequest;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The head of a request on its way to another server: what it says of the message stays byte for byte, what it
/// says of the connection is left out, and the framing is said anew (RFC 9110 section 7.6).
///
/// ```
///   GET /canonical/path?query HTTP/1.1
///   Host: …
///   …                                 as they came, but for hop-by-hop ones and those left out
///   …                                 added ones
///   Content-Length: 5, or Transfer-Encoding: chunked
/// ```
public final class ForwardedHead {
    /// For what is added, most of the time.
    private static final int ADDED = 192;

    private static final byte[] VERSION = Syntax.latin1(" HTTP/1.1\r\n");
    private static final byte[] TRAILERS = Syntax.latin1("TE: trailers\r\nConnection: TE\r\n");
    private static final byte[] CHUNKED = Syntax.latin1("Transfer-Encoding: chunked\r\n");
    private static final byte[] CONTINUE = Syntax.latin1("Expect: 100-continue\r\n");

    /// A request without a body.
    public static final long NO_BODY = -2;

    private final WireText text;

    /// @param path canonical, or `*`
    public ForwardedHead(Request request, String path, String host) {
        text = new WireText(usualBytes(request) + ADDED);
        text.put(request.method()).put(" ").put(path);
        if (!request.query().isEmpty()) text.put("?").put(request.query());
        text.put(VERSION).line("Host", host);
    }

    private static int usualBytes(Request request) {
        return RewrittenRequest.originalOf(request) instanceof ParsedRequest parsed ? parsed.headBytes() : 2 * ADDED;
    }

    /// The fields of the request, but for some; and the changes that were made to it on the way, which come after
    /// that.
    ///
    /// @param leftOut as of [StrippedFields]
    public ForwardedHead fields(Request request, List<String> leftOut) {
        switch (request) {
            case ParsedRequest parsed -> parsed.passFields(this, leftOut);
            case RewrittenRequest rewritten -> changed(rewritten, leftOut);
            case Request built -> fields(built.headers(), leftOut);
        }
        return this;
    }

    private void changed(RewrittenRequest request, List<String> leftOut) {
        var changes = RewrittenRequest.changesOf(request);
        fields(
                request.original(),
                Stream.concat(leftOut.stream(), changes.leftOut().stream()).toList());
        changes.added().forEach(this::field);
    }

    private void fields(Headers all, List<String> leftOut) {
        var endToEnd = HopByHop.endToEnd(all);
        endToEnd.forEach((name, value) -> {
            boolean isLeftOut = name.equalsIgnoreCase("Host")
                    || name.equalsIgnoreCase("Expect")
                    || StrippedFields.isOneOf(leftOut, name);
            if (!isLeftOut) text.line(name, value);
        });
        all.first("TE").ifPresent(this::trailers);
    }

    void fields(Fields fields, List<String> leftOut) {
        var named = HopByHop.named(fields);
        for (int line = 0; line < fields.count(); line++) {
            if (HopByHop.isOfHop(fields, line) || HopByHop.isOneOf(named, fields, line)) continue;
            if (StrippedFields.isOneOf(leftOut, fields.bytes, fields.name(line), fields.nameLength(line))) continue;
            text.put(fields.bytes, fields.name(line), fields.nameLength(line))
                    .colon()
                    .put(fields.bytes, fields.value(line), fields.valueLength(line))
                    .end();
        }
        int te = fields.find("te", 0);
        if (te >= 0) trailers(fields.valueText(te));
    }

    /// Trailers are what we pass on of what may be asked for there.
    private void trailers(String te) {
        if (te.toLowerCase(Locale.ROOT).contains("trailers")) text.put(TRAILERS);
    }

    /// Asks for another protocol (RFC 9110 section 7.8).
    public ForwardedHead upgrade(String protocol) {
        text.line("Upgrade", protocol).line("Connection", "Upgrade");
        return this;
    }

    /// One more; both are known to be valid.
    public ForwardedHead field(String name, String value) {
        text.line(name, value);
        return this;
    }

    /// All of it.
    ///
    /// @param bodyLength in bytes, [MessageHead#CHUNKED], or [#NO_BODY]
    /// @param expectsContinue whether the body waits to be asked for
    public ForwardedHead end(long bodyLength, boolean expectsContinue) {
        if (bodyLength == MessageHead.CHUNKED) text.put(CHUNKED);
        else if (bodyLength != NO_BODY)
            text.put("Content-Length: ").decimal(bodyLength).end();
        if (expectsContinue) text.put(CONTINUE);
        text.end();
        return this;
    }

    WireText text() {
        return text;
    }
}
