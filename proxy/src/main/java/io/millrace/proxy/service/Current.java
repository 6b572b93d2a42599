package io.millrace.proxy.service;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;

/// The handler of the configuration that is in force. A request that has begun ends with the one it began with.
final class Current implements HttpHandler {
    private volatile HttpHandler handler;

    Current(HttpHandler first) {
        this.handler = first;
    }

    void become(HttpHandler next) {
        handler = next;
    }

    @Override
    public Response handle(Request request) throws Exception {
        return handler.handle(request);
    }

    @Override
    public boolean isStreaming(Request head) {
        return handler.isStreaming(head);
    }
}
