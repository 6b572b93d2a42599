package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.Body;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.OutgoingHead;
import java.util.List;

/// Writes the head of a request (RFC 9112 section 3).
///
/// ```
///   GET /path?query HTTP/1.1
///   Host: …
///   …                                 as they came, bytes where they are
///   …                                 added ones
///   Content-Length: 5, or Transfer-Encoding: chunked
/// ```
final class RequestWriter {
    private static final byte[] VERSION = Syntax.latin1(" HTTP/1.1\r\n");
    private static final byte[] TRAILERS = Syntax.latin1("TE: trailers\r\nConnection: TE\r\n");
    private static final byte[] CHUNKED = Syntax.latin1("Transfer-Encoding: chunked\r\n");
    private static final byte[] LENGTH = Syntax.latin1("Content-Length: ");
    private static final byte[] CONTINUE = Syntax.latin1("Expect: 100-continue\r\n");

    private RequestWriter() {}

    static void write(OutgoingHead head, WireText out) {
        out.put(head.method()).put(" ").put(head.path());
        if (!head.query().isEmpty()) out.put("?").put(head.query());
        out.put(VERSION);
        if (head.isForwarded()) forwarded(head, out);
        else lines(head.fields(), out);
        for (int i = 0; i < head.added().size(); i += 2)
            out.line(head.added().get(i), head.added().get(i + 1));
        if (!head.upgrade().isEmpty()) out.line("Upgrade", head.upgrade()).line("Connection", "Upgrade");
        length(head.bodyLength(), out);
        if (head.expectsContinue()) out.put(CONTINUE);
        out.end();
    }

    private static void lines(Headers fields, WireText out) {
        for (int i = 0; i < fields.size(); i++) out.line(fields.name(i), fields.value(i));
    }

    private static void forwarded(OutgoingHead head, WireText out) {
        out.line("Host", head.host());
        if (head.fields() instanceof WireHeaders wire) wireFields(wire.fields, head.leftOut(), out);
        else textFields(HopByHop.endToEnd(head.fields()), head.leftOut(), out);
        if (head.asksTrailers()) out.put(TRAILERS);
    }

    private static void wireFields(FieldLines fields, List<String> leftOut, WireText out) {
        var named = HopFields.named(fields);
        for (int line = 0; line < fields.count(); line++) {
            if (HopFields.isOfHop(fields, line) || HopFields.isOneOf(named, fields, line)) continue;
            if (StrippedFields.isOneOf(leftOut, fields.bytes, fields.name(line), fields.nameLength(line))) continue;
            fields.writeLine(line, out);
        }
    }

    private static void textFields(Headers fields, List<String> leftOut, WireText out) {
        for (int i = 0; i < fields.size(); i++) {
            var name = fields.name(i);
            boolean isLeftOut = name.equalsIgnoreCase("Host")
                    || name.equalsIgnoreCase("Expect")
                    || StrippedFields.isOneOf(leftOut, name);
            if (!isLeftOut) out.line(name, fields.value(i));
        }
    }

    private static void length(long bodyLength, WireText out) {
        if (bodyLength == Body.UNKNOWN) out.put(CHUNKED);
        else if (bodyLength != OutgoingHead.NO_BODY)
            out.put(LENGTH).decimal(bodyLength).end();
    }
}
