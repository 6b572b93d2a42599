package io.millrace.proxy.upstream;

/// Why no backend was chosen.
public enum Nobody {
    /// The list is empty, or has not come yet.
    LISTED("it has no backends"),
    /// All are unwell or ejected.
    WELL("none of its backends is well"),
    /// All that are well were tried.
    LEFT("all of its backends that are well were tried"),
    /// All that are well and were not tried have as many requests as they may.
    FREE("its backends have as many requests in flight as they may");

    private final String reason;

    Nobody(String reason) {
        this.reason = reason;
    }

    /// For people, with the upstream as its subject.
    public String reason() {
        return reason;
    }
}
