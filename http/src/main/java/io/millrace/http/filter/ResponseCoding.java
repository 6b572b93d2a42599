package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.coding.AcceptEncoding;
import io.millrace.http.coding.BodyEncoding;
import io.millrace.http.coding.Coding;
import io.millrace.http.coding.Compressible;
import io.millrace.http.coding.Encoder;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Makes of a response one whose body is packed, where the request and the response allow it and it is worth it.
///
/// ```
///   not packed, and says nothing of it    no content, a part of it, packed already, no-transform, a digest,
///                                         another media type, too short, events
///   not packed, but Vary                  the request does not want it; 206 and 304 of what might be
///   packed                                Content-Encoding, Vary, a weak ETag, no Accept-Ranges
/// ```
/// Immutable. Responses that are sent often know what it has made of them.
final class ResponseCoding {
    /// Longer ones are packed as the peer takes them, so that nobody waits for it.
    private static final int MOST_AT_ONCE = 128 << 10;

    /// They speak of the bytes of the content, which are others when it is packed.
    private static final List<String> DIGESTS = List.of("Digest", "Content-Digest", "Repr-Digest", "Content-MD5");

    private final int level;
    private final int leastBytes;
    private final Set<String> moreTypes;

    /// One that packs like this.
    ///
    /// @param level 1 to 9
    /// @param leastBytes shorter bodies stay as they are
    /// @param moreTypes besides those that are [Compressible]
    ResponseCoding(int level, int leastBytes, Set<String> moreTypes) {
        this.level = level;
        this.leastBytes = leastBytes;
        this.moreTypes = moreTypes;
    }

    /// What becomes of a response; one that comes later is looked at when it is there, and the request must be
    /// there then, too.
    public Response code(Request request, Response response) {
        var answer = BuiltResponse.from(response);
        return switch (answer.content()) {
            case Body.Later _, Body.File _, Body.Reading _, Body.Collecting _, Body.Relayed _ ->
                answer.map(found -> code(request, found));
            case Body.Events _ -> answer;
            case Body.Json _ -> code(request, answer.written(ReceivedRequest.codecFor(request)));
            case Body.Whole whole -> ofLength(request, answer, whole.bytes().length());
            case Body.Stream stream -> ofLength(request, answer, stream.length());
            case Body.Pushed pushed -> ofLength(request, answer, pushed.length());
            case Body.Blocking blocking -> ofLength(request, answer, blocking.length());
            case Body.Duplex duplex -> ofLength(request, answer, duplex.length());
        };
    }

    private BuiltResponse ofLength(Request request, BuiltResponse answer, long length) {
        if (answer.status() == 304) return notModified(request, answer);
        if (answer.status() == 204 || answer.status() == 205 || length == 0) return answer;
        if (mustStay(answer.headers()) || !isPackable(answer)) return answer;
        if (answer.status() == 206 || answer.headers().has("Content-Range")) return varying(answer);
        var wanted = AcceptEncoding.of(request.headers());
        if (length != Body.UNKNOWN && length < leastBytes && !wanted.refusesPlain()) return answer;
        if (wanted.coding().isEmpty()) return varying(answer);
        return packed(request, answer, wanted.coding().get(), wanted.refusesPlain());
    }

    /// Section 15.4.5: what it says is the same as in a response with the content, of which nobody knows here. A
    /// weak tag stands for both.
    private static BuiltResponse notModified(Request request, BuiltResponse answer) {
        var answered = varying(answer);
        return AcceptEncoding.of(request.headers()).coding().isEmpty()
                ? answered
                : answered.with(weakened(answered.headers()), answered.content());
    }

    private static boolean mustStay(Headers headers) {
        if (headers.has("Content-Encoding")) return true;
        for (var digest : DIGESTS) if (headers.has(digest)) return true;
        return FieldList.has(headers, "Cache-Control", "no-transform");
    }

    private boolean isPackable(BuiltResponse answer) {
        var type = answer.header("Content-Type").map(Compressible::type);
        return type.isPresent() && (Compressible.is(type.get()) || moreTypes.contains(type.get()));
    }

    private BuiltResponse packed(Request request, BuiltResponse answer, Coding coding, boolean isForced) {
        var known = answer.kept(this, coding);
        boolean isUseful =
                known.isPresent() && (!isForced || known.get().headers().has("Content-Encoding"));
        if (isUseful) return known.get();
        var encoding = new BodyEncoding(coding, level, request.remote());
        boolean isHead = request.method().equals("HEAD");
        return switch (answer.content()) {
            case Body.Whole whole
            when !isHead && whole.bytes().length() <= MOST_AT_ONCE -> whole(answer, whole.bytes(), encoding, isForced);
            case Body.Whole whole ->
                coded(
                        answer,
                        coding,
                        new Body.Stream(new BytesWriter(whole.bytes()), Body.UNKNOWN, Optional.of(encoding)));
            case Body.Stream stream ->
                coded(answer, coding, new Body.Stream(stream.writer(), stream.length(), Optional.of(encoding)));
            case Body.Pushed pushed ->
                coded(answer, coding, new Body.Pushed(pushed.open(), pushed.length(), Optional.of(encoding)));
            case Body.Blocking blocking ->
                coded(answer, coding, new Body.Blocking(blocking.writer(), blocking.length(), Optional.of(encoding)));
            case Body.Duplex duplex ->
                coded(answer, coding, new Body.Duplex(duplex.duplex(), duplex.length(), Optional.of(encoding)));
            case Body.Events _, Body.Json _, Body.Later _, Body.File _ -> answer;
            case Body.Reading _, Body.Collecting _, Body.Relayed _ -> answer;
        };
    }

    private BuiltResponse whole(BuiltResponse answer, Bytes plain, BodyEncoding encoding, boolean isForced) {
        var packed = Encoder.whole(plain, encoding);
        boolean isWorthIt = packed.length() < plain.length() || isForced;
        var made = isWorthIt ? coded(answer, encoding.coding(), new Body.Whole(packed)) : varying(answer);
        answer.keep(this, encoding.coding(), made);
        return made;
    }

    private static BuiltResponse coded(BuiltResponse answer, Coding coding, Body body) {
        var headers =
                weakened(varying(answer).headers()).without("Accept-Ranges").with("Content-Encoding", coding.token());
        return answer.with(headers, body);
    }

    /// Caches must know that others get something else.
    private static BuiltResponse varying(BuiltResponse answer) {
        return BuiltResponse.from(FieldList.varying(answer, "Accept-Encoding"));
    }

    /// Section 8.8.3: other bytes of the same thing, which a strong tag denies.
    private static Headers weakened(Headers headers) {
        var tag = headers.first("ETag");
        if (tag.isEmpty() || tag.get().startsWith("W/")) return headers;
        return headers.without("ETag").with("ETag", "W/" + tag.get());
    }
}
