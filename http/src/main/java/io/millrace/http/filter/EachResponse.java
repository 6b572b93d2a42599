package io.millrace.http.filter;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import java.util.function.UnaryOperator;

/// What a filter does to whatever is answered.
final class EachResponse {
    private EachResponse() {}

    /// What a handler answers, changed. What it throws passes as an exception, and what a server answers then
    /// is changed, too.
    static Response of(HttpHandler next, Request request, UnaryOperator<Response> change) throws Exception {
        var received = ReceivedRequest.behind(request);
        if (received != null) received.onFailure(change);
        return next.handle(request).map(change);
    }
}
