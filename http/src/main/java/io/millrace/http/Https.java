package io.millrace.http;

import io.millrace.loop.Wording;
import java.time.Duration;
import java.util.Optional;

/// A filter for sites that are served over TLS only. A request in the clear is redirected to the same place with
/// `https` (308, RFC 9110 section 15.4.9); responses over TLS tell user agents to use `https` from then on (HTTP
/// Strict Transport Security, RFC 6797). Immutable: each method returns a copy. Any thread.
///
/// ```java
/// HttpHandler app = Https.only().around(routes);
/// Http.serve(80, app);
/// Http.serve(Listen.on(443).through(tls), app);
/// ```
/// It looks at [Request#isSecure]: behind a load balancer that ends TLS and connects in the clear, every request
/// would be redirected forever.
public final class Https implements HttpFilter {
    private static final int USUAL_PORT = 443;
    private static final Duration YEAR = Duration.ofDays(365);

    private final int port;
    private final String policy;

    private Https(int port, String policy) {
        this.port = port;
        this.policy = policy;
    }

    /// On port 443, remembered for a year.
    public static Https only() {
        return new Https(USUAL_PORT, policy(YEAR));
    }

    private static String policy(Duration time) {
        return "max-age=" + time.toSeconds();
    }

    /// The port for TLS, as clients see it; by default 443.
    ///
    /// @throws IllegalArgumentException for an invalid port
    public Https port(int port) {
        if (port < 1 || port > 65_535) throw new IllegalArgumentException("port " + port + ": take 1 to 65535");
        return new Https(port, policy);
    }

    /// How long user agents remember to use TLS, in whole seconds; by default 365 days. With zero they forget it.
    ///
    /// @throws IllegalArgumentException for a negative time
    public Https remembered(Duration time) {
        if (time.isNegative())
            throw new IllegalArgumentException("remembered for " + Wording.of(time) + ": take 0 or more");
        return new Https(port, policy(time));
    }

    /// Includes all names below the server's (`includeSubDomains`).
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
        // CONNECT and OPTIONS * have no path to redirect to.
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
