package io.millrace.proxy.upstream;

/// What became of a request that a backend got.
public enum Outcome {
    /// A response that says nothing bad about the backend.
    SUCCESS(false, "succeeded"),
    /// A status that says the backend is not able to serve, such as 503; which ones do is the caller's to say.
    ERROR_STATUS(true, "was answered with a status that counts as a failure"),
    /// No connection could be made.
    NOT_CONNECTED(true, "found nobody: no connection could be made"),
    /// No response, or not all of it, in time.
    TIMED_OUT(true, "was not answered in time"),
    /// The connection ended before the response did.
    RESET(true, "was cut off before it was answered"),
    /// Something that is no response.
    BAD_RESPONSE(true, "was answered with what is no response"),
    /// A connection that had served others before was closed when the request came: it says nothing about the
    /// backend.
    STALE(false, "met a kept connection that was closed"),
    /// The client has gone, or takes nothing, or sends nothing more of its request: it says nothing about the
    /// backend.
    ABANDONED(false, "was given up by its client");

    private final boolean isFailure;
    private final String text;

    Outcome(boolean isFailure, String text) {
        this.isFailure = isFailure;
        this.text = text;
    }

    /// The same in words: the request …
    String text() {
        return text;
    }

    /// Whether it is held against the backend.
    public boolean isFailure() {
        return isFailure;
    }
}
