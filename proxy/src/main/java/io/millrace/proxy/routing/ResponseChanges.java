package io.millrace.proxy.routing;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.message.BuiltResponse;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;

/// Changes the fields of responses on their way back.
record ResponseChanges(ResponseHeaders wanted) implements HttpFilter {
    /// Nothing stands around a handler whose responses stay as they are.
    @Override
    public HttpHandler around(HttpHandler next) {
        return wanted.isEmpty() ? next : request -> next.handle(request).map(this::changed);
    }

    private Response changed(Response response) {
        var answer = BuiltResponse.from(response);
        var changes = wanted.of(answer.status());
        return changes.isEmpty() ? answer : answer.with(changes.of(answer.headers()), answer.content());
    }
}
