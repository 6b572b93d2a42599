package io.millrace.http.filter;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import java.util.function.UnaryOperator;

/// Applies a filter's change to every response.
final class EachResponse {
    private EachResponse() {}

    /// The handler's response, changed. An exception passes, and the server's response to it is changed, too.
    static Response of(HttpHandler next, Request request, UnaryOperator<Response> change) throws Exception {
        var received = ReceivedRequest.behind(request);
        if (received != null) received.onFailure(change);
        return next.handle(request).map(change);
    }
}
