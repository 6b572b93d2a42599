package io.millrace.http;

import io.millrace.http.grammar.FieldValue;
import java.util.Optional;
import java.util.function.Predicate;

/// Checks a request's `Content-Type`.
final class ContentType {
    private ContentType() {}

    /// The media type of a request's body, which must be the wanted one.
    ///
    /// @throws HttpError with 415 for another media type, 400 for several fields
    static FieldValue of(Request request, String wanted) {
        return of(request, "not " + wanted, wanted::equals);
    }

    /// Accepts JSON in UTF-8: `application/json`, and every type that ends with `+json` (RFC 6839 section 3.1).
    ///
    /// @throws HttpError as [#of]
    static void checkJson(Request request) {
        var type = of(request, "not JSON", name -> name.equals("application/json") || name.endsWith("+json"));
        checkUtf8(type, "JSON");
    }

    /// @throws HttpError with 415 for another charset
    static void checkUtf8(FieldValue type, String what) {
        var charset = type.parameter("charset");
        if (charset.isEmpty() || charset.get().equalsIgnoreCase("utf-8")) return;
        throw new HttpError(415, what + " that is not UTF-8");
    }

    private static FieldValue of(Request request, String otherwise, Predicate<String> isWanted) {
        var fields = request.headers().all("Content-Type");
        // Another program may look at the other field, and then sees another body.
        if (fields.size() > 1) throw new HttpError(400, "several Content-Type fields");
        var type = fields.isEmpty() ? Optional.<FieldValue>empty() : FieldValue.parse(fields.getFirst());
        return type.filter(there -> isWanted.test(there.value()))
                .orElseThrow(() -> new HttpError(415, "a body that is " + otherwise));
    }
}
