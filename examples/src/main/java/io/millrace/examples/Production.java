package io.millrace.examples;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.filter.Access;
import io.millrace.http.filter.AccessLog;
import io.millrace.http.filter.BasicAuth;
import io.millrace.http.filter.LogFields;
import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.Metrics;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.PasswordHash;
import io.millrace.http.filter.RateLimit;
import io.millrace.http.filter.RealIp;
import io.millrace.http.server.Http;
import io.millrace.http.server.StaticFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// The setup of an application in production: limits, the client's address, access rules, an access log, metrics
/// and a health check. `java … Production 8080 9090 public`.
public final class Production {
    private final AtomicBoolean ready = new AtomicBoolean(true);

    public static void main(String[] args) throws InterruptedException {
        var production = new Production();
        LogFields route = served -> Map.of("route", served.route().orElse("none"));
        try (var signals = Signals.catchTermination();
                var loops = EventLoops.perCore();
                var log = AccessLog.open(AccessLog.Format.JSON, Optional.empty(), route)) {
            var metrics = Metrics.of(MetricSource.loops(loops), production.readiness());
            var settings = settings().listener(metrics.requests("web").andThen(log));
            var on = sockets(Integer.parseInt(args[0])).loops(loops);
            try (var server = Http.serve(on, settings, production.app(Path.of(args[2])));
                    var _ = Http.listen(Integer.parseInt(args[1]), production.admin(metrics))) {
                signals.await();
                production.ready.set(false);
                server.drain(Duration.ofSeconds(30));
            }
        }
    }

    static HttpSettings settings() {
        var limits = HttpLimits.standard()
                .headTimeout(Duration.ofSeconds(5))
                .idleTimeout(Duration.ofSeconds(30))
                .bodyBytes(4 << 20)
                .connectionsPerAddress(100);
        return HttpSettings.standard().limits(limits);
    }

    static Listen sockets(int port) {
        return Listen.on(port)
                .maxConnections(20_000)
                .writeTimeout(Duration.ofSeconds(20))
                .dispatch(Dispatch.virtual());
    }

    HttpHandler app(Path folder) {
        HttpFilter noSniff = next -> request ->
                next.handle(request).map(response -> response.setHeader("X-Content-Type-Options", "nosniff"));
        return Routes.of()
                .get("/hello/{name}", (_, path) -> Response.ok("hello, " + path.text("name")))
                .prefix("/static", StaticFiles.of(folder).under("/static"))
                .filter(
                        noSniff,
                        RealIp.from(Networks.of("10.0.0.0/8")),
                        Access.except(Networks.of("192.0.2.0/24")),
                        RateLimit.of(100, Duration.ofSeconds(1), 200));
    }

    /// For the operator only, on a port of its own.
    HttpHandler admin(Metrics metrics) {
        return Routes.of()
                .get("/metrics", metrics.handler())
                .get("/healthz", _ -> Response.ok("alive"))
                .get("/ready", _ -> ready.get() ? Response.ok("ready") : Response.status(503));
    }

    /// A metric of this application.
    MetricSource readiness() {
        return to -> to.gauge("app_ready", "Whether it takes requests.").value(ready.get());
    }

    /// Use it behind TLS only: the password is sent in the clear.
    static HttpHandler closed(String hash, HttpHandler app) {
        var ada = PasswordHash.parse(hash);
        return BasicAuth.of("staff", Map.of("ada", ada::matches)).around(app);
    }
}
