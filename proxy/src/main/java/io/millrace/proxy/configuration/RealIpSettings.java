package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import java.util.List;

/// Who may say, in a field of a request, whom it serves.
///
/// @param from proxies that are believed
/// @param header the field: `Forwarded`, or one with an address or a list of them
public record RealIpSettings(List<Network> from, String header) {}
