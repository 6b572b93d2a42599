package io.millrace.proxy.configuration;

import io.millrace.http.grammar.PathPattern;

/// Another path for the upstream. It is as canonical as the one before.
public sealed interface PathRewrite {
    /// In place of the prefix that matched; `/` takes it away.
    record Prefix(String path) implements PathRewrite {}

    /// A path that is made anew.
    ///
    /// @param pattern whose parameters are those of the route's pattern
    record Template(PathPattern pattern) implements PathRewrite {}
}
