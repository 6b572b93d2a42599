package io.millrace.http;

import io.millrace.loop.Wording;
import java.time.Duration;
import java.util.Optional;

/// A filter for what is served over TLS alone. Who asks in the clear is sent to the same place with `https` (308, RFC
/// 9110 section 15.4.9), and the responses to others tell user agents to come with `https` at once from then on
/// (HTTP Strict Transport Security, RFC 6797). Immutable: each method returns a copy. Any thread.
///
/// ```java
/// HttpHandler app = Https.only().around(routes);
/// Http.serve(80, app);
/// Http.serve(Listen.on(443).through(tls), app);
/// ```
/// What matters is [Request#isSecure]: behind a balancer that ends TLS, and comes in the clear, it would send everybody
/// in circles.
public final class Https implements HttpFilter {
    private static final int USUAL_PORT = 443;
    private static final Duration YEAR = Duration.ofDays(365);

    private final int port;
    private final String policy;

    private Https(int port, String policy) {
        this.port = port;
        this.policy = policy;
    }

    /// On port 443, and remembered for a year.
    public static Https only() {
        return new Https(USUAL_PORT, policy(YEAR));
    }

    private static String policy(Duration time) {
        return "max-age=" + time.toSeconds();
    }

    /// Where it is served over TLS, as clients see it; by default 443.
    ///
    /// @throws IllegalArgumentException for a port that is none
    public Https port(int port) {
        if (port < 1 || port > 65_535) throw new IllegalArgumentException("port " + port + ": take 1 to 65535");
        return new Https(port, policy);
    }

    /// How long user agents remember that it is served over TLS, in whole seconds; by default 365 days. With zero they
    /// forget it.
    ///
    /// @throws IllegalArgumentException for a negative one
    public Https remembered(Duration time) {
        if (time.isNegative())
            throw new IllegalArgumentException("remembered for " + Wording.of(time) + ": take 0 or more");
        return new Https(port, policy(time));
    }

    /// The same goes for all names below that of the server (`includeSubDomains`).
    public Https withSubdomains() {
        return new Https(port, policy + "; includeSubDomains");
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> request.isSecure() ? next.handle(request).map(this::told) : elsewhere(request);
    }

    private Response told(Response response) {
        var name = "Strict-Transport-Security";
        return response.header(name).isPresent() ? response : response.setHeader(name, policy);
    }

    private Response elsewhere(Request request) {
        var host = request.header("Host").map(Https::withoutPort).filter(name -> !name.isEmpty());
        // That of a CONNECT is none, nor is that of the server as a whole.
        if (host.isEmpty() || !request.path().startsWith("/")) return Response.status(400);
        var there = port == USUAL_PORT ? "" : ":" + port;
        var query = Optional.of(request.query()).filter(text -> !text.isEmpty()).map(text -> "?" + text);
        return Response.status(308)
                .setHeader("Location", "https://" + host.get() + there + request.path() + query.orElse(""));
    }

    private static String withoutPort(String host) {
        int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
        return colon < 0 ? host : host.substring(0, colon);
    }
}
