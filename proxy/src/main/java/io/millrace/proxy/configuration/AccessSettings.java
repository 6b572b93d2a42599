package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import java.util.List;

/// The addresses that get through.
///
/// @param allow when there are any, only those
/// @param deny never those, also when they are allowed
public record AccessSettings(List<Network> allow, List<Network> deny) {}
