package io.millrace.proxy.configuration;

import java.util.List;

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
        ResponseHeaders response) {}
