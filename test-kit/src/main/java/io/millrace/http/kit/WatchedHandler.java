package io.millrace.http.kit;

import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import org.jspecify.annotations.Nullable;

/// Keeps what a handler throws, which a client sees as a 500.
final class WatchedHandler implements HttpHandler {
    private final HttpHandler handler;
    private volatile @Nullable Exception thrown;

    WatchedHandler(HttpHandler handler) {
        this.handler = handler;
    }

    @Override
    public Response handle(Request request) throws Exception {
        try {
            return handler.handle(request);
        } catch (HttpError e) {
            throw e;
        } catch (Exception e) {
            thrown = e;
            throw e;
        }
    }

    void rethrow() throws Exception {
        var failure = thrown;
        if (failure != null) throw failure;
    }
}
