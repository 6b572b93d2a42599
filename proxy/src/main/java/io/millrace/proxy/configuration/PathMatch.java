package io.millrace.proxy.configuration;

import io.millrace.http.grammar.PathPattern;

/// The paths a route is for.
public sealed interface PathMatch {
    /// A path and everything below it.
    ///
    /// @param path of which all whole segments are to be there
    record Prefix(PathPattern path) implements PathMatch {}

    /// A path, or those that a pattern is for.
    ///
    /// @param pattern as a route of [io.millrace.http.Routes] has it; one without parameters is a path
    record Pattern(PathPattern pattern) implements PathMatch {}

    /// Any path, and `*`, too.
    record Any() implements PathMatch {}
}
