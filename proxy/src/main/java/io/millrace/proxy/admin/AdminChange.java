package io.millrace.proxy.admin;

import java.util.Locale;

/// What may be changed from the page.
public enum AdminChange {
    /// Backends are put out of service, and back.
    BACKENDS,
    /// The configuration is read again.
    RELOAD,
    /// Logs go on in new files.
    LOGS;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
