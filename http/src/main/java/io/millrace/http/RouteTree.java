package io.millrace.http;

import io.millrace.http.grammar.PathPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Routes whose patterns are not literal, as a tree of their segments. Immutable.
///
/// ```
///   /rooms/{id}   /rooms/{id}/users   /files/{path...}   /{page}
///
///   root ─┬─ rooms ── {} : here ── users : here
///         ├─ files : rest
///         └─ {} : here
/// ```
/// A lookup goes down from left to right and visits each node once at most, whatever the path.
///
/// @param literals by segment
/// @param parameter for any other segment
/// @param here for paths that end at this node
/// @param rest for those that go on, as a parameter
/// @param below for those that end or go on
record RouteTree(
        Map<String, RouteTree> literals,
        @Nullable RouteTree parameter,
        MethodRoutes here,
        MethodRoutes rest,
        MethodRoutes below) {
    static final RouteTree EMPTY =
            new RouteTree(Map.of(), null, MethodRoutes.NONE, MethodRoutes.NONE, MethodRoutes.NONE);

    /// @throws IllegalArgumentException if there is a route for the same paths and method
    RouteTree with(Route route) {
        return with(route, 0);
    }

    private RouteTree with(Route route, int depth) {
        var segments = route.pattern().segments();
        if (depth == segments.size()) return ending(route);
        var segment = segments.get(depth);
        if (segment.equals(PathPattern.PARAMETER)) {
            var child = parameter == null ? EMPTY : parameter;
            return new RouteTree(literals, child.with(route, depth + 1), here, rest, below);
        }
        var more = new HashMap<>(literals);
        more.put(segment, literals.getOrDefault(segment, EMPTY).with(route, depth + 1));
        return new RouteTree(Map.copyOf(more), parameter, here, rest, below);
    }

    private RouteTree ending(Route route) {
        return switch (route.pattern().end()) {
            case HERE -> new RouteTree(literals, parameter, here.with(route), rest, below);
            case REST -> new RouteTree(literals, parameter, here, rest.with(route), below);
            case BELOW -> new RouteTree(literals, parameter, here, rest, below.with(route));
        };
    }

    /// The routes that match a path, the most specific first.
    List<MethodRoutes> matching(String path) {
        var found = new ArrayList<MethodRoutes>();
        if (!isEmpty()) find(path, 1, found);
        return found;
    }

    private boolean isEmpty() {
        return literals.isEmpty() && parameter == null && rest.isEmpty() && below.isEmpty();
    }

    /// @param at where the next segment begins; past the end of the path if there is none
    private void find(String path, int at, List<MethodRoutes> found) {
        if (at > path.length()) {
            add(here, found);
            add(below, found);
            return;
        }
        int end = PathPattern.endOfSegment(path, at);
        var literal = literals.get(path.substring(at, end));
        if (literal != null) literal.find(path, end + 1, found);
        if (parameter != null && end > at) parameter.find(path, end + 1, found);
        add(rest, found);
        add(below, found);
    }

    private static void add(MethodRoutes routes, List<MethodRoutes> found) {
        if (!routes.isEmpty()) found.add(routes);
    }
}
