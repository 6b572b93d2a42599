package io.millrace.proxy.configuration;

import io.millrace.http.filter.AccessLog;
import java.nio.file.Path;
import java.util.Optional;

/// A line for each request.
///
/// @param file opened again on SIGUSR1; empty for the standard output
public record AccessLogSettings(AccessLog.Format format, Optional<Path> file) {}
