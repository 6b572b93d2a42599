package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import io.millrace.http.message.Body;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.OutgoingHead;

/// Writes the fields of a request (RFC 9113 section 8.3.1): names in small letters, and none about a connection.
///
/// ```
///   :method :scheme :authority :path      CONNECT, and :protocol, for a change of protocol (RFC 8441)
///   …                                 as they came
///   …                                 added ones
///   content-length: 5                 if it is known
/// ```
final class Http2RequestHead {
    private Http2RequestHead() {}

    static void write(OutgoingHead head, String scheme, HpackEncoder encoder, HpackBlock out) {
        var fields = head.isForwarded() ? HopByHop.endToEnd(head.fields()) : head.fields();
        boolean isChange = !head.upgrade().isEmpty();
        encoder.field(":method", isChange ? "CONNECT" : head.method(), out);
        if (isChange) encoder.field(":protocol", head.upgrade(), out);
        encoder.field(":scheme", scheme, out);
        encoder.field(
                ":authority",
                head.isForwarded() ? head.host() : fields.first("Host").orElse(""),
                out);
        encoder.field(":path", path(head), out);
        fields(fields, head, encoder, out);
        for (int i = 0; i < head.added().size(); i += 2)
            encoder.field(head.added().get(i), head.added().get(i + 1), out);
        if (head.asksTrailers()) encoder.field("te", "trailers", out);
        if (head.bodyLength() != Body.UNKNOWN && head.bodyLength() != OutgoingHead.NO_BODY)
            encoder.field("content-length", Long.toString(head.bodyLength()), out);
        if (head.expectsContinue()) encoder.field("expect", "100-continue", out);
    }

    private static String path(OutgoingHead head) {
        return head.query().isEmpty() ? head.path() : head.path() + "?" + head.query();
    }

    private static void fields(Headers fields, OutgoingHead head, HpackEncoder encoder, HpackBlock out) {
        for (int i = 0; i < fields.size(); i++) {
            var name = fields.name(i);
            boolean isLeftOut = name.equalsIgnoreCase("Host")
                    || (head.isForwarded() && name.equalsIgnoreCase("Expect"))
                    || (!head.upgrade().isEmpty() && ExtendedConnect.isOfHttp1(name))
                    || StrippedFields.isOneOf(head.leftOut(), name);
            if (!isLeftOut) encoder.field(fields, i, out);
        }
    }
}
