package io.millrace.proxy.upstream;

/// The outcome of a request to a backend.
public enum Outcome {
    /// A response that does not count as a failure.
    SUCCESS(false, "succeeded"),
    /// A status that counts as a failure, such as 503; the caller decides which ones do.
    ERROR_STATUS(true, "was answered with a status that counts as a failure"),
    /// No connection could be made.
    NOT_CONNECTED(true, "could not be sent: no connection could be made"),
    /// No response, or not all of it, in time.
    TIMED_OUT(true, "was not answered in time"),
    /// The connection ended before the response did.
    RESET(true, "was cut off before it was answered"),
    /// An invalid response.
    BAD_RESPONSE(true, "got an invalid response"),
    /// An idle connection was closed when the request came: no sign of a failure.
    STALE(false, "met an idle connection that was closed"),
    /// The client left, takes nothing, or sends no more of its request: no sign of a failure.
    ABANDONED(false, "was abandoned by its client");

    private final boolean isFailure;
    private final String text;

    Outcome(boolean isFailure, String text) {
        this.isFailure = isFailure;
        this.text = text;
    }

    /// A text that continues "the request …".
    String text() {
        return text;
    }

    /// Whether it counts as the backend's failure.
    public boolean isFailure() {
        return isFailure;
    }
}
