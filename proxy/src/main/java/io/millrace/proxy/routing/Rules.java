package io.millrace.proxy.routing;

import io.millrace.http.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The routes of one host and one path, or pattern. Immutable.
final class Rules {
    static final Rules NONE = new Rules(List.of());

    private final RouteRule[] rules;

    private Rules(List<RouteRule> rules) {
        this.rules = rules.toArray(RouteRule[]::new);
    }

    Rules with(RouteRule rule) {
        var more = new ArrayList<>(List.of(rules));
        more.add(rule);
        more.sort(RouteRule.MOST_SPECIAL_FIRST);
        return new Rules(more);
    }

    /// The most specific route whose conditions hold.
    @Nullable
    RouteRule find(Request request) {
        if (rules.length == 0) return null;
        var method = request.method();
        var found = named(method, request);
        if (found == null && method.equals("HEAD")) found = named("GET", request);
        return found != null ? found : forAnyMethod(request);
    }

    private @Nullable RouteRule named(String method, Request request) {
        for (var rule : rules) {
            if (rule.names(method) && rule.hasHeadersOf(request)) return rule;
        }
        return null;
    }

    private @Nullable RouteRule forAnyMethod(Request request) {
        for (var rule : rules) {
            if (rule.isForAnyMethod() && rule.hasHeadersOf(request)) return rule;
        }
        return null;
    }
}
