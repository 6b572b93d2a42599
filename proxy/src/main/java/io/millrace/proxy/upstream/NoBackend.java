package io.millrace.proxy.upstream;

/// Why no backend was chosen.
public enum NoBackend {
    /// The list is empty, or has not come yet.
    NONE_LISTED("it has no backends"),
    /// All are unhealthy, ejected or disabled.
    NONE_HEALTHY("none of its backends is healthy"),
    /// All healthy ones were tried.
    ALL_TRIED("all of its healthy backends were tried"),
    /// All healthy ones that were not tried are at their limit of requests.
    ALL_BUSY("its backends are at their limit of requests in flight");

    private final String reason;

    NoBackend(String reason) {
        this.reason = reason;
    }

    /// A text with the upstream as its subject.
    public String reason() {
        return reason;
    }
}
