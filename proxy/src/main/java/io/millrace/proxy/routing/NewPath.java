package io.millrace.proxy.routing;

import io.millrace.http.grammar.PathPattern;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.PathRewrite;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;

/// Makes the path for the upstream from the matched one: a canonical path stays canonical.
@FunctionalInterface
interface NewPath {
    /// The new path.
    ///
    /// @param path a path that the route matches
    String of(String path);

    /// The new paths for a match and its rewrite.
    ///
    /// @throws IllegalArgumentException if the route matches no such path
    static NewPath of(PathRewrite rewrite, PathMatch match) {
        return switch (rewrite) {
            case PathRewrite.Prefix prefix
            when match instanceof PathMatch.Prefix matched ->
                ofPrefix(matched.path().segments().size(), prefix.path());
            case PathRewrite.Prefix _ ->
                throw new IllegalArgumentException("the route matches no prefix that could be replaced: match one");
            case PathRewrite.Template template -> {
                var wanted = template.pattern();
                if (!(match instanceof PathMatch.Pattern matched)) yield _ -> wanted.text();
                yield ofTemplate(matched.pattern(), wanted);
            }
        };
    }

    private static NewPath ofPrefix(int matched, String wanted) {
        var kept = wanted.equals("/") ? "" : wanted;
        return path -> {
            var made = kept.concat(path.substring(behind(path, matched)));
            return made.isEmpty() ? "/" : made;
        };
    }

    /// Where this many segments, with their parameters, end.
    private static int behind(String path, int segments) {
        int at = 0;
        for (int i = 0; i < segments; i++) at = PathPattern.endOfSegment(path, at + 1);
        return at;
    }

    private static NewPath ofTemplate(PathPattern matched, PathPattern wanted) {
        return path -> {
            var made = new StringBuilder(path.length() + wanted.text().length());
            int next = 0;
            for (var segment : wanted.segments()) {
                made.append('/');
                boolean isParameter = segment.equals(PathPattern.PARAMETER);
                made.append(isParameter ? matched.raw(path, wanted.names().get(next++)) : segment);
            }
            boolean hasRest = next < wanted.names().size();
            if (hasRest)
                made.append('/').append(matched.raw(path, wanted.names().get(next)));
            return made.toString();
        };
    }
}
