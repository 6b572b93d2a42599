package io.millrace.proxy.configuration;

import com.google.re2j.Pattern;
import io.millrace.http.Headers;
import io.millrace.http.grammar.PathPattern;
import io.millrace.proxy.RequestBodies;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Requests of a kind, and what becomes of them.
///
/// @param listeners only of these; empty for all of layer 7
/// @param gate passed after that of the listener
/// @param response changes of responses, whoever made them
public record RouteSettings(
        String name,
        List<String> listeners,
        MatchSettings match,
        ActionSettings action,
        GateSettings gate,
        ResponseHeaders response) {
    /// One that passes all requests of all listeners on.
    public static RouteSettings of(String name, String upstream) {
        var everything = new MatchSettings(List.of(), new PathMatch.Any(), Set.of(), List.of());
        var forward =
                new ActionSettings.Forward(upstream, Optional.empty(), HeaderChanges.NONE, RequestBodies.STREAMED);
        return new RouteSettings(name, List.of(), everything, forward, GateSettings.OPEN, ResponseHeaders.NONE);
    }

    /// Which requests a route is for: all conditions hold.
    ///
    /// @param hosts one of them: in small letters, without a port, `*.example.org` for all names below; or any
    /// @param methods one of them; empty for any
    public record MatchSettings(List<String> hosts, PathMatch path, Set<String> methods, List<HeaderMatch> headers) {}

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

    /// A field that a request has to have, or must not have. Of several lines of one field one has to fulfil it,
    /// or all of them joined with `, `.
    public sealed interface HeaderMatch {
        String name();

        /// In small letters, for comparison.
        default String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The whole value is this one.
        record Exact(String name, String value) implements HeaderMatch {}

        /// It is there, or not.
        record Present(String name, boolean isPresent) implements HeaderMatch {}

        /// A part of the value matches, in time that is linear in its length, whatever the pattern.
        record Matching(String name, Pattern pattern) implements HeaderMatch {}
    }

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
}
