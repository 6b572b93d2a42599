package io.millrace.http;

import io.millrace.net.CheckReturnValue;
import java.util.Optional;

/// A server's settings besides its handler. Immutable: a property is set by its name, which returns a copy, and
/// read by the same name.
///
/// ```java
/// Http.serve(Listen.on(8080), HttpSettings.standard().errors(problems).listener(log), app);
/// ```
@CheckReturnValue
public final class HttpSettings {
    private static final HttpSettings STANDARD =
            new HttpSettings(HttpLimits.standard(), RequestListener.NOBODY, ErrorResponses.PHRASES, Optional.empty());

    private final HttpLimits limits;
    private final RequestListener listener;
    private final ErrorResponses errors;
    private final Optional<JsonCodec> json;

    private HttpSettings(HttpLimits limits, RequestListener listener, ErrorResponses errors, Optional<JsonCodec> json) {
        this.limits = limits;
        this.listener = listener;
        this.errors = errors;
        this.json = json;
    }

    /// The standard limits, no listener, standard phrases for errors, and the JSON codec that is installed.
    public static HttpSettings standard() {
        return STANDARD;
    }

    /// How much is taken from peers.
    public HttpSettings limits(HttpLimits most) {
        return new HttpSettings(most, listener, errors, json);
    }

    public HttpLimits limits() {
        return limits;
    }

    /// Called for each request when it is over.
    public HttpSettings listener(RequestListener told) {
        return new HttpSettings(limits, told, errors, json);
    }

    public RequestListener listener() {
        return listener;
    }

    /// Makes the bodies of errors.
    public HttpSettings errors(ErrorResponses look) {
        return new HttpSettings(limits, listener, look, json);
    }

    public ErrorResponses errors() {
        return errors;
    }

    /// Reads and writes JSON, instead of [JsonCodec#standard].
    public HttpSettings json(JsonCodec codec) {
        return new HttpSettings(limits, listener, errors, Optional.of(codec));
    }

    public JsonCodec json() {
        return json.orElseGet(JsonCodec::standard);
    }
}
