package io.millrace.proxy.configuration.file;

import io.millrace.http.grammar.PathPattern;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.MatchSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Reference;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which requests become of what.
final class RouteKeys {
    private static final Key<List<String>> LISTENERS = Key.optional(
            "listeners", Listing.of(new Reference(ListenerKeys.KIND)), "Only these; by default all of layer 7.");
    private static final Key<MatchSettings> MATCH =
            Key.standard("match", MatchKeys.SECTION, MatchKeys.EVERYTHING, "Which requests it is for; by default all.");

    static final Named<RouteSettings> NAMED = Named.of(
                    "route",
                    Named.NAME,
                    new Section<>(
                            "route",
                            "Requests of a kind, and what becomes of them: `upstream`, `redirect`, `respond` or `files`.",
                            keys(),
                            ActionKeys.RULES,
                            Map.of(),
                            RouteKeys::route))
            .distinctBy(RouteKeys::identity, "is for the same requests");

    private RouteKeys() {}

    private static List<Key<?>> keys() {
        var keys = new ArrayList<Key<?>>(List.of(LISTENERS, MATCH));
        keys.addAll(ActionKeys.KEYS);
        keys.addAll(List.of(HeaderKeys.RESPONSE, GateKeys.ACCESS, GateKeys.RATE_LIMIT, GateKeys.BASIC_AUTH));
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
                values.of(HeaderKeys.RESPONSE));
    }

    /// What two routes must not have both: the second would never be asked.
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

    /// Whatever its parameters are called.
    private static List<Object> shape(PathPattern pattern) {
        return List.of(pattern.segments(), pattern.end());
    }
}
