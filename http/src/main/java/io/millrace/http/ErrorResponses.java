package io.millrace.http;

import java.util.Optional;

/// Makes the body of every error response that has none of its own: requests refused by the parser, exceptions of
/// handlers, 404 and 405 of [Routes], 413, and each [Response#status] of a handler. A server has one
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

    /// Problem details (RFC 9457): the status's phrase, what a thrown [HttpError] tells the peer, and nothing of
    /// any other exception. Sent as `application/problem+json`, or as `application/json`, `text/html` or
    /// `text/plain` if the request prefers that. Needs no library.
    static ErrorResponses problems() {
        return Problems.STANDARD;
    }

    /// For calls of gRPC, requests with the `Content-Type` `application/grpc`: `grpc-status` in a response with the
    /// status 200 and no body, mapped as gRPC's clients map statuses of HTTP (404 is 12 UNIMPLEMENTED; 429, 502,
    /// 503 and 504 are 14 UNAVAILABLE) except that 413 and 431 are 8 RESOURCE_EXHAUSTED, and the HTTP status in
    /// `grpc-message`, unless the error has one. Over HTTP/2 also for a call that is refused for its head, if its
    /// `Content-Type` is in the part that was read.
    ///
    /// @param others for all other requests
    static ErrorResponses grpc(ErrorResponses others) {
        return new GrpcErrors(others);
    }

    /// The response in place of an error, with a whole body: one that comes later or streams is not used. The
    /// error's fields that it lacks are added (`Allow`, `Retry-After`).
    ///
    /// @param error with its status, its fields, and the standard phrase
    /// @param request lent until this returns; empty if there is none: it was malformed, or refused before
    /// @param cause what a handler threw, if the error comes from that
    Response of(Response error, Optional<Request> request, Optional<Throwable> cause);
}
