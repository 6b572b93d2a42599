package io.millrace.http;

/// A handler's way out: the request is answered with this status and its standard phrase. The message is for the
/// log of whoever catches it, and never sent.
public final class HttpError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    /// An answer with this status.
    ///
    /// @param status 400 to 599
    public HttpError(int status, String message) {
        super(message);
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("status " + status + " is no error: take 400 to 599");
        }
        this.status = status;
    }

    /// 400 to 599.
    public int status() {
        return status;
    }
}
