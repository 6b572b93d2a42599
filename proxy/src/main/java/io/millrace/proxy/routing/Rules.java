package io.millrace.proxy.routing;

import io.millrace.http.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The routes of one host and one path, or pattern. Immutable.
final class Rules {
    static final Rules NONE = new Rules(List.of());

    private final Rule[] rules;

    private Rules(List<Rule> rules) {
        this.rules = rules.toArray(Rule[]::new);
    }

    Rules with(Rule rule) {
        var more = new ArrayList<>(List.of(rules));
        more.add(rule);
        more.sort(Rule.MOST_SPECIAL_FIRST);
        return new Rules(more);
    }

    /// The most special one whose conditions hold.
    @Nullable
    Rule find(Request request) {
        if (rules.length == 0) return null;
        var method = request.method();
        var found = named(method, request);
        if (found == null && method.equals("HEAD")) found = named("GET", request);
        return found != null ? found : forAnyMethod(request);
    }

    private @Nullable Rule named(String method, Request request) {
        for (var rule : rules) {
            if (rule.names(method) && rule.hasHeadersOf(request)) return rule;
        }
        return null;
    }

    private @Nullable Rule forAnyMethod(Request request) {
        for (var rule : rules) {
            if (rule.isForAnyMethod() && rule.hasHeadersOf(request)) return rule;
        }
        return null;
    }
}
