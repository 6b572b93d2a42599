package io.millrace.proxy.configuration;

import java.util.List;
import java.util.Set;

/// Which requests a route is for: all conditions hold.
///
/// @param hosts one of them: in small letters without a port, `*.example.org` for all names below; empty for any
/// @param methods one of them; empty for any
public record MatchSettings(List<String> hosts, PathMatch path, Set<String> methods, List<HeaderMatch> headers) {}
