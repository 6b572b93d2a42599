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

/// An HTTP request. A handler's request is **lent** until its response is complete; after that its methods throw
/// [IllegalStateException]. Texts taken from it stay valid. A request built with [#get] and the like is a value.
///
/// Used by one thread at a time.
@CheckReturnValue
public abstract sealed class Request permits ReceivedRequest, BuiltRequest, RewrittenRequest {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    /// Kept in the original, whatever views were made of it, so that filters in front see it.
    private RouteMatch match = RouteMatch.NONE;

    protected Request() {}

    /// `GET`, `POST` or any other (RFC 9110 section 9); case matters.
    public abstract String method();

    /// The path in its one canonical form, which begins with a slash, or `*` for the server as a whole: no dot
    /// segments, no empty ones, no escapes of characters that need none, other escapes in capitals (RFC 3986
    /// section 6.2).
    public abstract String path();

    /// The text after the question mark, as it came, or nothing.
    public abstract String query();

    /// The value of the first field of this name; case does not matter. `Host` is the requested host, even if
    /// only the target names it (HTTP/1.0); a server refuses a request whose target and field differ.
    public Optional<String> header(String name) {
        return headers().first(name);
    }

    /// The values of all fields of this name, in their order.
    public List<String> headers(String name) {
        return headers().all(name);
    }

    /// A copy of all fields.
    public abstract Headers headers();

    /// The body as a value ([HttpHandler] says when it is one): lent until the handler returns, even if the
    /// response comes later. If the body is still to come, a virtual thread waits for it, up to
    /// [HttpLimits#bodyBytes].
    ///
    /// @throws IllegalStateException on any other thread for a body that is still to come, with the remedy
    /// @throws HttpError with 413 for a longer body, if it is waited for
    /// @throws java.io.UncheckedIOException if the body will not be complete
    public abstract Input body();

    /// The body in direct style: the calling thread, a virtual one, waits for what is still to come.
    ///
    /// @throws IllegalStateException on any other thread for a body that is still to come, with the remedy
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

    /// The [#body] decoded as UTF-8; it stays unread.
    ///
    /// @throws IllegalStateException as [#bytes]
    public final String text() {
        return bytes().utf8();
    }

    /// The [#body] parsed as JSON; it stays unread. The codec is the one in the server's [HttpSettings#json]; for
    /// a request that a program built, [JsonCodec#standard].
    ///
    /// @throws HttpError with 415 for a body not declared as JSON in UTF-8, 400 for one that is not JSON, is
    ///     `null`, or does not fit the type, with the place; 413 as [#body]
    /// @throws IllegalStateException as [#bytes], and without a codec, with the remedy
    public final <T> T json(Class<T> type) {
        return json((Type) type);
    }

    /// The same for a type with arguments, as in `request.json(new JsonType<List<Room>>() {})`.
    public final <T> T json(JsonType<T> type) {
        return json(type.type());
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the codec's promise
    private <T> T json(Type type) {
        ContentType.checkJson(this);
        try {
            return (T) JsonValues.read(ReceivedRequest.codecFor(this), bytes(), type);
        } catch (BadJson e) {
            throw HttpError.of(e);
        }
    }

    /// A copy of the trailer fields.
    public Headers trailers() {
        return Headers.EMPTY;
    }

    /// The client's address: the peer's, or the one that a trusted peer forwards. For a request that a program
    /// built, `0.0.0.0:0`.
    public abstract SocketAddress remote();

    /// Whether it came over TLS, or to a listener of the proxy in front of which TLS has ended (`scheme: https`).
    /// The client's own fields do not count. For a request that a program built: whether its URI begins with
    /// `https:`.
    public abstract boolean isSecure();

    /// The connection's TLS session: the requested name, the client's certificates. Empty without TLS, if TLS has
    /// ended before, and for a request that a program built.
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

    // Other fields. A request from a peer becomes a view, which is lent as the original is and shares its body
    // and connection. A request that a program built becomes another one.

    /// With this field instead of all fields of this name, including those spelled with `_` for `-`.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent; and, on a peer's request,
    ///     for a field that describes its connection, or how its body is framed
    public final Request setHeader(String name, String value) {
        return removeHeader(name).addHeader(name, value);
    }

    /// With one more field; as [#setHeader].
    public final Request addHeader(String name, String value) {
        return RewrittenRequest.with(this, name, value);
    }

    /// Without all fields of this name, including those spelled with `_` for `-`.
    public final Request removeHeader(String name) {
        return RewrittenRequest.without(this, name);
    }

    // Attributes, from filters to handlers.

    /// With a value for the handlers behind; always a view.
    public final <T> Request with(Attribute<T> attribute, T value) {
        return RewrittenRequest.with(this, attribute, value);
    }

    /// The value that a filter in front has set.
    public <T> Optional<T> attribute(Attribute<T> attribute) {
        return Optional.empty();
    }

    /// The pattern of the route that matches the request, joined with those of the mounts in front of it:
    /// `/teams/{team}/rooms/{id}`. Known behind [Routes], and in front of them once they have answered; if only a
    /// mount matches, the mount's pattern. Empty if no route matches.
    public final Optional<String> route() {
        var known = match().template();
        return known.isEmpty() ? Optional.empty() : Optional.of(known);
    }

    /// Records the matching route, or that there is none.
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

    /// A view for the handlers below a mount.
    final <T> Request below(Attribute<T> attribute, T value, String path) {
        return RewrittenRequest.at(path, this, attribute, value);
    }

    // Copies that can be kept; a body that is still to come, and the connection, stay with the original.

    /// A copy that can be kept, with its own timeout in a client: from the call to the end of the response, with
    /// all redirects and retries, instead of [io.millrace.http.client.ClientSettings#timeout]. Zero means no
    /// limit. A request sent by a client's filter can have its own timeout, within the call's.
    ///
    /// @throws IllegalArgumentException for a negative time
    public final Request timeout(Duration limit) {
        return BuiltRequest.copyOf(this).within(limit);
    }

    /// A copy with one more parameter at the end of its query; name and value are escaped.
    ///
    /// ```java
    /// Request.get("http://example.org/search").addParameter("q", "black & white").addParameter("page", "2")
    /// ```
    public final Request addParameter(String name, String value) {
        return BuiltRequest.copyOf(this).asking(Query.with(query(), name, value));
    }

    /// A copy with an announced length for the body that a [BodyWriter] writes, in bytes: sent as
    /// `Content-Length`. The call fails if the body has another length. There are no trailers.
    ///
    /// @throws IllegalArgumentException for a negative length
    /// @throws IllegalStateException for a request without a writer
    public final Request length(long bytes) {
        return BuiltRequest.copyOf(this).counted(bytes);
    }

    /// A copy with trailer fields after the body that a [BodyWriter] writes in chunks: asked for on the
    /// connection's loop, when the writer has finished. Servers may ignore them.
    ///
    /// @throws IllegalStateException for a request without a writer
    public final Request trailers(Supplier<Headers> atEnd) {
        return BuiltRequest.copyOf(this).followedBy(atEnd);
    }

    // For tests and clients.

    /// A request for a path, with an optional query, or for a URI.
    ///
    /// @throws IllegalArgumentException for a target that must not be sent
    public static Request get(String target) {
        return of("GET", target, Bytes.EMPTY);
    }

    /// A request with a body.
    ///
    /// @throws IllegalArgumentException for a target that must not be sent
    public static Request post(String target, Bytes body) {
        return of("POST", target, body);
    }

    /// A request with a body that is written as the server takes it; see [#of(String, String, BodyWriter)].
    ///
    /// @throws IllegalArgumentException for a target that must not be sent
    public static Request post(String target, BodyWriter body) {
        return of("POST", target, body);
    }

    /// A request with a value as JSON in its body, written by [JsonCodec#standard].
    ///
    /// @throws IllegalArgumentException for a method or a target that must not be sent, a value that cannot be
    ///     written, and a text, which might be JSON already: use `of` for that
    /// @throws IllegalStateException without a codec, with the remedy
    public static Request json(String method, String target, Object value) {
        var body = JsonCodec.standard().write(JsonValues.checked(value));
        return of(method, target, body).setHeader("Content-Type", JsonValues.MEDIA_TYPE);
    }

    /// Any request.
    ///
    /// @throws IllegalArgumentException for a method or a target that must not be sent
    public static Request of(String method, String target, Bytes body) {
        return BuiltRequest.of(method, target, body);
    }

    /// A request whose body is written as the server takes it: the writer is called again whenever there is room,
    /// until it returns false. Sent in chunks, unless [#length] sets a length.
    ///
    /// ```java
    /// client.send(Request.of("PUT", uri, out -> out.write(file, 64 << 10) > 0).length(file.size()))
    /// ```
    /// It is sent once: never repeated, never redirected, and a second call with it is refused. A response with
    /// status 300 or more before the body's end stops the writer; with other responses it goes on until they are
    /// complete. An exception of the writer ends the connection, and the call fails with it.
    ///
    /// @throws IllegalArgumentException for a method or a target that must not be sent
    public static Request of(String method, String target, BodyWriter body) {
        return BuiltRequest.of(method, target, body);
    }

    /// Method and path, for logs.
    @Override
    public String toString() {
        return method() + " " + path();
    }
}
