package io.millrace.cli;

import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;

/// The source of a proxy's configuration: a file, or the command's options. Its text names it in messages. One
/// thread at a time.
interface ProxySource {
    /// The configuration as it is now.
    CheckedFile read();

    /// Whether it has changed since it was read last; polled.
    boolean isChanged();
}
