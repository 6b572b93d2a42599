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
import io.millrace.http.grammar.EntityTag;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Compresses a response's body if the request and the response allow it and it is worth it.
///
/// ```
///   not compressed, no Vary               no content, a range, compressed already, no-transform, a digest,
///                                         another media type, too short, events
///   not compressed, but Vary              the request does not accept it; 206 and 304 of what might be
///   compressed                            Content-Encoding, Vary, a weak ETag, no Accept-Ranges
/// ```
/// Immutable. It caches its result in responses that are sent often.
final class ResponseCoding {
    /// Longer bodies are compressed as the peer takes them, so that nothing waits for all of it.
    private static final int MOST_AT_ONCE = 128 << 10;

    /// They are about the bytes of the content, which compression changes.
    private static final List<String> DIGESTS = List.of("Digest", "Content-Digest", "Repr-Digest", "Content-MD5");

    private final int level;
    private final int leastBytes;
    private final Predicate<String> types;

    /// Compresses with these settings.
    ///
    /// @param level 1 to 9
    /// @param leastBytes shorter bodies are not compressed
    /// @param types whether a media type is worth it
    ResponseCoding(int level, int leastBytes, Predicate<String> types) {
        this.level = level;
        this.leastBytes = leastBytes;
        this.types = types;
    }

    /// The response to send; if it comes later, the request must still be valid then.
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

    /// Section 15.4.5: the fields are those of a response with the content, which is unknown here. A weak tag
    /// matches both; a peer that has a strong one got the content as it was.
    private static BuiltResponse notModified(Request request, BuiltResponse answer) {
        var answered = varying(answer);
        return AcceptEncoding.of(request.headers()).coding().isEmpty() || hasTagOf(request, answered)
                ? answered
                : answered.with(weakened(answered.headers()), answered.content());
    }

    private static boolean hasTagOf(Request request, BuiltResponse answer) {
        var tag = answer.headers().first("ETag").flatMap(EntityTag::parse);
        var known = EntityTag.list(String.join(",", request.headers().all("If-None-Match")));
        return tag.isPresent() && known.stream().anyMatch(tag.get()::matchesStrongly);
    }

    private static boolean mustStay(Headers headers) {
        if (headers.has("Content-Encoding")) return true;
        for (var digest : DIGESTS) if (headers.has(digest)) return true;
        return FieldList.has(headers, "Cache-Control", "no-transform");
    }

    private boolean isPackable(BuiltResponse answer) {
        var type = answer.header("Content-Type").map(Compressible::type);
        return type.filter(types).isPresent();
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

    /// Caches must know that other clients get another body.
    private static BuiltResponse varying(BuiltResponse answer) {
        return BuiltResponse.from(FieldList.varying(answer, "Accept-Encoding"));
    }

    /// Section 8.8.3: a strong tag would promise the same bytes.
    private static Headers weakened(Headers headers) {
        var tag = headers.first("ETag");
        if (tag.isEmpty() || tag.get().startsWith("W/")) return headers;
        return headers.without("ETag").with("ETag", "W/" + tag.get());
    }
}
