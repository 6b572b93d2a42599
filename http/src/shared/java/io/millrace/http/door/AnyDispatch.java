package io.millrace.http.door;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.RequestListener;
import io.millrace.http.server.Http;

/// For tests that run with every dispatch: uses the matching [Http] method.
public final class AnyDispatch {
    private AnyDispatch() {}

    public static Server serve(Listen on, Dispatch dispatch, HttpHandler handler) {
        return serve(on, dispatch, HttpLimits.standard(), handler);
    }

    public static Server serve(Listen on, Dispatch dispatch, HttpLimits limits, HttpHandler handler) {
        return serve(on, dispatch, limits, RequestListener.NOBODY, handler);
    }

    public static Server serve(
            Listen on, Dispatch dispatch, HttpLimits limits, RequestListener told, HttpHandler handler) {
        return serve(on, dispatch, HttpSettings.standard().limits(limits).listener(told), handler);
    }

    public static Server serve(Listen on, Dispatch dispatch, HttpSettings settings, HttpHandler handler) {
        var there = on.dispatch(dispatch);
        return dispatch instanceof Dispatch.OnLoop
                ? Http.listen(there, settings, handler)
                : Http.serve(there, settings, handler);
    }
}
