package io.millrace.cli;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.server.Http;

/// The [Http] method for a `--dispatch`.
final class HttpDoor {
    private HttpDoor() {}

    static Server open(Listen on, Dispatch dispatch, HttpSettings settings, HttpHandler handler) {
        return dispatch instanceof Dispatch.OnLoop
                ? Http.listen(on, settings, handler)
                : Http.serve(on.dispatch(dispatch), settings, handler);
    }
}
