package io.millrace.proxy.routing;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import java.util.Optional;
import java.util.function.Function;

/// The handlers for the actions of routes.
final class Actions {
    private Actions() {}

    /// The handler of a route.
    static HttpHandler handler(RouteSettings route, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        return switch (route.action()) {
            case ActionSettings.Forward forward ->
                forward(forward, route.match().path(), upstreams);
            case ActionSettings.Redirect redirect ->
                new Redirecting(redirect, route.match().path());
            case ActionSettings.Respond respond -> respond(respond);
            case ActionSettings.Files files -> files.handler();
        };
    }

    private static HttpHandler forward(
            ActionSettings.Forward forward, PathMatch match, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        var upstream = upstreams.apply(forward);
        var paths = forward.rewrite().map(rewrite -> NewPath.of(rewrite, match));
        if (paths.isEmpty() && forward.request().isEmpty()) return upstream;
        var changes = forward.request().onTheWay();
        return request -> upstream.handle(rewritten(request, paths, changes));
    }

    private static Request rewritten(Request request, Optional<NewPath> paths, FieldChanges changes) {
        var path = paths.isPresent() ? paths.get().of(request.path()) : request.path();
        return new RewrittenRequest(request, path, changes);
    }

    private static HttpHandler respond(ActionSettings.Respond respond) {
        var response = respond.body().isEmpty()
                ? BuiltResponse.of(respond.status(), Body.Whole.NONE)
                : BuiltResponse.of(respond.status(), new Body.Whole(Bytes.utf8(respond.body())))
                        .type(respond.type());
        return _ -> response;
    }

    /// The filters of a route's responses, those of its gate included.
    static HttpHandler around(RouteSettings route, HttpHandler next) {
        var content = route.content();
        var dated = content.expires().map(filter -> filter.around(next)).orElse(next);
        // What the operator wrote himself is no error of a backend.
        boolean isForwarding = route.action() instanceof ActionSettings.Forward;
        var paged = content.errorPages()
                .map(pages -> isForwarding ? pages : pages.interceptErrors(false))
                .map(filter -> filter.around(dated))
                .orElse(dated);
        var changed = new ResponseChanges(route.response()).around(paged);
        return content.compression().map(filter -> filter.around(changed)).orElse(changed);
    }

    /// A handler that changes the fields of responses.
    record ResponseChanges(ResponseHeaders wanted) implements HttpFilter {
        /// A handler whose responses do not change is not wrapped.
        @Override
        public HttpHandler around(HttpHandler next) {
            return wanted.isEmpty() ? next : request -> next.handle(request).map(this::changed);
        }

        private Response changed(Response response) {
            var answer = BuiltResponse.from(response);
            var changes = wanted.of(answer.status());
            return changes.isEmpty() ? answer : answer.with(changes.of(answer.headers()), answer.content());
        }
    }
}
