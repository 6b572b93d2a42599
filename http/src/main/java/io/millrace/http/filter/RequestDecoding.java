package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.coding.BadCoding;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.coding.Coding;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.coding.Decoder;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/// Decodes requests for a handler: a body that is a value at once, one that is still to come as it is read.
final class RequestDecoding {
    /// Codings on top of each other (`http.codings`): each multiplies the size of the one below.
    private static final int MOST_CODINGS = 1;

    /// RFC 9110 section 15.5.16.
    private static final Response REFUSED = Response.status(415).setHeader("Accept-Encoding", Coding.ALL);

    private final DecodedLimit limit;

    RequestDecoding(DecodedLimit limit) {
        this.limit = limit;
    }

    /// The handler's response, or a refusal.
    public Response handle(Request request, HttpHandler next) throws Exception {
        if (request.header("Content-Encoding").isEmpty()) return next.handle(request);
        var codings = codings(request.headers());
        if (codings.isEmpty()) return next.handle(request);
        if (codings.size() > MOST_CODINGS) return tooMany(request, codings);
        var coding = Coding.of(codings.getFirst());
        return coding.isEmpty() ? REFUSED : handle(request, next, coding.get());
    }

    private static List<String> codings(Headers headers) {
        var codings = new ArrayList<String>();
        for (var line : headers.all("Content-Encoding")) {
            for (var element : line.split(",", -1)) {
                var name = element.strip();
                if (!name.isEmpty() && !name.equalsIgnoreCase("identity")) codings.add(name);
            }
        }
        return codings;
    }

    private static Response tooMany(Request request, List<String> codings) {
        HttpGuards.CODINGS.acted(
                request.remote(), codings.size() + " codings of one body: at most " + MOST_CODINGS + " is taken");
        return REFUSED;
    }

    private Response handle(Request request, HttpHandler next, Coding coding) throws Exception {
        var received = ReceivedRequest.behind(request);
        if (received != null && received.isBodyToCome()) {
            received.received().decode(new BodyDecoding(coding, limit));
            return next.handle(request);
        }
        var whole = LoopInput.of(unpack(request, new Decoder(coding, limit)));
        if (received == null) return next.handle(BuiltRequest.copyOf(request).unpacked(whole));
        received.received().showDecoded(whole);
        return next.handle(request);
    }

    private static Bytes unpack(Request request, Decoder decoder) {
        try {
            var all = new ByteArrayOutputStream();
            decoder.decode(request.body(), all::write);
            decoder.end();
            return Bytes.of(all.toByteArray());
        } catch (BadCoding e) {
            var guard = e.guard();
            if (guard != null) guard.acted(request.remote(), String.valueOf(e.getMessage()));
            throw new HttpError(e.status(), String.valueOf(e.getMessage()));
        } finally {
            decoder.release();
        }
    }
}
