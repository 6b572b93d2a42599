package io.millrace.proxy.routing;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Routes as a file has them, in front of upstreams that say what they were asked.
final class Configured {
    private static final String AROUND = """
            listeners: {web: {address: ":80"}}
            upstreams:
              app: {endpoints: [10.0.0.1:80]}
              other: {endpoints: [10.0.0.2:80]}
            routes:
            """;

    private Configured() {}

    /// @param lines each a route, like `a: {upstream: app}`
    static Routing of(String... lines) {
        return Routing.of(settings(lines), Configured::echo);
    }

    static List<RouteSettings> settings(String... lines) {
        var text = AROUND + "  " + String.join("\n  ", lines) + "\n";
        var checked = ConfigurationFile.parse("proxy.yaml", Path.of("/"), text, Map.of());
        return assertInstanceOf(CheckedFile.Good.class, checked, checked::toString)
                .configuration()
                .routesOf("web");
    }

    static HttpHandler echo(ActionSettings.Forward forward) {
        return echo(forward.upstream());
    }

    /// Its name, what it was asked for, and the fields.
    static HttpHandler echo(String upstream) {
        return request -> Response.ok(upstream + " " + request.method() + " " + request.path()
                        + (request.query().isEmpty() ? "" : "?" + request.query()) + "\n" + request.headers())
                .addHeader("Server", upstream);
    }

    static Request request(String method, String target, String host) {
        var request = Request.of(method, target, Bytes.EMPTY);
        return host.isEmpty() ? request : request.addHeader("Host", host);
    }

    /// The name of the route that answers, or nothing.
    static String route(Routing routing, Request request) {
        return routing.routeOf(request).orElse("");
    }

    static String route(Routing routing, String target) {
        return route(routing, Request.get(target));
    }
}
