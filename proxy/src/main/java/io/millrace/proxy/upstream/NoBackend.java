package io.millrace.proxy.upstream;

/// Why no backend was chosen.
public enum NoBackend {
    /// The list is empty, or has not come yet.
    NONE_LISTED("it has no backends"),
    /// All are unhealthy or ejected.
    NONE_HEALTHY("none of its backends is healthy"),
    /// All that are healthy were tried.
    ALL_TRIED("all of its backends that are healthy were tried"),
    /// All that are healthy and were not tried have as many requests as they may.
    ALL_BUSY("its backends have as many requests in flight as they may");

    private final String reason;

    NoBackend(String reason) {
        this.reason = reason;
    }

    /// For people, with the upstream as its subject.
    public String reason() {
        return reason;
    }
}
