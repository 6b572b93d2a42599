package io.millrace.cli;

import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;

/// Where the configuration of a proxy comes from: a file, or the options of the command. Its text names it in messages.
/// One thread at a time.
interface ProxySource {
    /// What it says at this moment.
    CheckedFile read();

    /// Whether it says something else than when it was read last, for whoever looks once in a while.
    boolean isChanged();
}
