package io.millrace.proxy.routing;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.filter.AccessLog;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.RouteSettings.HeaderMatch;
import io.millrace.proxy.configuration.RouteSettings.MatchSettings;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/// A route's conditions besides host and path, and its handler. Immutable.
final class RouteRule {
    /// More conditions first, then the order of the file.
    static final Comparator<RouteRule> MOST_SPECIAL_FIRST =
            Comparator.<RouteRule>comparingInt(rule -> -rule.headers.length).thenComparingInt(rule -> rule.order);

    private final String name;
    private final MatchSettings match;
    private final int order;
    private final String[] methods;
    private final HeaderMatch[] headers;
    private final HttpFilter gate;
    private final HttpHandler handler;

    /// @param order its place in the file
    /// @param gate runs before the action
    RouteRule(RouteSettings settings, int order, HttpFilter gate, HttpHandler action) {
        this.name = settings.name();
        this.match = settings.match();
        this.order = order;
        this.methods = match.methods().toArray(String[]::new);
        this.headers = match.headers().toArray(HeaderMatch[]::new);
        boolean isRefusal = settings.action() instanceof ActionSettings.Respond respond && respond.status() >= 400;
        this.gate = isRefusal ? _ -> action : gate;
        var answered = Actions.around(settings, gate.around(action));
        this.handler = named(settings.isLogged() ? answered : AccessLog.off().around(answered));
    }

    /// For those who hear of the request's end.
    private HttpHandler named(HttpHandler next) {
        return request -> {
            var received = ReceivedRequest.behind(request);
            if (received != null) received.ruledBy(name);
            return next.handle(request);
        };
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

    /// Its handler, after the gate of another route that matches the same request in another reading.
    HttpHandler behind(RouteRule other) {
        return other == this ? handler : other.gate.around(handler);
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
        return switch (condition) {
            case HeaderMatch.Present present -> request.header(condition.name()).isPresent() == present.isPresent();
            case HeaderMatch.Exact exact -> holdsForAny(request.headers(condition.name()), exact.value()::equals);
            case HeaderMatch.Matching matching ->
                holdsForAny(
                        request.headers(condition.name()),
                        value -> matching.pattern().matcher(value).find());
        };
    }

    /// Several lines of a field may be read one by one, or joined (RFC 9110 section 5.3).
    private static boolean holdsForAny(List<String> lines, Predicate<String> condition) {
        for (int i = 0; i < lines.size(); i++) if (condition.test(lines.get(i))) return true;
        return lines.size() > 1 && condition.test(String.join(", ", lines));
    }
}
