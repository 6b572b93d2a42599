package io.millrace.http;

import io.millrace.net.CheckReturnValue;

/// What a server does besides calling its handler. Immutable: a property is set by its name, which returns a copy, and
/// read by the same name.
///
/// ```java
/// Http.serve(Listen.on(8080), HttpSettings.standard().errors(problems).listener(log), app);
/// ```
@CheckReturnValue
public final class HttpSettings {
    private static final HttpSettings STANDARD =
            new HttpSettings(HttpLimits.standard(), RequestListener.NOBODY, ErrorResponses.PHRASES);

    private final HttpLimits limits;
    private final RequestListener listener;
    private final ErrorResponses errors;

    private HttpSettings(HttpLimits limits, RequestListener listener, ErrorResponses errors) {
        this.limits = limits;
        this.listener = listener;
        this.errors = errors;
    }

    /// The standard limits, nobody who listens, and standard phrases for errors.
    public static HttpSettings standard() {
        return STANDARD;
    }

    /// What is taken from peers.
    public HttpSettings limits(HttpLimits most) {
        return new HttpSettings(most, listener, errors);
    }

    public HttpLimits limits() {
        return limits;
    }

    /// Who hears of each request when it is over.
    public HttpSettings listener(RequestListener told) {
        return new HttpSettings(limits, told, errors);
    }

    public RequestListener listener() {
        return listener;
    }

    /// What errors look like.
    public HttpSettings errors(ErrorResponses look) {
        return new HttpSettings(limits, listener, look);
    }

    public ErrorResponses errors() {
        return errors;
    }
}
