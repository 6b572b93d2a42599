package io.millrace.proxy.routing;

import io.millrace.http.Request;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The routes of a host. Immutable.
final class Site {
    private final Map<String, Rules> literals;
    private final PathTree patterns;
    private final Rules anyPath;

    private Site(Builder builder) {
        this.literals = Map.copyOf(builder.literals);
        this.patterns = builder.patterns.build();
        this.anyPath = builder.anyPath;
    }

    /// The most specific route whose conditions hold.
    @Nullable
    RouteRule find(Request request, String path) {
        var literal = literals.get(path);
        var found = literal == null ? null : literal.find(request);
        // A request for the server as a whole has the path `*`.
        if (found == null && path.startsWith("/")) found = patterns.find(request, path, 1);
        return found != null ? found : anyPath.find(request);
    }

    /// Builds a site; used by one thread.
    static final class Builder {
        private final Map<String, Rules> literals = new HashMap<>();
        private final PathTree.Builder patterns = new PathTree.Builder();
        private Rules anyPath = Rules.NONE;

        void add(RouteRule rule) {
            switch (rule.match().path()) {
                case PathMatch.Any _ -> anyPath = anyPath.with(rule);
                case PathMatch.Prefix prefix -> patterns.add(prefix.path(), rule);
                case PathMatch.Pattern pattern
                when pattern.pattern().isLiteral() ->
                    literals.merge(pattern.pattern().text(), Rules.NONE.with(rule), (before, _) -> before.with(rule));
                case PathMatch.Pattern pattern -> patterns.add(pattern.pattern(), rule);
            }
        }

        Site build() {
            return new Site(this);
        }
    }
}
