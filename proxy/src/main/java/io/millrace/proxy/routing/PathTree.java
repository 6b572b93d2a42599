package io.millrace.proxy.routing;

import io.millrace.http.Request;
import io.millrace.http.grammar.PathPattern;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Routes with patterns and prefixes, as a tree of segments. It is like that of [io.millrace.http.Routes],
/// but a search goes on if the conditions of a route do not hold, and it allocates nothing. Immutable.
///
/// A search visits each node at most once.
final class PathTree {
    private final Regions<PathTree> literals;
    private final @Nullable PathTree parameter;
    private final Rules here;
    private final Rules rest;
    private final Rules below;

    private PathTree(Builder builder) {
        var built = new HashMap<String, PathTree>();
        builder.literals.forEach((segment, child) -> built.put(segment, child.build()));
        this.literals = Regions.of(built);
        this.parameter = builder.parameter == null ? null : builder.parameter.build();
        this.here = builder.here;
        this.rest = builder.rest;
        this.below = builder.below;
    }

    /// The most specific route whose conditions hold.
    ///
    /// @param at where the next segment begins; past the end of the path if there is none
    @Nullable
    RouteRule find(Request request, String path, int at) {
        if (at > path.length()) {
            var found = here.find(request);
            return found != null ? found : below.find(request);
        }
        int end = PathPattern.endOfSegment(path, at);
        var literal = literals.find(path, at, end);
        var found = literal == null ? null : literal.find(request, path, end + 1);
        if (found == null && parameter != null && end > at) found = parameter.find(request, path, end + 1);
        if (found == null) found = rest.find(request);
        return found != null ? found : below.find(request);
    }

    /// Builds a tree; used by one thread.
    static final class Builder {
        private final Map<String, Builder> literals = new HashMap<>();
        private @Nullable Builder parameter;
        private Rules here = Rules.NONE;
        private Rules rest = Rules.NONE;
        private Rules below = Rules.NONE;

        void add(PathPattern pattern, RouteRule rule) {
            var node = this;
            for (var segment : pattern.segments()) node = node.child(segment);
            switch (pattern.end()) {
                case HERE -> node.here = node.here.with(rule);
                case REST -> node.rest = node.rest.with(rule);
                case BELOW -> node.below = node.below.with(rule);
            }
        }

        private Builder child(String segment) {
            if (!segment.equals(PathPattern.PARAMETER)) return literals.computeIfAbsent(segment, _ -> new Builder());
            var child = parameter;
            if (child == null) parameter = child = new Builder();
            return child;
        }

        PathTree build() {
            return new PathTree(this);
        }
    }
}
