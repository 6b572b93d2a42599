package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import java.util.List;

/// Who may say, in front of a connection's bytes, where it really comes from (the PROXY protocol, version 1 or
/// 2).
///
/// @param from only from there a header is taken; what looks like one from elsewhere is part of the bytes
/// @param isRequired whether a connection from there without a header is refused
public record ProxyProtocolSettings(List<Network> from, boolean isRequired) {}
