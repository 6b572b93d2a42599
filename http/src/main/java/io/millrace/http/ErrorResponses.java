package io.millrace.http;

import java.util.Optional;

/// What errors look like that nobody has given a body of his own: what is refused before there is a request, what a
/// handler throws, 404 and 405 of [Routes], 413, and each [Response#status] of a handler. One for a server
/// ([HttpSettings#errors]).
///
/// ```java
/// HttpSettings.standard().errors(ErrorResponses.problems())
/// HttpSettings.standard().errors((error, request, cause) ->
/// Response.html(page(error.status())).withStatus(error.status()))
/// ```
/// Called where handlers are, or on the loop; it must not block. Any thread.
@FunctionalInterface
public interface ErrorResponses {
    /// The standard phrase of a status, as plain text.
    ErrorResponses PHRASES = (error, _, _) -> error;

    /// Problem details (RFC 9457): the phrase of the status, what the [HttpError] that was thrown tells the
    /// peer, if one was, and nothing of any other exception. As `application/problem+json`, or in what the
    /// request rather accepts of `application/json`, `text/html` and `text/plain`. No library is needed for it.
    static ErrorResponses problems() {
        return Problems.STANDARD;
    }

    /// The response in the place of an error, whole: one that comes later or bit by bit is not taken. Fields of the
    /// error that it has not itself go with it (`Allow`, `Retry-After`).
    ///
    /// @param error with its status, its fields, and the standard phrase
    /// @param request lent until this returns; empty when what arrived is none, or was refused before
    /// @param cause what a handler threw, if that was it
    Response of(Response error, Optional<Request> request, Optional<Throwable> cause);
}
