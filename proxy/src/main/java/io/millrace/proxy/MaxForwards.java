package io.millrace.proxy;

import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.util.List;

/// How many more proxies may forward an OPTIONS or a TRACE (RFC 9110 section 7.6.2); ignored for other
/// methods.
final class MaxForwards {
    static final String NAME = "Max-Forwards";
    static final List<String> NAMES = List.of("max-forwards");

    /// The request has no such field.
    static final long UNLIMITED = -1;

    /// Higher values become this one.
    private static final int MOST_DIGITS = 9;

    private static final long MOST = 999_999_999;

    private MaxForwards() {}

    /// The request's value, or [#UNLIMITED].
    ///
    /// @throws HttpError with 400 if it is not a number
    static long of(Request request) {
        var method = request.method();
        if (!method.equals("OPTIONS") && !method.equals("TRACE")) return UNLIMITED;
        var values = request.headers().all(NAME);
        if (values.isEmpty()) return UNLIMITED;
        var digits = values.getFirst();
        boolean isNumber = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (values.size() > 1 || !isNumber) throw new HttpError(400, NAME + " " + values);
        return digits.length() > MOST_DIGITS ? MOST : Long.parseLong(digits);
    }

    /// The response of the last proxy, which does not forward the request. A response to TRACE would show
    /// a client fields that it must not see, so there is none.
    static Response answer(Request request) {
        return Response.status(request.method().equals("OPTIONS") ? 204 : 501);
    }
}
