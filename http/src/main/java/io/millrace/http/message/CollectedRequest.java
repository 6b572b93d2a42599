package io.millrace.http.message;

import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.HttpGuards;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/// Collects requests' bodies before their handlers are called.
public final class CollectedRequest {
    private CollectedRequest() {}

    /// The handler's response, at once or when the body has been collected.
    ///
    /// @param most the longest body, in bytes
    /// @throws HttpError with 413 for a value that is longer
    public static Response handle(Request request, long most, Callable<Response> handler) throws Exception {
        var received = ReceivedRequest.behind(request);
        if (received != null && received.isBodyToCome())
            return BuiltResponse.of(200, new Body.Collecting(most, handler, UnaryOperator.identity()));
        long length = request.body().remaining();
        if (length <= most) return handler.call();
        var why = "a body of " + length + " bytes, at most " + most;
        HttpGuards.BODY.acted(request.remote(), why);
        throw new HttpError(413, why);
    }
}
