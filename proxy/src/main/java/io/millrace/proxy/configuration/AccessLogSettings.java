package io.millrace.proxy.configuration;

import java.nio.file.Path;
import java.util.Optional;

/// A line for each request.
///
/// @param file opened again on SIGUSR1; empty for the standard output
public record AccessLogSettings(Format format, Optional<Path> file) {
    /// What a line looks like.
    public enum Format {
        /// As Apache and nginx write it.
        COMBINED,
        /// An object of JSON.
        JSON
    }
}
