package io.millrace.proxy.configuration;

import io.millrace.http.Headers;
import io.millrace.http.grammar.PathPattern;
import io.millrace.proxy.RequestBodies;
import java.nio.file.Path;
import java.util.Optional;

/// What becomes of a request.
public sealed interface ActionSettings {
    /// It is passed on.
    ///
    /// @param request changes of its fields
    /// @param bodies what becomes of its body
    record Forward(String upstream, Optional<PathRewrite> rewrite, HeaderChanges request, RequestBodies bodies)
            implements ActionSettings {}

    /// The client is sent elsewhere.
    ///
    /// @param status one of 301, 302, 303, 307, 308
    record Redirect(LocationTemplate to, int status) implements ActionSettings {}

    /// Always the same answer.
    record Respond(int status, String body, String type, Headers headers) implements ActionSettings {}

    /// Files of this machine.
    ///
    /// @param below the prefix of paths that names no folder: `/assets` has `/assets/a.css` mean `a.css`
    record Files(Path folder, String below, boolean isListing) implements ActionSettings {}

    /// Another path for the upstream. It is as canonical as the one before.
    public sealed interface PathRewrite {
        /// In place of the prefix that matched; `/` takes it away.
        record Prefix(String path) implements PathRewrite {}

        /// A path that is made anew.
        ///
        /// @param pattern whose parameters are those of the route's pattern
        record Template(PathPattern pattern) implements PathRewrite {}
    }
}
