package io.millrace.http;

import io.millrace.http.grammar.Grpc;
import io.millrace.http.grammar.ReasonPhrase;
import java.util.Optional;

/// Errors as clients of gRPC understand them: a head without a body, whose status is 200.
record GrpcErrors(ErrorResponses others) implements ErrorResponses {
    @Override
    public Response of(Response error, Optional<Request> request, Optional<Throwable> cause) {
        if (!Grpc.isCall(request.flatMap(its -> its.header("Content-Type")))) return others.of(error, request, cause);
        int status = error.status();
        return Response.of(200, Grpc.MEDIA_TYPE, "")
                .setHeader(Grpc.STATUS, "" + Grpc.ofHttp(status))
                .setHeader(Grpc.MESSAGE, message(error));
    }

    /// What a handler knows better than its status.
    private static String message(Response error) {
        return error.header(Grpc.MESSAGE).orElseGet(() -> error.status() + " " + ReasonPhrase.of(error.status()));
    }
}
