package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.h1.ParsedRequest;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Query;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/// What somebody asks for. A handler's request is **lent** until its response is complete; then its methods throw
/// [IllegalStateException]. Texts that were taken from it stay. One that was built with [#get] and its like is a
/// value.
///
/// Used by one thread at a time.
public abstract sealed class Request permits ParsedRequest, BuiltRequest {
    protected Request() {}

    /// `GET`, `POST` or any other (RFC 9110 section 9); case matters.
    public abstract String method();

    /// The path in its one canonical form, which begins with a slash, or `*` for the server as a whole: no dot
    /// segments, no empty ones, no escapes of characters that need none, other escapes in capitals (RFC 3986
    /// section 6.2).
    public abstract String path();

    /// What stands behind the question mark, as it came, or nothing.
    public abstract String query();

    /// The value of the first field of this name, whatever its case.
    public abstract Optional<String> header(String name);

    /// All fields, for keeps.
    public abstract Headers headers();

    /// The body: lent until the handler returns, also when the response comes later. Empty for a handler that
    /// streams; it gets the body elsewhere.
    public abstract Input body();

    /// Fields that came behind a body in chunks, for keeps.
    public Headers trailers() {
        return Headers.EMPTY;
    }

    /// The peer's address; that of nobody (`0.0.0.0:0`) for a request that was built.
    public abstract SocketAddress remote();

    /// The decoded value of the first parameter of this name in the query
    /// (`application/x-www-form-urlencoded`).
    public final Optional<String> parameter(String name) {
        return Query.first(query(), name);
    }

    /// A copy that can be kept, with one more field.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent
    public final Request with(String name, String value) {
        return BuiltRequest.copyOf(this).plus(name, value);
    }

    /// A copy that can be kept, to which a client gives so much time: from its call to the end of the response,
    /// instead of what [HttpClient.Setup#timeout] says. Zero means no limit.
    ///
    /// @throws IllegalArgumentException for a negative one
    public final Request timeout(Duration limit) {
        return BuiltRequest.copyOf(this).within(limit);
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

    /// Any request.
    ///
    /// @throws IllegalArgumentException for a method or a target that may not be sent
    public static Request of(String method, String target, Bytes body) {
        return BuiltRequest.of(method, target, body);
    }

    /// Method and path, for a log.
    @Override
    public String toString() {
        return method() + " " + path();
    }
}
