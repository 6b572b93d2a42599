package io.millrace.http;

import io.millrace.http.grammar.FieldValue;
import java.util.Optional;
import java.util.function.Predicate;

/// What the `Content-Type` of a request must be.
final class ContentType {
    private ContentType() {}

    /// The media type of a request's body, which has to be a certain one.
    ///
    /// @throws HttpError with 415 for another one, 400 when there are several
    static FieldValue of(Request request, String wanted) {
        return of(request, "no " + wanted, wanted::equals);
    }

    /// Lets pass what is JSON in UTF-8: `application/json`, and what ends with `+json` (RFC 6839 section 3.1).
    ///
    /// @throws HttpError as [#of]
    static void checkJson(Request request) {
        var type = of(request, "no JSON", name -> name.equals("application/json") || name.endsWith("+json"));
        checkUtf8(type, "JSON");
    }

    /// @throws HttpError with 415 for another charset
    static void checkUtf8(FieldValue type, String what) {
        var charset = type.parameter("charset");
        if (charset.isEmpty() || charset.get().equalsIgnoreCase("utf-8")) return;
        throw new HttpError(415, what + " that is not in UTF-8");
    }

    private static FieldValue of(Request request, String otherwise, Predicate<String> isWanted) {
        var fields = request.headers().all("Content-Type");
        // Whoever looks at another one than we do sees another body.
        if (fields.size() > 1) throw new HttpError(400, "several Content-Type fields");
        var type = fields.isEmpty() ? Optional.<FieldValue>empty() : FieldValue.parse(fields.getFirst());
        return type.filter(there -> isWanted.test(there.value()))
                .orElseThrow(() -> new HttpError(415, "a body that is " + otherwise));
    }
}
