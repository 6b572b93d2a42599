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

/// Sends clients elsewhere.
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
        // With an empty rest of a path there may be two slashes, and what follows them is another host.
        if (location.startsWith("//")) return BAD;
        return BuiltResponse.of(redirect.status(), Body.Whole.NONE).setHeader("Location", location);
    }

    /// What stands in a path where a pattern has parameters, as it arrived: escapes stay, so that what is made of it is
    /// canonical, too.
    record RawParameters(PathPattern pattern) {
        /// By names.
        ///
        /// @param path one that the pattern is for
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
