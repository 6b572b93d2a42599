package io.millrace.http.filter;

import io.millrace.http.Headers;
import io.millrace.http.Response;
import java.util.Locale;

/// Fields that are lists of names (RFC 9110 section 5.6.1), compared without regard to case.
final class FieldList {
    private FieldList() {}

    /// Whether a list contains a name.
    ///
    /// @param name in small letters
    static boolean has(Headers headers, String field, String name) {
        for (var line : headers.all(field)) {
            for (var element : line.toLowerCase(Locale.ROOT).split(",", -1)) {
                if (element.strip().equals(name)) return true;
            }
        }
        return false;
    }

    /// The response with `Vary` for a field of the request (RFC 9110 section 12.5.5).
    static Response varying(Response response, String field) {
        var headers = response.headers();
        if (has(headers, "Vary", field.toLowerCase(Locale.ROOT)) || has(headers, "Vary", "*")) return response;
        return response.addHeader("Vary", field);
    }
}
