package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.http.grammar.ReasonPhrase;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.net.CheckReturnValue;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// A handler's answer: an immutable value, so that it cannot be sent twice or forgotten, and a constant response
/// can be made once. Methods that change something return a copy.
///
/// ```java
/// Response.ok("hello")
/// Response.json(room).setHeader("Cache-Control", "no-store")
/// Response.status(404)
/// Response.stream(200, out -> { out.writeUtf8("line\n"); return more(); })
/// ```
/// The server adds `Content-Length` or chunks, `Date`, and `Connection`.
@CheckReturnValue
public abstract sealed class Response permits BuiltResponse {
    protected Response() {}

    // Its parts.

    /// 100 to 599 (RFC 9110 section 15).
    public abstract int status();

    /// The fields that were set, without those that the server adds.
    public abstract Headers headers();

    /// The value of the first field of this name.
    public final Optional<String> header(String name) {
        return headers().first(name);
    }

    /// The body. Without a server, for tests, every kind of response has one: a response that comes later is
    /// waited for, a stream is written, up to 64 MiB, a file is read, and of events those sent until the stream
    /// was opened count.
    ///
    /// @throws IllegalStateException for a response made from its request's body as that arrives, if a stage or a
    ///     writer fails, and on an event loop, which must not wait
    public abstract Bytes body();

    /// The body decoded as UTF-8; as [#body].
    public final String text() {
        return body().utf8();
    }

    /// The [#body] parsed as JSON, whatever its media type, by [JsonCodec#standard].
    ///
    /// @throws BadJson for a body that is not JSON, is `null`, or does not fit the type, with the place
    /// @throws IllegalStateException as [#body], and without a codec, with the remedy
    public final <T> T json(Class<T> type) {
        return read(type);
    }

    /// The same for a type with arguments, as in `response.json(new JsonType<List<Room>>() {})`.
    public final <T> T json(JsonType<T> type) {
        return read(type.type());
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the codec's promise
    private <T> T read(Type type) {
        return (T) JsonValues.read(JsonCodec.standard(), body(), type);
    }

    /// The trailer fields of a response that a client got whole.
    public abstract Headers trailers();

    // Changes.

    /// With this field instead of all fields of this name.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent, and for fields that the
    ///     server adds
    public abstract Response setHeader(String name, String value);

    /// With one more field.
    ///
    /// @throws IllegalArgumentException as [#setHeader], and for a second `Content-Type`
    public abstract Response addHeader(String name, String value);

    /// Without all fields of this name.
    public abstract Response removeHeader(String name);

    /// With another status, and the same body.
    ///
    /// @throws IllegalArgumentException for an invalid status
    public abstract Response withStatus(int status);

    /// With this media type.
    public abstract Response type(String mediaType);

    /// Closes the connection after this response.
    public abstract Response close();

    /// What a function makes of it; of one that comes later, when it is there, unless its peer has gone. What has
    /// to happen for each request belongs into a [RequestListener].
    public abstract Response map(UnaryOperator<Response> change);

    /// Status and fields of a response that a client got whole.
    static Response headOf(Response whole) {
        return BuiltResponse.received(whole.status(), whole.headers(), Bytes.EMPTY);
    }

    // Whole responses.

    /// 200 with a text in UTF-8, as `text/plain`.
    public static Response ok(String text) {
        return of(200, "text/plain; charset=utf-8", Bytes.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// 200 with `text/html` in UTF-8.
    public static Response html(String text) {
        return of(200, "text/html; charset=utf-8", Bytes.utf8(text));
    }

    /// 200 with a value as `application/json`. It is written each time a server sends it, by the codec in
    /// [HttpSettings#json]; without a server by [JsonCodec#standard]. Do not change the value until then. A value
    /// that cannot be written is answered with 500.
    ///
    /// @throws IllegalArgumentException for a text, which might be JSON already: use [#jsonText] for that
    public static Response json(Object value) {
        return json(200, value);
    }

    /// Any status with a value as `application/json`; as [#json(Object)].
    ///
    /// @throws IllegalArgumentException for an invalid status, and for a text
    public static Response json(int status, Object value) {
        return BuiltResponse.of(status, new Body.Json(JsonValues.checked(value)))
                .type(JsonValues.MEDIA_TYPE);
    }

    /// 200 with a text that is JSON, as `application/json`.
    public static Response jsonText(String text) {
        return of(200, JsonValues.MEDIA_TYPE, Bytes.utf8(text));
    }

    /// Any status with a text in UTF-8 and its media type.
    ///
    /// @throws IllegalArgumentException for an invalid status
    public static Response of(int status, String mediaType, String text) {
        return of(status, mediaType, Bytes.utf8(text));
    }

    /// Any status with a body and its media type.
    ///
    /// @throws IllegalArgumentException for an invalid status
    public static Response of(int status, String mediaType, Bytes body) {
        return BuiltResponse.of(status, new Body.Whole(body)).type(mediaType);
    }

    /// 200 with a body.
    public static Response ok(Bytes body, String mediaType) {
        return of(200, mediaType, body);
    }

    /// A status. An error gets the body that the server's [ErrorResponses] make, by default the standard phrase
    /// and nothing else.
    public static Response status(int status) {
        if (status < 400) return BuiltResponse.of(status, Body.Whole.NONE);
        var phrase = new Body.Whole(Bytes.utf8(ReasonPhrase.of(status) + "\n"), true);
        return BuiltResponse.of(status, phrase).type("text/plain; charset=utf-8");
    }

    /// Redirects the peer, with 302; [#withStatus] sets another status.
    ///
    /// @throws IllegalArgumentException for a location that must not be sent
    public static Response redirect(String location) {
        return BuiltResponse.of(302, Body.Whole.NONE).setHeader("Location", location);
    }

    // Streamed responses.

    /// A body that is written as the peer takes it: the writer is called again whenever there is room, until it
    /// returns false. Sent in chunks, unless [#length] sets a length.
    public static Response stream(int status, BodyWriter writer) {
        return BuiltResponse.of(status, new Body.Stream(writer, Body.UNKNOWN));
    }

    /// A body written by plain blocking code, on a virtual thread of its own wherever the handler was called; it
    /// waits while the peer does not read. It may read the request's body meanwhile ([Request#blockingBody]).
    /// Sent in chunks, unless [#length] sets a length.
    ///
    /// ```java
    /// Response.blocking(200, out -> Files.copy(report, out.outputStream()))
    /// ```
    public static Response blocking(int status, BlockingBodyWriter writer) {
        return BuiltResponse.of(status, new Body.Blocking(writer, Body.UNKNOWN));
    }

    /// A body that any thread sends when there is something to send, until it ends or the peer goes. Sent in
    /// chunks, unless [#length] sets a length.
    ///
    /// @param open called with the body when the response has begun
    public static Response push(int status, Consumer<PushBody> open) {
        return BuiltResponse.of(status, new Body.Pushed(open, Body.UNKNOWN));
    }

    /// A body from a publisher: parts are requested one by one, as the peer takes them, and cancelled when the
    /// peer goes.
    public static Response publish(int status, Flow.Publisher<Bytes> parts) {
        return BuiltResponse.of(status, Body.published(parts));
    }

    /// Sets the length of a stream's body, in bytes: sent as `Content-Length`. The connection is dropped if the
    /// body has another length.
    ///
    /// @throws IllegalStateException for a response that is not a stream
    public abstract Response length(long bytes);

    /// A file of this machine, with its media type. Conditional and range requests get 304 and parts of it (RFC
    /// 9110 sections 13 and 14). 404 if there is no such file.
    public static Response file(Path path) {
        return BuiltResponse.of(200, new Body.File(path, UnaryOperator.identity()));
    }

    /// Server-sent events, from any thread, until the stream is closed or the peer goes.
    ///
    /// @param open called with the stream when it begins
    public static Response events(Consumer<EventStream> open) {
        return BuiltResponse.of(200, new Body.Events(open))
                .type("text/event-stream")
                .setHeader("Cache-Control", "no-cache");
    }

    /// The response that a stage completes with, on any thread; if the stage fails, the answer is 500. Until then
    /// no further request of the connection is handled.
    ///
    /// If the peer goes before, nobody cancels the stage, which others may wait for, too. What it brings is not
    /// sent and does not reach [#map]; its writer or reader, if it has one, hears that the connection has died.
    /// [RequestListener] tells that the peer has gone.
    public static Response later(CompletionStage<Response> stage) {
        return BuiltResponse.of(200, new Body.Later(stage, UnaryOperator.identity()));
    }

    // Responses that stream the request's body.

    /// Answers when the request's body is complete; the reader gets the body as it arrives.
    public static Response reading(BodyReader reader) {
        return BuiltResponse.of(200, new Body.Reading(reader, UnaryOperator.identity()));
    }

    /// Answers at once, and writes the body while the request's body arrives.
    public static Response duplex(int status, BodyDuplex duplex) {
        return BuiltResponse.of(status, new Body.Duplex(duplex, Body.UNKNOWN));
    }

    /// Status and phrase, for logs.
    @Override
    public String toString() {
        return status() + " " + ReasonPhrase.of(status());
    }
}
