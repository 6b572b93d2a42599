package io.millrace.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A handler's way out: the request is answered with this status, and what the server's [ErrorResponses] make
/// of it, which is the standard phrase by default. The message is for the log of whoever catches it, and never
/// sent. What the peer may hear is its [#detail], and what is wrong with single fields.
///
/// ```java
/// throw new HttpError(409, "two rooms " + name).detail("there is a room of this name");
/// ```
/// Methods that add something return a copy.
public final class HttpError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final @Nullable String detail;
    private final transient List<FieldError> fields;

    /// An answer with this status.
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
            throw new IllegalArgumentException("status " + status + " is no error: take 400 to 599");
        }
        this.status = status;
        this.detail = detail;
        this.fields = fields;
    }

    /// 400 to 599.
    public int status() {
        return status;
    }

    // What the peer may hear.

    /// With words for the peer.
    public HttpError detail(String text) {
        return new HttpError(status, getMessage(), text, fields, getCause());
    }

    /// Words for the peer.
    public Optional<String> detail() {
        return Optional.ofNullable(detail);
    }

    /// With one more field that is not as it should be; [Checks] finds several.
    ///
    /// @param field see [FieldError]
    public HttpError field(String field, String wrong) {
        var more = new ArrayList<>(fields);
        more.add(new FieldError(field, wrong));
        return new HttpError(status, getMessage(), detail, List.copyOf(more), getCause());
    }

    /// The fields that are not as they should be.
    public List<FieldError> fields() {
        return fields;
    }

    /// A 400 for what is in a body.
    static HttpError of(BadJson wrong) {
        var message = "a body that is not the JSON it should be: " + wrong.getMessage();
        var fields = wrong.pointer().isEmpty()
                ? List.<FieldError>of()
                : List.of(new FieldError(wrong.pointer(), wrong.detail()));
        return new HttpError(400, message, wrong.getMessage(), fields, wrong);
    }
}
