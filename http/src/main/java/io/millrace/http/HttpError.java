package io.millrace.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Ends a handler with an error: the request is answered with this status, and the body that the server's
/// [ErrorResponses] make of it, by default the standard phrase. The message is for logs and never sent. The peer
/// gets the [#detail] and the errors of single fields.
///
/// ```java
/// throw new HttpError(409, "a second room " + name).detail("there is a room of this name");
/// ```
/// Methods that add something return a copy.
public final class HttpError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final @Nullable String detail;
    private final transient List<FieldError> fields;

    /// An error with this status.
    ///
    /// @param status 400 to 599
    public HttpError(int status, String message) {
        this(status, message, null, List.of(), null);
    }

    private HttpError(
            int status,
            @Nullable String message,
            @Nullable String detail,
            List<FieldError> fields,
            @Nullable Throwable cause) {
        super(message, cause);
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("status " + status + " is not an error: take 400 to 599");
        }
        this.status = status;
        this.detail = detail;
        this.fields = fields;
    }

    /// 400 to 599.
    public int status() {
        return status;
    }

    // For the peer.

    /// A copy with words for the peer.
    public HttpError detail(String text) {
        return new HttpError(status, getMessage(), text, fields, getCause());
    }

    /// The words for the peer.
    public Optional<String> detail() {
        return Optional.ofNullable(detail);
    }

    /// A copy with one more field error; [Checks] collects several.
    ///
    /// @param field see [FieldError]
    public HttpError field(String field, String wrong) {
        var more = new ArrayList<>(fields);
        more.add(new FieldError(field, wrong));
        return new HttpError(status, getMessage(), detail, List.copyOf(more), getCause());
    }

    /// The field errors.
    public List<FieldError> fields() {
        return fields;
    }

    /// A 400 for bad JSON in a body.
    static HttpError of(BadJson wrong) {
        var message = "bad JSON in the body: " + wrong.getMessage();
        var fields = wrong.pointer().isEmpty()
                ? List.<FieldError>of()
                : List.of(new FieldError(wrong.pointer(), wrong.detail()));
        return new HttpError(400, message, wrong.getMessage(), fields, wrong);
    }
}
