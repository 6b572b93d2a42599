package io.millrace.proxy.configuration;

import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.nio.file.Path;
import java.util.List;

/// TLS that ends at a listener.
///
/// @param identities of its names, for figures
/// @param hasRulesByName whether some names want something else of clients than others
/// @param files that were read, and are read again when they change
public record TlsSettings(TlsServer server, List<TlsIdentity> identities, boolean hasRulesByName, List<Path> files) {}
