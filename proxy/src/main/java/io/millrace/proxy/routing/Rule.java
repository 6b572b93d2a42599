package io.millrace.proxy.routing;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.proxy.configuration.HeaderMatch;
import io.millrace.proxy.configuration.MatchSettings;
import io.millrace.proxy.configuration.RouteSettings;
import java.util.Comparator;

/// A route that can be asked: its conditions beside host and path, and its handler. Immutable.
final class Rule {
    /// More conditions first, then the order of the file.
    static final Comparator<Rule> MOST_SPECIAL_FIRST =
            Comparator.<Rule>comparingInt(rule -> -rule.headers.length).thenComparingInt(rule -> rule.order);

    private final String name;
    private final MatchSettings match;
    private final int order;
    private final String[] methods;
    private final HeaderMatch[] headers;
    private final HttpHandler handler;

    /// @param order its place in the file
    Rule(RouteSettings settings, int order, HttpHandler handler) {
        this.name = settings.name();
        this.match = settings.match();
        this.order = order;
        this.methods = match.methods().toArray(String[]::new);
        this.headers = match.headers().toArray(HeaderMatch[]::new);
        this.handler = handler;
    }

    String name() {
        return name;
    }

    MatchSettings match() {
        return match;
    }

    HttpHandler handler() {
        return handler;
    }

    boolean isForAnyMethod() {
        return methods.length == 0;
    }

    boolean names(String method) {
        for (var mine : methods) if (mine.equals(method)) return true;
        return false;
    }

    boolean hasHeadersOf(Request request) {
        for (var condition : headers) if (!holds(condition, request)) return false;
        return true;
    }

    private static boolean holds(HeaderMatch condition, Request request) {
        var found = request.header(condition.name());
        return switch (condition) {
            case HeaderMatch.Exact exact -> found.isPresent() && found.get().equals(exact.value());
            case HeaderMatch.Present present -> found.isPresent() == present.isPresent();
            case HeaderMatch.Matching matching ->
                found.isPresent() && matching.pattern().matcher(found.get()).find();
        };
    }
}
