package io.millrace.proxy.configuration;

import io.millrace.tls.TlsClient;
import java.nio.file.Path;
import java.util.List;

/// TLS with backends.
///
/// @param client of a certain name, or of the host of each backend
/// @param files that were read, and are read again when they change
public record BackendTls(TlsClient client, List<Path> files) {}
