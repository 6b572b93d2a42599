package io.millrace.proxy.routing;

import io.millrace.bytes.Bytes;
import io.millrace.http.ErrorResponses;
import io.millrace.http.Headers;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.filter.TrafficSplit;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import java.util.Optional;
import java.util.function.Function;

/// The handlers for the actions of routes.
final class Actions {
    /// For what is the same for every request.
    private static final Request NO_REQUEST = Request.get("/");

    private static final Response NO_LOCATION = Response.status(400);

    /// Clients of gRPC follow no redirects, and read no pages.
    private static final ErrorResponses FOR_CALLS = ErrorResponses.grpc(ErrorResponses.PHRASES);

    private Actions() {}

    /// The handler of a route.
    static HttpHandler handler(RouteSettings route, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        return switch (route.action()) {
            case ActionSettings.Forward forward ->
                forward(forward, route.match().path(), upstreams);
            case ActionSettings.Split split -> split(split, route.match().path(), upstreams);
            case ActionSettings.Redirect redirect -> request -> redirected(redirect, request);
            case ActionSettings.Respond respond -> respond(respond);
            case ActionSettings.Files files -> files.handler();
        };
    }

    private static HttpHandler forward(
            ActionSettings.Forward forward, PathMatch match, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        var upstream = upstreams.apply(forward);
        var paths = forward.rewrite().map(rewrite -> NewPath.of(rewrite, match));
        if (paths.isEmpty() && forward.request().isEmpty()) return upstream;
        var changes = forward.request();
        if (changes.isConstant()) {
            var always = changes.onTheWay(changes.added(NO_REQUEST));
            return request -> upstream.handle(rewritten(request, paths, always));
        }
        return request -> upstream.handle(rewritten(request, paths, changes.onTheWay(changes.added(request))));
    }

    /// The fields to add for a request; made once if they are the same for all.
    private static Function<Request, Headers> added(HeaderChanges changes) {
        if (!changes.isConstant()) return changes::added;
        var made = changes.added(NO_REQUEST);
        return _ -> made;
    }

    private static HttpHandler split(
            ActionSettings.Split split, PathMatch match, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        Optional<TrafficSplit> made = Optional.empty();
        for (var share : split.shares()) {
            var handler = forward(share.forward(), match, upstreams);
            made = Optional.of(made.map(before -> before.and(share.weight(), handler))
                    .orElseGet(() -> TrafficSplit.of(share.weight(), handler)));
        }
        var all = made.orElseThrow();
        return split.by().map(key -> all.by(key::of)).orElse(all);
    }

    private static Request rewritten(Request request, Optional<NewPath> paths, FieldChanges changes) {
        var path = paths.isPresent() ? paths.get().of(request.path()) : request.path();
        return new RewrittenRequest(request, path, changes);
    }

    private static Response redirected(ActionSettings.Redirect redirect, Request request) {
        var location = redirect.to().location(request);
        if (location.isEmpty()) return NO_LOCATION;
        var response = BuiltResponse.of(redirect.status(), Body.Whole.NONE).setHeader("Location", location.get());
        return FOR_CALLS.of(response, Optional.of(request), Optional.empty());
    }

    private static HttpHandler respond(ActionSettings.Respond respond) {
        var response = respond.body().isEmpty()
                ? BuiltResponse.of(respond.status(), Body.Whole.NONE)
                : BuiltResponse.of(respond.status(), new Body.Whole(Bytes.utf8(respond.body())))
                        .type(respond.type());
        if (respond.status() < 300) return _ -> response;
        return request -> FOR_CALLS.of(response, Optional.of(request), Optional.empty());
    }

    /// The filters of a route's responses, those of its gate included.
    static HttpHandler around(RouteSettings route, HttpHandler next) {
        var content = route.content();
        var dated = content.expires().map(filter -> filter.around(next)).orElse(next);
        // What the operator wrote himself is no error of a backend.
        boolean isForwarding = switch (route.action()) {
            case ActionSettings.Forward _, ActionSettings.Split _ -> true;
            case ActionSettings.Redirect _, ActionSettings.Respond _, ActionSettings.Files _ -> false;
        };
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
            if (wanted.isEmpty()) return next;
            var added = added(wanted.changes());
            return request -> {
                // The response may come when the request is over.
                var fields = added.apply(request);
                return next.handle(request).map(response -> changed(response, fields));
            };
        }

        private Response changed(Response response, Headers added) {
            var answer = BuiltResponse.from(response);
            var changes = wanted.of(answer.status());
            return changes.isEmpty() ? answer : answer.with(changes.of(answer.headers(), added), answer.content());
        }
    }
}
