package io.millrace.http;

import io.millrace.http.grammar.PathPattern;
import java.util.List;

/// Where the routes that handle a request are mounted.
///
/// @param template the joined patterns of the mounts in front; empty for none
/// @param path the text that they matched, canonical
/// @param parameters those of all the mounts
record Mount(String template, String path, PathParameters parameters) {
    private static final Attribute<Mount> AT = Attribute.named("mount");
    private static final Mount NONE = new Mount("", "", PathParameters.NONE);

    static Mount of(Request request) {
        return request.attribute(AT).orElse(NONE);
    }

    /// A handler that sees paths relative to a pattern.
    static RouteHandler around(PathPattern pattern, HttpHandler inner) {
        return (request, parameters) -> {
            var outer = of(request);
            var path = request.path();
            int end = pattern.endOfSegments(path);
            var template = outer.templateOf(pattern);
            var mount =
                    new Mount(template.equals("/") ? "" : template, outer.path + path.substring(0, end), parameters);
            var rest = end == path.length() ? "/" : path.substring(end);
            return inner.handle(request.below(AT, mount, rest));
        };
    }

    boolean isNone() {
        return template.isEmpty() && path.isEmpty();
    }

    /// The match of a route without parameters that is mounted here.
    RouteMatch match(PathPattern pattern) {
        return new RouteMatch(templateOf(pattern), parameters);
    }

    RouteMatch match(PathPattern pattern, List<String> values) {
        return new RouteMatch(templateOf(pattern), parameters.and(pattern.names(), values));
    }

    private String templateOf(PathPattern pattern) {
        if (template.isEmpty()) return pattern.text();
        return pattern.text().equals("/") ? template : template + pattern.text();
    }
}
