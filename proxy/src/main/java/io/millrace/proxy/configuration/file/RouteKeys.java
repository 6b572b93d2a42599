package io.millrace.proxy.configuration.file;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.millrace.http.grammar.PathPattern;
import io.millrace.http.grammar.PathReading;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.HeaderMatch;
import io.millrace.proxy.configuration.RouteSettings.MatchSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import io.millrace.proxy.configuration.file.HeaderKeys.ContentKeys;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.Reference;
import io.millrace.proxy.configuration.shape.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which requests are handled, and how.
final class RouteKeys {
    private static final Key<List<String>> LISTENERS = Key.optional(
            "listeners",
            Listing.of(new Reference(ListenerKeys.KIND)),
            "Only for these; by default for all of layer 7.");
    private static final Key<MatchSettings> MATCH = Key.standard(
            "match", MatchKeys.SECTION, MatchKeys.EVERYTHING, "Which requests the route is for; by default all.");

    private static final Key<Boolean> ACCESS_LOG = Key.standard(
            "access-log",
            Words.FLAG,
            true,
            "Whether its requests are in the access log; `false`, say, for the health checks of a balancer.");

    static final Named<RouteSettings> NAMED = Named.of(
                    "route",
                    Named.NAME,
                    new Section<>(
                            "route",
                            "Which requests, and what to do with them: `upstream`, `redirect`, `respond` or `files`.",
                            keys(),
                            ActionKeys.RULES,
                            Map.of(),
                            RouteKeys::route))
            .distinctBy(RouteKeys::identity, "is for the same requests");

    private RouteKeys() {}

    private static List<Key<?>> keys() {
        var keys = new ArrayList<Key<?>>(List.of(LISTENERS, MATCH));
        keys.addAll(ActionKeys.KEYS);
        keys.addAll(List.of(
                HeaderKeys.RESPONSE,
                ContentKeys.COMPRESSION,
                ContentKeys.EXPIRES,
                ContentKeys.ERROR_PAGES,
                GateKeys.ACCESS,
                GateKeys.RATE_LIMIT,
                GateKeys.BASIC_AUTH,
                GateKeys.WEBSOCKETS,
                ACCESS_LOG));
        return List.copyOf(keys);
    }

    private static RouteSettings route(Values values) {
        var match = values.of(MATCH);
        return new RouteSettings(
                values.name(),
                values.optional(LISTENERS).orElse(List.of()),
                match,
                ActionKeys.action(values, match.path()),
                GateKeys.gate(values),
                values.of(HeaderKeys.RESPONSE)
                        .with(value -> ActionKeys.bound(values, HeaderKeys.RESPONSE, value, match.path())),
                ContentKeys.content(values),
                values.of(ACCESS_LOG));
    }

    /// What two routes must not share: the second would never be used.
    private static Object identity(RouteSettings route) {
        var match = route.match();
        var path = switch (match.path()) {
            case PathMatch.Any _ -> List.of();
            case PathMatch.Prefix prefix -> shape(prefix.path());
            case PathMatch.Pattern pattern -> shape(pattern.pattern());
        };
        return List.of(
                Set.copyOf(route.listeners()),
                Set.copyOf(match.hosts()),
                path,
                match.methods(),
                Set.copyOf(match.headers()));
    }

    /// The path without the names of its parameters.
    private static List<Object> shape(PathPattern pattern) {
        return List.of(pattern.segments(), pattern.end());
    }

    /// Which requests a route is for.
    static final class MatchKeys {
        private static final int MOST_REGEX = 1000;

        private static final Key<String> NAME =
                Key.required("name", Words.FIELD, "The name of the field, in any case.");
        private static final Key<String> VALUE = Key.optional("value", Words.VALUE, "The whole value equals this one.");
        private static final Key<Boolean> PRESENT = Key.optional(
                "present", Words.FLAG, "`true` for a request that has the field, `false` for one that has not.");
        private static final Key<Pattern> MATCHES = Key.optional(
                "matches",
                Scalar.of("a regular expression", Scalar.ANY, "^v[12]$", MatchKeys::regex, Pattern::toString),
                "A regular expression (RE2) that matches a part of the value; `^…$` for all of it.");

        private static final Section<HeaderMatch> HEADER = Section.of(
                        "header",
                        "A condition on a field. If there are several of one name, it holds for one of them, or"
                                + " for all of them joined with `, `.",
                        MatchKeys::header,
                        NAME,
                        VALUE,
                        PRESENT,
                        MATCHES)
                .with(Rule.exactlyOneOf(VALUE, PRESENT, MATCHES));

        private static final Key<List<String>> HOSTS = Key.optional(
                "hosts",
                Listing.of(Words.HOST),
                "One of them, without a port: `example.org`, or `*.example.org` for all names below it, but not itself.");
        static final Key<PathPattern> PREFIX = Key.optional(
                "prefix", Words.PREFIX, "This path and everything below: `/api` and `/api/a`, but not `/apis`.");
        static final Key<PathPattern> PATH = Key.optional(
                "path",
                Words.PATTERN,
                "This path, or a pattern: `{id}` is one segment, `{rest...}` at the end is the rest of the path.");
        private static final Key<List<String>> METHODS = Key.optional(
                "methods",
                Listing.of(Words.METHOD),
                "One of them. `GET` includes `HEAD`, unless another route names that.");
        private static final Key<List<HeaderMatch>> HEADERS =
                Key.optional("headers", Listing.of(HEADER), "All of them.");

        static final Section<MatchSettings> SECTION = Section.of(
                        "match",
                        "Which requests a route is for: those that meet all of these conditions.",
                        MatchKeys::match,
                        HOSTS,
                        PREFIX,
                        PATH,
                        METHODS,
                        HEADERS)
                .with(Rule.atMostOneOf(PREFIX, PATH));

        static final MatchSettings EVERYTHING = new MatchSettings(List.of(), new PathMatch.Any(), Set.of(), List.of());

        private MatchKeys() {}

        private static Pattern regex(String text) {
            if (text.length() > MOST_REGEX) {
                throw new IllegalArgumentException(
                        "it has " + text.length() + " characters: take " + MOST_REGEX + " at most");
            }
            try {
                return Pattern.compile(text);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException(
                        "RE2 does not accept it (" + e.getDescription()
                                + "): use no look-around and no back references, and close each brace and bracket",
                        e);
            }
        }

        private static HeaderMatch header(Values values) {
            var name = values.of(NAME);
            if (values.has(VALUE)) return new HeaderMatch.Exact(name, values.of(VALUE));
            if (values.has(PRESENT)) return new HeaderMatch.Present(name, values.of(PRESENT));
            return new HeaderMatch.Matching(name, values.of(MATCHES));
        }

        private static MatchSettings match(Values values) {
            return new MatchSettings(
                    values.optional(HOSTS).orElse(List.of()),
                    path(values),
                    Set.copyOf(values.optional(METHODS).orElse(List.of())),
                    values.optional(HEADERS).orElse(List.of()));
        }

        private static PathMatch path(Values values) {
            values.optional(PREFIX).ifPresent(prefix -> checkComparable(values, PREFIX, prefix));
            values.optional(PATH).ifPresent(pattern -> checkComparable(values, PATH, pattern));
            if (values.has(PREFIX)) return new PathMatch.Prefix(values.of(PREFIX));
            return values.has(PATH) ? new PathMatch.Pattern(values.of(PATH)) : new PathMatch.Any();
        }

        /// Paths are compared in two readings; a route that one of them misses would leave its gate open.
        private static void checkComparable(Values values, Key<PathPattern> key, PathPattern pattern) {
            for (var segment : pattern.segments()) {
                var path = "/" + segment;
                if (segment.equals(PathPattern.PARAMETER) || segment.isEmpty()) continue;
                var compared = PathReading.loose(path);
                if (compared.filter(path::equals).isPresent()) continue;
                throw values.refused(
                        key,
                        path + " is compared as " + compared.orElse("nothing")
                                + ": write that, without needless escapes and without ; and what follows it");
            }
        }
    }
}
