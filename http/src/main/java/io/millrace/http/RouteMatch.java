package io.millrace.http;

/// The route that a request has come to.
///
/// @param template its pattern, joined with those of the mounts in front; empty for none
/// @param parameters of all of them
record RouteMatch(String template, PathParameters parameters) {
    static final RouteMatch NONE = new RouteMatch("", PathParameters.NONE);
}
