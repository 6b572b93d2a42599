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

/// What a handler answers: an immutable value, so that it cannot be sent twice or forgotten, and one that never
/// changes can be made once. Methods that change something return a copy.
///
/// ```java
/// Response.ok("hello")
/// Response.json(room).setHeader("Cache-Control", "no-store")
/// Response.status(404)
/// Response.stream(200, out -> { out.writeUtf8("line\n"); return more(); })
/// ```
/// `Content-Length` or chunks, `Date`, and `Connection` are the server's business.
@CheckReturnValue
public abstract sealed class Response permits BuiltResponse {
    protected Response() {}

    // What it is.

    /// 100 to 599 (RFC 9110 section 15).
    public abstract int status();

    /// The fields that were set; not those that the server adds.
    public abstract Headers headers();

    /// The value of the first field of this name.
    public final Optional<String> header(String name) {
        return headers().first(name);
    }

    /// The body. Without a server, for a test, also of a response that comes later, which is waited for, or bit
    /// by bit, which is written then, up to 64 MiB; of a file its bytes, of events those sent until the stream was
    /// opened.
    ///
    /// @throws IllegalStateException for one that is made of its request's body as that arrives, when a stage or a
    ///     writer fails, and on an event loop, which must not wait
    public abstract Bytes body();

    /// The body read as UTF-8; as [#body].
    public final String text() {
        return body().utf8();
    }

    /// The value that the [#body] stands for as JSON, whatever its media type; read by [JsonCodec#standard].
    ///
    /// @throws BadJson for a body that is no JSON, is `null`, or does not fit the type, with the place
    /// @throws IllegalStateException as [#body], and without a codec, with the remedy
    public final <T> T json(Class<T> type) {
        return read(type);
    }

    /// The same for a type with arguments, as in `response.json(new JsonType<List<Room>>() {})`.
    public final <T> T json(JsonType<T> type) {
        return read(type.type());
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what a codec promises
    private <T> T read(Type type) {
        return (T) JsonValues.read(JsonCodec.standard(), body(), type);
    }

    /// Fields that came behind a body in chunks; of a response that a client got whole.
    public abstract Headers trailers();

    // Changes.

    /// With this field instead of all of its name.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent, and for fields that are the
    ///     server's business
    public abstract Response setHeader(String name, String value);

    /// With one more field.
    ///
    /// @throws IllegalArgumentException as [#setHeader], and for a second `Content-Type`
    public abstract Response addHeader(String name, String value);

    /// Without all fields of this name.
    public abstract Response removeHeader(String name);

    /// With another status, and the same body.
    ///
    /// @throws IllegalArgumentException for one that is none
    public abstract Response withStatus(int status);

    /// With this media type, instead of the one before.
    public abstract Response type(String mediaType);

    /// The connection closes behind it.
    public abstract Response close();

    /// What a function makes of it; of one that comes later, when it is there, unless its peer has gone. What has
    /// to happen for each request belongs into a [RequestListener].
    public abstract Response map(UnaryOperator<Response> change);

    /// Status and fields of one that a client got whole.
    static Response headOf(Response whole) {
        return BuiltResponse.received(whole.status(), whole.headers(), Bytes.EMPTY);
    }

    // Whole ones.

    /// 200 with a text in UTF-8, as `text/plain`.
    public static Response ok(String text) {
        return of(200, "text/plain; charset=utf-8", Bytes.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// 200 with `text/html` in UTF-8.
    public static Response html(String text) {
        return of(200, "text/html; charset=utf-8", Bytes.utf8(text));
    }

    /// 200 with a value as `application/json`: written when a server answers with it, each time, by the codec
    /// that its [HttpSettings#json] names; without a server by [JsonCodec#standard]. Nobody may change the
    /// value until then. One that cannot be written is answered with 500.
    ///
    /// @throws IllegalArgumentException for a text, which might be JSON already: [#jsonText] takes that
    public static Response json(Object value) {
        return json(200, value);
    }

    /// Any status with a value as `application/json`; as [#json(Object)].
    ///
    /// @throws IllegalArgumentException for a status that is none, and for a text
    public static Response json(int status, Object value) {
        return BuiltResponse.of(status, new Body.Json(JsonValues.checked(value)))
                .type(JsonValues.MEDIA_TYPE);
    }

    /// 200 with a text that is `application/json`.
    public static Response jsonText(String text) {
        return of(200, JsonValues.MEDIA_TYPE, Bytes.utf8(text));
    }

    /// Any status with a text in UTF-8 of a media type.
    ///
    /// @throws IllegalArgumentException for a status that is none
    public static Response of(int status, String mediaType, String text) {
        return of(status, mediaType, Bytes.utf8(text));
    }

    /// Any status with a body of a media type.
    ///
    /// @throws IllegalArgumentException for a status that is none
    public static Response of(int status, String mediaType, Bytes body) {
        return BuiltResponse.of(status, new Body.Whole(body)).type(mediaType);
    }

    /// 200 with a body.
    public static Response ok(Bytes body, String mediaType) {
        return of(200, mediaType, body);
    }

    /// A status; one that is an error with its standard phrase as the body, which tells nothing else, or what the
    /// server
    /// makes of it ([ErrorResponses]).
    public static Response status(int status) {
        if (status < 400) return BuiltResponse.of(status, Body.Whole.NONE);
        var phrase = new Body.Whole(Bytes.utf8(ReasonPhrase.of(status) + "\n"), true);
        return BuiltResponse.of(status, phrase).type("text/plain; charset=utf-8");
    }

    /// Sends the peer elsewhere, with 302; `status` says something else.
    ///
    /// @throws IllegalArgumentException for a location that may not be sent
    public static Response redirect(String location) {
        return BuiltResponse.of(302, Body.Whole.NONE).setHeader("Location", location);
    }

    // Those that come bit by bit.

    /// A body that is written as the peer takes it: called again whenever there is room, until it returns false.
    /// In chunks, unless [#length] says how long it is.
    public static Response stream(int status, BodyWriter writer) {
        return BuiltResponse.of(status, new Body.Stream(writer, Body.UNKNOWN));
    }

    /// A body that plain blocking code writes, on a virtual thread of its own wherever the handler was called; what it
    /// writes waits while the peer does not take it. It may read the body of the request meanwhile
    /// ([Request#blockingBody]). In chunks, unless [#length] says how long it is.
    ///
    /// ```java
    /// Response.blocking(200, out -> Files.copy(report, out.outputStream()))
    /// ```
    public static Response blocking(int status, BlockingBodyWriter writer) {
        return BuiltResponse.of(status, new Body.Blocking(writer, Body.UNKNOWN));
    }

    /// A body that any thread sends when there is something to send, until it ends or the peer goes. In chunks, unless
    /// [#length] says how long it is.
    ///
    /// @param open gets it when the response has begun
    public static Response push(int status, Consumer<PushBody> open) {
        return BuiltResponse.of(status, new Body.Pushed(open, Body.UNKNOWN));
    }

    /// A body whose parts somebody publishes: asked for one by one, as the peer takes them, and cancelled when it goes.
    public static Response publish(int status, Flow.Publisher<Bytes> parts) {
        return BuiltResponse.of(status, Body.published(parts));
    }

    /// How long the body of a stream is, in bytes: sent as `Content-Length`, and the connection is dropped if it
    /// turns out to be otherwise.
    ///
    /// @throws IllegalStateException for a response that is no stream
    public abstract Response length(long bytes);

    /// A file of this machine, with its media type; parts of it, or only the news that it has not changed, if the
    /// request asks so (RFC 9110 sections 13 and 14). 404 when there is none.
    public static Response file(Path path) {
        return BuiltResponse.of(200, new Body.File(path, UnaryOperator.identity()));
    }

    /// Server-sent events, from any thread, until the stream or the peer ends.
    ///
    /// @param open gets the stream when it begins
    public static Response events(Consumer<EventStream> open) {
        return BuiltResponse.of(200, new Body.Events(open))
                .type("text/event-stream")
                .setHeader("Cache-Control", "no-cache");
    }

    /// The response that a stage completes with, on whatever thread; its failure is answered with 500. Meanwhile
    /// no further request of the connection is handled.
    ///
    /// If the peer goes before, nobody cancels the stage, which others may wait for, too. What it brings is not
    /// sent and does not reach [#map]; its writer or reader, if it has one, hears that the connection has died.
    /// [RequestListener] tells that the peer has gone.
    public static Response later(CompletionStage<Response> stage) {
        return BuiltResponse.of(200, new Body.Later(stage, UnaryOperator.identity()));
    }

    // Those that take a body bit by bit.

    /// Answers when the request's body is complete, which the reader gets as it arrives.
    public static Response reading(BodyReader reader) {
        return BuiltResponse.of(200, new Body.Reading(reader, UnaryOperator.identity()));
    }

    /// Answers at once, and writes the body while that of the request arrives.
    public static Response duplex(int status, BodyDuplex duplex) {
        return BuiltResponse.of(status, new Body.Duplex(duplex, Body.UNKNOWN));
    }

    /// The status and the fields, for a log.
    @Override
    public String toString() {
        return status() + " " + ReasonPhrase.of(status());
    }
}
