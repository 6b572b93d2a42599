package io.millrace.proxy.upstream;

/// What became of a request that a backend got.
public enum Outcome {
    /// A response that says nothing bad about the backend.
    SUCCESS(false),
    /// A status that says the backend is not able to serve, such as 503; which ones do is the caller's to say.
    ERROR_STATUS(true),
    /// No connection could be made.
    NOT_CONNECTED(true),
    /// No response, or not all of it, in time.
    TIMED_OUT(true),
    /// The connection ended before the response did.
    RESET(true),
    /// Something that is no response.
    BAD_RESPONSE(true),
    /// Nobody wants the response any more: it says nothing about the backend.
    ABANDONED(false);

    private final boolean isFailure;

    Outcome(boolean isFailure) {
        this.isFailure = isFailure;
    }

    /// Whether it is held against the backend.
    public boolean isFailure() {
        return isFailure;
    }
}
