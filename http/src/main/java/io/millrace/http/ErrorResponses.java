package io.millrace.http;

import java.util.Optional;

/// What errors look like that nobody has given a body of his own: what is refused before there is a request, what a
/// handler throws, 404 and 405 of [Routes], 413, and each [Response#status] of a handler. One for a server
/// ([HttpSettings#errors]).
///
/// ```java
/// ErrorResponses problems = (error, request, cause) ->
///         Response.of(error.status(), "application/problem+json", "{\"status\":" + error.status() + "}");
/// ```
/// Called where handlers are, or on the loop; it must not block. Any thread.
@FunctionalInterface
public interface ErrorResponses {
    /// The standard phrase of a status, as plain text.
    ErrorResponses PHRASES = (error, _, _) -> error;

    /// The response in the place of an error, whole: one that comes later or bit by bit is not taken. Fields of the
    /// error that it has not itself go with it (`Allow`, `Retry-After`).
    ///
    /// @param error with its status, its fields, and the standard phrase
    /// @param request lent until this returns; empty when what arrived is none, or was refused before
    /// @param cause what a handler threw, if that was it
    Response of(Response error, Optional<Request> request, Optional<Throwable> cause);
}
