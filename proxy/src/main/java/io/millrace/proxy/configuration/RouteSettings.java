package io.millrace.proxy.configuration;

import com.google.re2j.Pattern;
import io.millrace.http.Headers;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.ErrorPages;
import io.millrace.http.filter.Expires;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.http.grammar.PathPattern;
import io.millrace.http.server.StaticFiles;
import io.millrace.proxy.RequestBodies;
import io.millrace.proxy.UpstreamSettings.HashKey;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Which requests a route is for, and what to do with them.
///
/// @param listeners the route is for these; empty for all of layer 7
/// @param gate checked after the listener's
/// @param response changes of all responses, the proxy's own included
/// @param content in place of the listener's
/// @param isLogged whether its requests are in the access log
public record RouteSettings(
        String name,
        List<String> listeners,
        MatchSettings match,
        ActionSettings action,
        GateSettings gate,
        ResponseHeaders response,
        ContentSettings content,
        boolean isLogged) {
    /// A route that forwards all requests of all listeners.
    public static RouteSettings of(String name, String upstream) {
        var everything = new MatchSettings(List.of(), new PathMatch.Any(), Set.of(), List.of());
        var forward =
                new ActionSettings.Forward(upstream, Optional.empty(), HeaderChanges.NONE, RequestBodies.STREAMED);
        return new RouteSettings(
                name,
                List.of(),
                everything,
                forward,
                GateSettings.OPEN,
                ResponseHeaders.NONE,
                ContentSettings.NONE,
                true);
    }

    /// The same behind a listener.
    public RouteSettings behind(ListenerSettings listener) {
        return new RouteSettings(
                name, listeners, match, action, gate, response, content.orElse(listener.content()), isLogged);
    }

    /// What becomes of the content of responses.
    ///
    /// @param compression one without media types compresses nothing
    /// @param errorPages with the contents of their files
    public record ContentSettings(
            Optional<Compression> compression, Optional<Expires> expires, Optional<ErrorPages> errorPages) {
        public static final ContentSettings NONE =
                new ContentSettings(Optional.empty(), Optional.empty(), Optional.empty());

        /// Settings that are missing are those of the listener.
        public ContentSettings orElse(ContentSettings ofListener) {
            return new ContentSettings(
                    compression.or(ofListener::compression),
                    expires.or(ofListener::expires),
                    errorPages.or(ofListener::errorPages));
        }

        /// The files that were read.
        public List<Path> files() {
            return errorPages.map(ErrorPages::files).orElse(List.of());
        }
    }

    /// Which requests a route is for: those that meet all conditions.
    ///
    /// @param hosts one of them, in lower case, without a port, `*.example.org` for all names below; empty for any
    /// @param methods one of them; empty for any
    public record MatchSettings(List<String> hosts, PathMatch path, Set<String> methods, List<HeaderMatch> headers) {}

    /// The paths a route is for.
    public sealed interface PathMatch {
        /// A path and everything below it.
        ///
        /// @param path all its segments have to match whole
        record Prefix(PathPattern path) implements PathMatch {}

        /// A path, or the paths that match a pattern.
        ///
        /// @param pattern written like a route's of [io.millrace.http.Routes]; without parameters it is a
        /// single path
        record Pattern(PathPattern pattern) implements PathMatch {}

        /// Any path, `*` included.
        record Any() implements PathMatch {}
    }

    /// A condition on a field. If the field has several lines, one of them has to meet it, or all of them joined
    /// with `, `.
    public sealed interface HeaderMatch {
        String name();

        /// The name in lower case, for comparison.
        default String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The whole value equals this one.
        record Exact(String name, String value) implements HeaderMatch {}

        /// The field is there, or not.
        record Present(String name, boolean isPresent) implements HeaderMatch {}

        /// A part of the value matches. For any pattern, the time is linear in the value's length.
        record Matching(String name, Pattern pattern) implements HeaderMatch {}
    }

    /// What to do with a request.
    public sealed interface ActionSettings {
        /// Forwards it.
        ///
        /// @param request changes of the request's fields
        /// @param bodies how the request's body goes to the upstream
        record Forward(String upstream, Optional<PathRewrite> rewrite, HeaderChanges request, RequestBodies bodies)
                implements ActionSettings {}

        /// Forwards it to one of several upstreams, by weight.
        ///
        /// @param by requests with the same key go to the same upstream; empty if each request is drawn
        record Split(List<WeightedForward> shares, Optional<HashKey> by) implements ActionSettings {}

        /// One of the upstreams that share requests.
        ///
        /// @param weight relative to the others'; 0 for none
        record WeightedForward(Forward forward, int weight) {}

        /// Redirects the client.
        ///
        /// @param status one of 301, 302, 303, 307, 308
        record Redirect(RequestTemplate to, int status) implements ActionSettings {}

        /// Always the same response.
        record Respond(int status, String body, String type, Headers headers) implements ActionSettings {}

        /// Serves files of this machine.
        record Files(StaticFiles handler) implements ActionSettings {}

        /// The path that the upstream gets. It is as canonical as the original.
        public sealed interface PathRewrite {
            /// Replaces the matched prefix; `/` removes it.
            record Prefix(String path) implements PathRewrite {}

            /// Replaces the whole path.
            ///
            /// @param pattern its parameters are those of the route's pattern
            record Template(PathPattern pattern) implements PathRewrite {}
        }
    }
}
