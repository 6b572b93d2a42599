package io.millrace.http;

/// The route that matches a request.
///
/// @param template its pattern, joined with those of the mounts in front; empty for none
/// @param parameters those of the route and of the mounts
record RouteMatch(String template, PathParameters parameters) {
    static final RouteMatch NONE = new RouteMatch("", PathParameters.NONE);
}
