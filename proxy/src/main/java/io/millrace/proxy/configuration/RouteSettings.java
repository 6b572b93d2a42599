package io.millrace.proxy.configuration;

import io.millrace.proxy.RequestBodies;
import java.util.List;
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
}
