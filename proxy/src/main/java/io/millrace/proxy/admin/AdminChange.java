package io.millrace.proxy.admin;

import java.util.Locale;

/// The changes that the page can make.
public enum AdminChange {
    /// Disable or enable a backend.
    BACKENDS,
    /// Reload the configuration.
    RELOAD,
    /// Reopen the logs.
    LOGS;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
