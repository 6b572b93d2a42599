package io.millrace.lab.stats;

/// Which way a measure improves.
public enum Better {
    /// As a rate does.
    MORE,
    /// As a time or a cost does.
    LESS
}
