package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.grammar.Query;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Security;
import java.lang.reflect.Type;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// What somebody asks for. A handler's request is **lent** until its response is complete; then its methods throw
/// [IllegalStateException]. Texts that were taken from it stay. One that was built with [#get] and its like is a
/// value.
///
/// Used by one thread at a time.
@CheckReturnValue
public abstract sealed class Request permits ReceivedRequest, BuiltRequest, RewrittenRequest {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    /// Of the original, whatever is changed on its way, so that who is in front hears of it.
    private RouteMatch match = RouteMatch.NONE;

    protected Request() {}

    /// `GET`, `POST` or any other (RFC 9110 section 9); case matters.
    public abstract String method();

    /// The path in its one canonical form, which begins with a slash, or `*` for the server as a whole: no dot
    /// segments, no empty ones, no escapes of characters that need none, other escapes in capitals (RFC 3986
    /// section 6.2).
    public abstract String path();

    /// What stands behind the question mark, as it came, or nothing.
    public abstract String query();

    /// The value of the first field of this name, whatever its case. `Host` is the host that is asked for, also
    /// where the target alone names it (HTTP/1.0); a server has refused a request whose target and field differ.
    public Optional<String> header(String name) {
        return headers().first(name);
    }

    /// The values of all fields of this name, in their order.
    public List<String> headers(String name) {
        return headers().all(name);
    }

    /// All fields, for keeps.
    public abstract Headers headers();

    /// The body as a value ([HttpHandler] says when it is one): lent until the handler returns, also when the response
    /// comes later. A virtual thread waits for one that is still to come, of up to [HttpLimits#bodyBytes].
    ///
    /// @throws IllegalStateException for a body that is still to come on any other thread, with the remedy
    /// @throws HttpError with 413 for one that is longer, when it is waited for
    /// @throws java.io.UncheckedIOException when it will not be complete
    public abstract Input body();

    /// The body in direct style: the calling thread, which is a virtual one, waits for what is still to come.
    ///
    /// @throws IllegalStateException for a body that is still to come on any other thread, with the remedy
    public abstract BlockingBody blockingBody();

    /// A copy of the [#body], which stays unread.
    ///
    /// @throws IllegalStateException as [#body], and for 2 GiB or more
    public final Bytes bytes() {
        var body = body();
        if (body.remaining() > MOST_BYTES) {
            throw new IllegalStateException("a body of " + body.remaining() + " bytes is too long for one value");
        }
        var copy = new byte[(int) body.remaining()];
        body.peek(0, copy, 0, copy.length);
        return Bytes.of(copy);
    }

    /// The [#body] read as UTF-8, which stays unread.
    ///
    /// @throws IllegalStateException as [#bytes]
    public final String text() {
        return bytes().utf8();
    }

    /// The value that the [#body] stands for as JSON, which stays unread: read by the codec that the server's
    /// [HttpSettings#json] names, of a request that was built by [JsonCodec#standard].
    ///
    /// @throws HttpError with 415 for a body that does not say it is JSON in UTF-8, 400 for one that is no
    ///     JSON, is `null`, or does not fit the type, with the place; 413 as [#body]
    /// @throws IllegalStateException as [#bytes], and without a codec, with the remedy
    public final <T> T json(Class<T> type) {
        return json((Type) type);
    }

    /// The same for a type with arguments, as in `request.json(new JsonType<List<Room>>() {})`.
    public final <T> T json(JsonType<T> type) {
        return json(type.type());
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what its codec promises
    private <T> T json(Type type) {
        ContentType.checkJson(this);
        try {
            return (T) JsonValues.read(ReceivedRequest.codecFor(this), bytes(), type);
        } catch (BadJson e) {
            throw HttpError.of(e);
        }
    }

    /// Fields that came behind a body in chunks, for keeps.
    public Headers trailers() {
        return Headers.EMPTY;
    }

    /// The client's address: the peer's, or that of whom a trusted peer serves. That of nobody (`0.0.0.0:0`) for a
    /// request that was built.
    public abstract SocketAddress remote();

    /// Whether it came over TLS, or to a listener of the proxy for which TLS has ended before (`scheme: https`). What
    /// a client says of that in fields does not count. Of one that was built, whether it goes that way: its URI
    /// begins with `https:`.
    public abstract boolean isSecure();

    /// What TLS says of the connection that it came on: the name asked for, the client's certificates. Empty without
    /// TLS, where it has ended before, and for one that was built.
    public abstract Optional<Security> security();

    /// The decoded value of the first parameter of this name in the query
    /// (`application/x-www-form-urlencoded`).
    public final Optional<String> parameter(String name) {
        return Query.first(query(), name);
    }

    /// The decoded values of all parameters of this name in the query, in their order.
    public final List<String> parameters(String name) {
        return Query.all(query(), name);
    }

    // Other fields. Of a request that a peer sent they make a view, which is lent as that is: its body comes with it,
    // as it arrives or whole, and so does its connection. Of one that was built they make another one.

    /// With this field instead of all of its name, also of those that came with `_` for `-`.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent; and of what a peer sent for a
    ///     field that speaks of its connection, or of how its body is framed
    public final Request setHeader(String name, String value) {
        return removeHeader(name).addHeader(name, value);
    }

    /// With one more field; as [#setHeader].
    public final Request addHeader(String name, String value) {
        return RewrittenRequest.with(this, name, value);
    }

    /// Without all fields of this name, also those that came with `_` for `-`.
    public final Request removeHeader(String name) {
        return RewrittenRequest.without(this, name);
    }

    // What filters tell handlers.

    /// With a value for those behind; also of a request that was built a view.
    public final <T> Request with(Attribute<T> attribute, T value) {
        return RewrittenRequest.with(this, attribute, value);
    }

    /// What a filter in front has said.
    public <T> Optional<T> attribute(Attribute<T> attribute) {
        return Optional.empty();
    }

    /// The pattern of the route that the request has come to, joined with those of the mounts in front of it:
    /// `/teams/{team}/rooms/{id}`. Known behind [Routes], and in front once they have answered; of what is
    /// mounted and has no such path, the pattern of the mount. Empty where no route is for it.
    public final Optional<String> route() {
        var known = match().template();
        return known.isEmpty() ? Optional.empty() : Optional.of(known);
    }

    /// A route is for it, or none is.
    final void matched(RouteMatch found) {
        noted().match = found;
    }

    final RouteMatch match() {
        return noted().match;
    }

    private Request noted() {
        var original = RewrittenRequest.originalOf(this);
        return original instanceof BuiltRequest built ? built.first() : original;
    }

    /// A view for those who are mounted somewhere.
    final <T> Request below(Attribute<T> attribute, T value, String path) {
        return RewrittenRequest.at(path, this, attribute, value);
    }

    // Copies, which can be kept; a body that is still to come, and the connection, stay with the original.

    /// A copy that can be kept, to which a client gives so much time: from its call to the end of the response, with
    /// all redirects and retries, instead of what [io.millrace.http.client.ClientSettings#timeout] says. Zero means
    /// no limit. What a filter of a client sends has the time that the filter says, within that of the call.
    ///
    /// @throws IllegalArgumentException for a negative one
    public final Request timeout(Duration limit) {
        return BuiltRequest.copyOf(this).within(limit);
    }

    /// A copy with one more parameter in its query, behind those that it has; name and value are escaped.
    ///
    /// ```java
    /// Request.get("http://example.org/search").addParameter("q", "black & white").addParameter("page", "2")
    /// ```
    public final Request addParameter(String name, String value) {
        return BuiltRequest.copyOf(this).asking(Query.with(query(), name, value));
    }

    /// A copy whose body, which a [BodyWriter] writes, is so long, in bytes: sent as `Content-Length`, and the
    /// call fails if it turns out to be otherwise. It has no trailers.
    ///
    /// @throws IllegalArgumentException for a negative one
    /// @throws IllegalStateException for a request whose body is not written
    public final Request length(long bytes) {
        return BuiltRequest.copyOf(this).counted(bytes);
    }

    /// A copy with fields behind its body, which a [BodyWriter] writes in chunks: asked for on the connection's
    /// loop, when the writer has said that there is no more. Servers may leave them out.
    ///
    /// @throws IllegalStateException for a request whose body is not written
    public final Request trailers(Supplier<Headers> atEnd) {
        return BuiltRequest.copyOf(this).followedBy(atEnd);
    }

    // For tests and clients.

    /// A request for a path, with an optional query, or for an URI.
    ///
    /// @throws IllegalArgumentException for a target that may not be sent
    public static Request get(String target) {
        return of("GET", target, Bytes.EMPTY);
    }

    /// A request with a body.
    ///
    /// @throws IllegalArgumentException for a target that may not be sent
    public static Request post(String target, Bytes body) {
        return of("POST", target, body);
    }

    /// A request with a body that is written as the server takes it; see [#of(String, String, BodyWriter)].
    ///
    /// @throws IllegalArgumentException for a target that may not be sent
    public static Request post(String target, BodyWriter body) {
        return of("POST", target, body);
    }

    /// A request whose body is a value as JSON, written by [JsonCodec#standard].
    ///
    /// @throws IllegalArgumentException for a method or a target that may not be sent, a value that cannot be
    ///     written, and a text, which might be JSON already: `of` takes that
    /// @throws IllegalStateException without a codec, with the remedy
    public static Request json(String method, String target, Object value) {
        var body = JsonCodec.standard().write(JsonValues.checked(value));
        return of(method, target, body).setHeader("Content-Type", JsonValues.MEDIA_TYPE);
    }

    /// Any request.
    ///
    /// @throws IllegalArgumentException for a method or a target that may not be sent
    public static Request of(String method, String target, Bytes body) {
        return BuiltRequest.of(method, target, body);
    }

    /// A request with a body that is written as the server takes it: called again whenever there is room, until
    /// it returns false. In chunks, unless [#length] says how long it is.
    ///
    /// ```java
    /// client.send(Request.of("PUT", uri, out -> out.write(file, 64 << 10) > 0).length(file.size()))
    /// ```
    /// It is sent once: never repeated, nor sent after a redirect, and a second call with it is refused. An
    /// answer from 300 on that comes before its end stops it; others come while it goes on, until they are
    /// complete. What the writer throws ends the connection, and is what the call fails with.
    ///
    /// @throws IllegalArgumentException for a method or a target that may not be sent
    public static Request of(String method, String target, BodyWriter body) {
        return BuiltRequest.of(method, target, body);
    }

    /// Method and path, for a log.
    @Override
    public String toString() {
        return method() + " " + path();
    }
}
