package io.millrace.http;

import io.millrace.http.grammar.FieldValue;
import java.util.Optional;

/// What the `Content-Type` of a request must be.
final class ContentType {
    private ContentType() {}

    /// The media type of a request's body, which has to be a certain one.
    ///
    /// @throws HttpError with 415 for another one, 400 when there are several
    static FieldValue of(Request request, String wanted) {
        var fields = request.headers().all("Content-Type");
        // Whoever looks at another one than we do sees another body.
        if (fields.size() > 1) throw new HttpError(400, "several Content-Type fields");
        var type = fields.isEmpty() ? Optional.<FieldValue>empty() : FieldValue.parse(fields.getFirst());
        return type.filter(there -> there.value().equals(wanted))
                .orElseThrow(() -> new HttpError(415, "a body that is no " + wanted));
    }
}
