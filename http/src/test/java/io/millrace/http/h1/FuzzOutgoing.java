package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.memory.SlabPool;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What is written is read again, with every part as it was given: a request by our server, a response by our
/// client. Lines of the input are a method, a target or a status, and fields; behind an empty one comes the body.
public final class FuzzOutgoing {
    private static final HttpLimits LIMITS =
            HttpLimits.standard().headBytes(60_000).requestLineBytes(50_000).fields(10_000);
    private static final SlabPool POOL = new SlabPool(16 << 20, true);

    private FuzzOutgoing() {}

    /// The input, taken apart.
    private record Parts(String method, String first, List<String> fields, String body) {
        static Parts of(byte[] input) {
            var text = new String(input, StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\n\n");
            var head = List.of((end < 0 ? text : text.substring(0, end)).split("\n", -1));
            var body = end < 0 ? "" : text.substring(end + 2);
            if (head.size() < 2) return new Parts("GET", head.getFirst(), List.of(), body);
            return new Parts(head.get(0), head.get(1), head.subList(2, head.size()), body);
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        var parts = Parts.of(input);
        if (parts.first.matches("[2-5][0-9]{2}")) response(parts);
        else request(parts);
        assertEquals(0, POOL.bytesOut());
    }

    private static void request(Parts parts) {
        BuiltRequest request;
        OutgoingRequest outgoing;
        try {
            var made = Request.of(parts.method, "http://h" + parts.first, bytes(parts.body));
            for (var field : parts.fields) made = made.addHeader(name(field), value(field));
            request = (BuiltRequest) made;
            outgoing = OutgoingRequest.of(request, request.outbound().orElseThrow());
        } catch (IllegalArgumentException _) {
            return;
        }
        var verdicts = new Verdicts(POOL, LIMITS);
        try {
            var text = new WireText(64);
            RequestWriter.write(outgoing.head(), text);
            var head = text.copy(0);
            verdicts.feed(head, 0, head.length);
            var body = outgoing.body().toArray();
            if (body.length > 0) verdicts.feed(body, 0, body.length);
            assertEquals(List.of(200), verdicts.statuses);
            assertSame(request, parts.body, verdicts.messages.getFirst());
            assertEquals(head.length + body.length, verdicts.messages.getFirst().end());
        } finally {
            verdicts.release();
        }
    }

    private static void assertSame(BuiltRequest sent, String body, Verdicts.Message read) {
        assertEquals(sent.method(), read.method());
        assertEquals(sent.path(), read.target().path());
        assertEquals(sent.query(), read.target().query());
        assertEquals(body, read.body());
        var own = read.fields().replaceFirst("(?<=^|\n)Content-Length: " + body.length() + "\n$", "");
        assertEquals(Verdicts.lines(sent.headers()), own);
    }

    private static void response(Parts parts) throws Refusal {
        var body = bytes(parts.body);
        BuiltResponse answer;
        try {
            Response made = BuiltResponse.of(Integer.parseInt(parts.first), new Body.Whole(body));
            for (var field : parts.fields) made = made.addHeader(name(field), value(field));
            answer = (BuiltResponse) made;
        } catch (IllegalArgumentException _) {
            return;
        }
        var text = new WireText(64);
        ResponseHead.writeWhole(answer, body.length(), false, false, text);
        var wire = text.copy(0);
        var head = new StatusHead(LIMITS);
        assertEquals(wire.length, head.parse(wire, 0, wire.length));
        assertEquals(answer.status(), head.status());
        if (head.mayHaveBody()) assertEquals(body.length(), head.contentLength());
        var length = head.mayHaveBody() ? "Content-Length: " + body.length() + "\n" : "";
        var read = Verdicts.lines(head.headers());
        assertEquals(Verdicts.lines(answer.headers()) + length, read.substring(0, read.lastIndexOf("Date: ")));
    }

    private static Bytes bytes(String latin1) {
        return Bytes.of(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String name(String field) {
        int colon = field.indexOf(':');
        return colon < 0 ? field : field.substring(0, colon);
    }

    private static String value(String field) {
        return field.substring(field.indexOf(':') + 1);
    }
}
