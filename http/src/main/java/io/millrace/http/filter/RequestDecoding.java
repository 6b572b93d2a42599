package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
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
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Shows a handler requests whose bodies are not packed: whole ones are unpacked in front of it, the others on
/// their way to their readers.
final class RequestDecoding {
    /// Of codings on top of each other (`http.codings`): each could multiply what the one below it does.
    private static final int MOST_CODINGS = 1;

    /// RFC 9110 section 15.5.16.
    private static final Response REFUSED = Response.status(415).setHeader("Accept-Encoding", Coding.ALL);

    private final DecodedLimit limit;

    RequestDecoding(DecodedLimit limit) {
        this.limit = limit;
    }

    /// What the handler answers, or why it was not asked.
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
        Guard.HTTP_CODINGS.acted(
                request.remote(), codings.size() + " codings of one body, at most " + MOST_CODINGS + " is taken");
        return REFUSED;
    }

    private Response handle(Request request, HttpHandler next, Coding coding) throws Exception {
        if (next.isStreaming(request)) {
            var response = next.handle(unpacked(request, request.body()));
            return reading(response, new BodyDecoding(coding, limit));
        }
        var whole = unpack(request, new Decoder(coding, limit));
        return next.handle(unpacked(request, LoopInput.of(whole)));
    }

    private static Request unpacked(Request request, Input body) {
        var received = ReceivedRequest.behind(request);
        if (received.isEmpty()) return BuiltRequest.copyOf(request).unpacked(body);
        received.get().showDecoded(body);
        return request;
    }

    /// A response that reads the body gets it unpacked.
    private static Response reading(Response response, BodyDecoding how) {
        var answer = BuiltResponse.from(response);
        return switch (answer.content()) {
            case Body.Later _ -> answer.map(found -> reading(found, how));
            case Body.Reading reading ->
                answer.with(answer.headers(), new Body.Reading(reading.reader(), reading.change(), Optional.of(how)));
            case Body.Duplex duplex ->
                answer.with(
                        answer.headers(),
                        new Body.Duplex(duplex.duplex(), duplex.length(), duplex.encoding(), Optional.of(how)));
            case Body.Relayed relayed ->
                answer.with(answer.headers(), new Body.Relayed(relayed.relay(), relayed.change(), Optional.of(how)));
            case Body.Whole _, Body.Stream _, Body.File _, Body.Events _ -> answer;
        };
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
