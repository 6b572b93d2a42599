package io.millrace.proxy.routing;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.PathPattern;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import java.util.HashMap;
import java.util.Map;

/// Redirects clients.
final class Redirecting implements HttpHandler {
    private static final Response BAD = Response.status(400);

    private final ActionSettings.Redirect redirect;
    private final PathMatch match;
    private final boolean needsHost;

    Redirecting(ActionSettings.Redirect redirect, PathMatch match) {
        this.redirect = redirect;
        this.match = match;
        this.needsHost = redirect.to().names().contains("host");
    }

    @Override
    public Response handle(Request request) {
        var host = request.header("Host");
        if (needsHost && host.isEmpty()) return BAD;
        var parameters = match instanceof PathMatch.Pattern pattern
                ? new RawParameters(pattern.pattern()).of(request.path())
                : Map.<String, String>of();
        var location = redirect.to().with(name -> switch (name) {
            case "host" -> host.orElseThrow();
            case "path" -> request.path().equals("*") ? "/" : request.path();
            case "query" -> request.query().isEmpty() ? "" : "?" + request.query();
            default -> parameters.getOrDefault(name, "");
        });
        // If the rest of a path is empty, the location may begin with two slashes, and would name another
        // host.
        if (location.startsWith("//")) return BAD;
        return BuiltResponse.of(redirect.status(), Body.Whole.NONE).setHeader("Location", location);
    }

    /// The parts of a path that match a pattern's parameters, as they arrived: escapes stay, so that the
    /// result is canonical, too.
    record RawParameters(PathPattern pattern) {
        /// The parts by the names of the parameters.
        ///
        /// @param path a path that matches the pattern
        Map<String, String> of(String path) {
            var values = new HashMap<String, String>();
            int at = 1;
            int next = 0;
            for (var segment : pattern.segments()) {
                int end = PathPattern.endOfSegment(path, at);
                if (segment.equals(PathPattern.PARAMETER))
                    values.put(pattern.names().get(next++), path.substring(at, end));
                at = end + 1;
            }
            if (pattern.end() == PathPattern.End.REST)
                values.put(pattern.names().get(next), path.substring(at));
            return values;
        }
    }
}
